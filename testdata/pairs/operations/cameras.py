"""Pinhole cameras with radial distortion, in batches."""
import math
from typing import Any, List, Optional, Tuple, Union

import torch
import torch.nn.functional as F

Device = Union[str, torch.device]


def make_device(device: Device) -> torch.device:
    device = torch.device(device) if isinstance(device, str) else device
    if device.type == "cuda" and device.index is None:
        device = torch.device("cuda:{}".format(torch.cuda.current_device()))
    return device


def format_tensor(value: Any, dtype: torch.dtype = torch.float32, device: Device = "cpu") -> torch.Tensor:
    if not torch.is_tensor(value):
        value = torch.tensor(value, dtype=dtype, device=device)
    return value.view(1) if value.dim() == 0 else value.to(device)


class TensorProperties:
    """Holds tensors which share their first (batch) dimension, and moves them together."""

    def __init__(self, device: Device = "cpu", **kwargs: Any) -> None:
        self.device = make_device(device)
        self._names: List[str] = []
        self._N = 0
        values = {k: v for k, v in kwargs.items() if v is not None}
        for name, value in values.items():
            if isinstance(value, (str, bool)):
                setattr(self, name, value)
                continue
            setattr(self, name, format_tensor(value, device=self.device))
            self._names.append(name)
        self._N = max((len(getattr(self, n)) for n in self._names), default=0)
        for n in self._names:
            t = getattr(self, n)
            if t.shape[0] not in (1, self._N):
                raise ValueError("Got non-broadcastable sizes %r" % {m: getattr(self, m).shape for m in self._names})
            setattr(self, n, t.expand((self._N,) + t.shape[1:]))

    def __len__(self) -> int:
        return self._N

    def to(self, device: Device) -> "TensorProperties":
        device = make_device(device)
        for n in self._names:
            setattr(self, n, getattr(self, n).to(device))
        self.device = device
        return self

    def clone(self, other: "TensorProperties") -> "TensorProperties":
        for k, v in self.__dict__.items():
            setattr(other, k, v.clone() if torch.is_tensor(v) else v)
        return other


def look_at_rotation(position: torch.Tensor, at=((0, 0, 0),), up=((0, 1, 0),)) -> torch.Tensor:
    at, up = format_tensor(at, device=position.device), format_tensor(up, device=position.device)
    z = F.normalize(at.to(position.dtype) - position, eps=1e-5)
    x = F.normalize(torch.cross(up.to(position.dtype).expand_as(z), z, dim=1), eps=1e-5)
    y = F.normalize(torch.cross(z, x, dim=1), eps=1e-5)
    return torch.stack([x, y, z], dim=1).transpose(1, 2)


def look_at_view(dist=1.0, elev=0.0, azim=0.0, device: Device = "cpu") -> Tuple[torch.Tensor, torch.Tensor]:
    """R and T of cameras on a sphere, looking at its center; angles in degrees."""
    dist, elev, azim = torch.broadcast_tensors(*(format_tensor(v, device=device) for v in (dist, elev, azim)))
    elev, azim = elev * math.pi / 180, azim * math.pi / 180
    c = torch.stack([elev.cos() * azim.sin(), elev.sin(), elev.cos() * azim.cos()], dim=1) * dist[:, None]
    R = look_at_rotation(c)
    return R, -torch.bmm(R.transpose(1, 2), c[:, :, None])[:, :, 0]


class PinholeCameras(TensorProperties):
    """
    Args:
        R, T: world to camera as row vectors, ``x_cam = x_world @ R + T``.
        focal_length: ``(N,)``, in units of half the image.
        principal_point: ``(N, 2)``.
        distortion: ``(N, K)`` coefficients of the even powers of the radius.
    """

    def __init__(self, R=None, T=None, focal_length=1.0, principal_point=((0.0, 0.0),),
                 distortion: Optional[torch.Tensor] = None, znear: float = 1e-2, device: Device = "cpu") -> None:
        super().__init__(
            device=device,
            R=torch.eye(3)[None] if R is None else R,
            T=torch.zeros(1, 3) if T is None else T,
            focal_length=focal_length,
            principal_point=principal_point,
        )
        self.znear = torch.tensor(znear)
        self.distortion = None
        if distortion is not None:
            distortion = format_tensor(distortion, device=self.device)
            self.distortion = distortion.expand(self._N, -1)
            self._names.append("distortion")

    def clone(self) -> "PinholeCameras":
        return super().clone(type(self)(device=self.device))

    def get_camera_center(self) -> torch.Tensor:
        return -torch.bmm(self.T[:, None], self.R.transpose(1, 2))[:, 0]

    def _distort(self, xy: torch.Tensor) -> torch.Tensor:
        if self.distortion is None:
            return xy
        r2 = (xy * xy).sum(-1, keepdim=True)
        exponents = torch.arange(1, self.distortion.shape[1] + 1, device=xy.device)
        factor = 1 + (self.distortion[:, None] * r2 ** exponents).sum(-1, keepdim=True)
        return xy * factor

    def world_to_camera(self, points: torch.Tensor) -> torch.Tensor:
        return torch.baddbmm(self.T[:, None], points.expand(self._N, -1, -1), self.R)

    def transform_points(self, points: torch.Tensor) -> torch.Tensor:
        """Project ``(N, P, 3)`` or ``(1, P, 3)`` world points; returns x, y and depth."""
        cam = self.world_to_camera(points)
        depth = torch.where(cam[..., 2:] > self.znear, cam[..., 2:], self.znear)
        xy = self._distort(cam[..., :2] / depth) * self.focal_length[:, None, None]
        return torch.cat([xy + self.principal_point[:, None], depth], dim=-1)

    def is_visible(self, points: torch.Tensor) -> torch.Tensor:
        p = self.transform_points(points)
        return (p[..., :2].abs() <= 1).all(-1) & (p[..., 2] > self.znear)
