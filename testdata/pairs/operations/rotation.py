"""Conversions between representations of rotations. All of them are batched and differentiable."""
from typing import Optional, Sequence, Union

import torch
import torch.nn.functional as F
from torch import Tensor

Device = Union[str, torch.device]

_CONVENTIONS = ("wxyz", "xyzw")
_LETTERS = "XYZ"


def _check_last(x: Tensor, *shape: int) -> None:
    if tuple(x.shape[-len(shape):]) != shape:
        raise ValueError(f"Expected trailing shape {shape}, got {tuple(x.shape)}")


def _permutation(src: str, dst: str) -> Tensor:
    if sorted(src) != sorted(dst):
        raise ValueError(f"Cannot reorder {src!r} to {dst!r}")
    return torch.tensor([src.index(c) for c in dst])


def _sqrt_positive_part(x: Tensor) -> Tensor:
    """sqrt(max(0, x)) with a zero subgradient where x is 0."""
    positive = x > 0
    return torch.where(positive, torch.sqrt(torch.where(positive, x, 1.0)), 0.0)


def random_quaternions(n: int, dtype: Optional[torch.dtype] = None, device: Optional[Device] = None) -> Tensor:
    o = torch.randn((n, 4), dtype=dtype, device=device)
    return standardize_quaternion(F.normalize(o, dim=-1))


def standardize_quaternion(quaternions: Tensor) -> Tensor:
    """Choose the sign for which the real part is not negative."""
    return torch.where(quaternions[..., 0:1] < 0, -quaternions, quaternions)


def quaternion_multiply(a: Tensor, b: Tensor) -> Tensor:
    aw, ax, ay, az = torch.unbind(a, -1)
    bw, bx, by, bz = torch.unbind(b, -1)
    ow = aw * bw - ax * bx - ay * by - az * bz
    ox = aw * bx + ax * bw + ay * bz - az * by
    oy = aw * by - ax * bz + ay * bw + az * bx
    oz = aw * bz + ax * by - ay * bx + az * bw
    return standardize_quaternion(torch.stack((ow, ox, oy, oz), -1))


def quaternion_invert(quaternion: Tensor) -> Tensor:
    return quaternion * quaternion.new_tensor([1, -1, -1, -1])


def reorder_quaternion(quaternions: Tensor, src: str = "xyzw", dst: str = "wxyz") -> Tensor:
    """Reorder the components; :mod:`scipy` and ROS have the real part last, this module has it first."""
    for name in (src, dst):
        if name not in _CONVENTIONS:
            raise ValueError(f"Unknown convention {name!r}")
    _check_last(quaternions, 4)
    if src == dst:
        return quaternions
    return quaternions.index_select(-1, _permutation(src, dst).to(quaternions.device))


def quaternion_to_matrix(quaternions: Tensor) -> Tensor:
    _check_last(quaternions, 4)
    r, i, j, k = torch.unbind(quaternions, -1)
    two_s = 2.0 / (quaternions * quaternions).sum(-1)
    o = torch.stack(
        (
            1 - two_s * (j * j + k * k), two_s * (i * j - k * r), two_s * (i * k + j * r),
            two_s * (i * j + k * r), 1 - two_s * (i * i + k * k), two_s * (j * k - i * r),
            two_s * (i * k - j * r), two_s * (j * k + i * r), 1 - two_s * (i * i + j * j),
        ),
        -1,
    )
    return o.reshape(quaternions.shape[:-1] + (3, 3))


def matrix_to_quaternion(matrix: Tensor) -> Tensor:
    _check_last(matrix, 3, 3)
    m00, m11, m22 = matrix.diagonal(dim1=-2, dim2=-1).unbind(-1)
    x = 0.5 * _sqrt_positive_part(1 + m00 - m11 - m22)
    y = 0.5 * _sqrt_positive_part(1 - m00 + m11 - m22)
    z = 0.5 * _sqrt_positive_part(1 - m00 - m11 + m22)
    w = 0.5 * _sqrt_positive_part(1 + m00 + m11 + m22)
    x = torch.copysign(x, matrix[..., 2, 1] - matrix[..., 1, 2])
    y = torch.copysign(y, matrix[..., 0, 2] - matrix[..., 2, 0])
    z = torch.copysign(z, matrix[..., 1, 0] - matrix[..., 0, 1])
    return torch.stack((w, x, y, z), -1)


def swap_axes(matrix: Tensor, order: str) -> Tensor:
    """Express rotations in a frame whose axes are permuted, as ``"ZXY"``."""
    _check_last(matrix, 3, 3)
    perm = _permutation(_LETTERS, order.upper())
    return matrix[..., perm, :][..., perm]


def _axis_angle_rotation(axis: str, angle: Tensor) -> Tensor:
    cos, sin = torch.cos(angle), torch.sin(angle)
    one, zero = torch.ones_like(angle), torch.zeros_like(angle)
    if axis == "X":
        flat = (one, zero, zero, zero, cos, -sin, zero, sin, cos)
    elif axis == "Y":
        flat = (cos, zero, sin, zero, one, zero, -sin, zero, cos)
    elif axis == "Z":
        flat = (cos, -sin, zero, sin, cos, zero, zero, zero, one)
    else:
        raise ValueError("letter must be either X, Y or Z.")
    return torch.stack(flat, -1).reshape(angle.shape + (3, 3))


def euler_angles_to_matrix(euler_angles: Tensor, convention: str) -> Tensor:
    _check_last(euler_angles, 3)
    if len(convention) != 3 or convention[1] in (convention[0], convention[2]):
        raise ValueError(f"Invalid convention {convention}.")
    a, b, c = [_axis_angle_rotation(c, e) for c, e in zip(convention, torch.unbind(euler_angles, -1))]
    return a @ b @ c


def geodesic_distance(a: Tensor, b: Tensor, eps: float = 1e-6) -> Tensor:
    trace = (a.transpose(-1, -2) @ b).diagonal(dim1=-2, dim2=-1).sum(-1)
    return torch.acos(((trace - 1) / 2).clamp(-1 + eps, 1 - eps))


def load_trajectory(rows: Sequence[Sequence[float]], convention: str = "xyzw") -> Tensor:
    """Parse poses ``tx ty tz q0 q1 q2 q3`` (TUM format) to ``[N, 4, 4]`` matrices, on the CPU."""
    data = torch.tensor(rows, dtype=torch.float64)
    poses = torch.eye(4, dtype=data.dtype).repeat(len(data), 1, 1)
    poses[:, :3, :3] = quaternion_to_matrix(reorder_quaternion(data[:, 3:], src=convention))
    poses[:, :3, 3] = data[:, :3]
    return poses
