"""Dynamic loss scaling for half precision training."""
import logging
from enum import Enum

import torch

log = logging.getLogger(__name__)


class Precision(Enum):
    FULL = "32"
    HALF = "16"
    BRAIN = "bf16"

    @property
    def dtype(self):
        return {"32": torch.float32, "16": torch.float16, "bf16": torch.bfloat16}[self.value]


class NullScaler:
    """Stands in for the scaler when no scaling is needed."""

    enabled = False

    def scale(self, loss):
        return loss

    def unscale_(self, optimizer):
        return torch.zeros(())

    def step(self, optimizer, closure=None):
        optimizer.step()
        return True

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass


class DynamicScaler(NullScaler):
    """Grows the scale while gradients are finite and backs off when they overflow.

    Parameters
    ----------
    init_scale : float
        First scale.
    growth_factor, backoff_factor : float
        Factors of a growing or shrinking step.
    growth_interval : int
        Number of consecutive good steps before the scale grows.
    """

    enabled = True

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, min_scale=1.0):
        if growth_factor <= 1.0:
            raise ValueError("The growth factor must be > 1.0.")
        if not 0.0 < backoff_factor < 1.0:
            raise ValueError("The backoff factor must be between 0 and 1.")
        self.growth_factor = growth_factor
        self.backoff_factor = backoff_factor
        self.growth_interval = growth_interval
        self.min_scale = torch.tensor(min_scale)
        self._scale = torch.tensor(init_scale)
        self._good_steps = torch.tensor(0)
        self._unscaled = {}

    @property
    def loss_scale(self):
        return self._scale.item()

    def scale(self, outputs):
        """Multiplies a loss, or every loss of a list, tuple or dict."""
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        if isinstance(outputs, dict):
            return {k: self.scale(v) for k, v in outputs.items()}
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(v) for v in outputs)
        raise TypeError(f"cannot scale {type(outputs).__name__}")

    @staticmethod
    def _grads(optimizer):
        return [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]

    @torch.no_grad()
    def unscale_(self, optimizer):
        """Divides the gradients by the scale and returns whether any was not finite."""
        if id(optimizer) in self._unscaled:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update.")
        found_inf = torch.zeros(1)
        inv_scale = self._scale.double().reciprocal().float()
        for grad in self._grads(optimizer):
            grad.mul_(inv_scale.to(grad.dtype))
            found_inf += (~torch.isfinite(grad)).any().to(found_inf.device)
        self._unscaled[id(optimizer)] = found_inf
        return found_inf

    def step(self, optimizer, closure=None):
        """Steps ``optimizer`` unless its gradients overflowed, then updates the scale."""
        if closure is not None:
            raise RuntimeError("closures are not supported with loss scaling")
        found_inf = self._unscaled.get(id(optimizer))
        if found_inf is None:
            found_inf = self.unscale_(optimizer)
        ok = found_inf.item() == 0
        if ok:
            optimizer.step()
        else:
            log.warning("gradient overflow, skipping the step (scale %g)", self.loss_scale)
        self._update(ok)
        self._unscaled.pop(id(optimizer), None)
        return ok

    def _update(self, ok):
        if not ok:
            self._scale = torch.maximum(self._scale * self.backoff_factor, self.min_scale)
            self._good_steps.zero_()
            return
        self._good_steps += 1
        if self._good_steps == self.growth_interval:
            self._scale = self._scale * self.growth_factor
            self._good_steps.zero_()

    def state_dict(self):
        return {"scale": self.loss_scale, "good_steps": int(self._good_steps)}

    def load_state_dict(self, state):
        self._scale = torch.tensor(float(state["scale"]))
        self._good_steps = torch.tensor(int(state["good_steps"]))


def make_scaler(precision, **kwargs):
    """The scaler that fits ``precision``: only float16 needs one."""
    precision = Precision(str(precision))
    if precision is Precision.HALF:
        return DynamicScaler(**kwargs)
    if kwargs:
        log.info("ignoring the options of the loss scaler with precision %s", precision.value)
    return NullScaler()


def clip_grad_norm(scaler, optimizer, max_norm):
    """Clips after unscaling, returns the norm before clipping."""
    if scaler.enabled:
        scaler.unscale_(optimizer)
    params = [p for g in optimizer.param_groups for p in g["params"]]
    return float(torch.nn.utils.clip_grad_norm_(params, max_norm))
