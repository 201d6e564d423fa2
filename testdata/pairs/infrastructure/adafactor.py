import math

import torch
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

__all__ = ['Adafactor', 'get_inverse_sqrt_schedule']


class Adafactor(Optimizer):
    """Memory-efficient optimizer that factors the second moments of matrices.

    Arguments:
        params (iterable): parameters or parameter groups
        lr (float, optional): external learning rate (default: None)
        eps (tuple): regularization constants for squared gradient and parameter scale
        clip_threshold (float): threshold of the root mean square of the final update
        decay_rate (float): coefficient of the running averages of squared gradients
        beta1 (float): coefficient of the running averages of gradients (default: None)
        weight_decay (float, optional): weight decay (default: 0)
        scale_parameter (bool): scale the learning rate by the root mean square of the parameter
        relative_step (bool): time-dependent learning rate instead of an external one
    """

    def __init__(self, params, lr=None, eps=(1e-30, 1e-3), clip_threshold=1.0,
                 decay_rate=-0.8, beta1=None, weight_decay=0.0,
                 scale_parameter=True, relative_step=True, warmup_init=False):
        if lr is not None and relative_step:
            raise ValueError('Cannot combine manual lr and relative_step options')
        if warmup_init and not relative_step:
            raise ValueError('warmup_init requires relative_step=True')
        defaults = dict(lr=lr, eps=eps, clip_threshold=clip_threshold, decay_rate=decay_rate,
                        beta1=beta1, weight_decay=weight_decay, scale_parameter=scale_parameter,
                        relative_step=relative_step, warmup_init=warmup_init)
        super(Adafactor, self).__init__(params, defaults)

    @property
    def supports_memory_efficient_fp16(self):
        return True

    def _get_lr(self, group, state):
        lr = group['lr']
        if group['relative_step']:
            min_step = 1e-6 * state['step'] if group['warmup_init'] else 1e-2
            lr = min(min_step, 1.0 / math.sqrt(state['step']))
        scale = 1.0
        if group['scale_parameter']:
            scale = max(group['eps'][1], state['RMS'])
        return scale * lr

    @staticmethod
    def _get_options(group, shape):
        factored = len(shape) >= 2
        use_first_moment = group['beta1'] is not None
        return factored, use_first_moment

    @staticmethod
    def _rms(tensor):
        return tensor.norm(2) / (tensor.numel() ** 0.5)

    @staticmethod
    def _approx_sq_grad(exp_avg_sq_row, exp_avg_sq_col):
        r_factor = (exp_avg_sq_row / exp_avg_sq_row.mean(dim=-1).unsqueeze(-1)).rsqrt_()
        c_factor = exp_avg_sq_col.rsqrt()
        return torch.mul(r_factor.unsqueeze(-1), c_factor.unsqueeze(-2))

    def _init_state(self, group, p, grad, state):
        factored, use_first_moment = self._get_options(group, grad.shape)
        shape = grad.shape
        state['step'] = 0
        if use_first_moment:
            state['exp_avg'] = torch.zeros_like(grad)
        if factored:
            state['exp_avg_sq_row'] = grad.new_zeros(shape[:-1])
            state['exp_avg_sq_col'] = grad.new_zeros(shape[:-2] + shape[-1:])
        else:
            state['exp_avg_sq'] = torch.zeros_like(grad)
        state['RMS'] = 0

    def step(self, closure=None):
        """Performs a single optimization step."""
        loss = None
        if closure is not None:
            loss = closure()

        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                grad = p.grad.data
                if grad.dtype in (torch.float16, torch.bfloat16):
                    grad = grad.float()
                if grad.is_sparse:
                    raise RuntimeError('Adafactor does not support sparse gradients.')

                state = self.state[p]
                if len(state) == 0:
                    self._init_state(group, p, grad, state)

                factored, use_first_moment = self._get_options(group, grad.shape)
                p_data = p.data.float() if p.dtype != grad.dtype else p.data
                state['step'] += 1
                state['RMS'] = self._rms(p_data).item()
                lr = self._get_lr(group, state)

                beta2t = 1.0 - math.pow(state['step'], group['decay_rate'])
                update = grad ** 2 + group['eps'][0]
                if factored:
                    row, col = state['exp_avg_sq_row'], state['exp_avg_sq_col']
                    row.mul_(beta2t).add_(update.mean(dim=-1), alpha=1.0 - beta2t)
                    col.mul_(beta2t).add_(update.mean(dim=-2), alpha=1.0 - beta2t)
                    update = self._approx_sq_grad(row, col)
                    update.mul_(grad)
                else:
                    exp_avg_sq = state['exp_avg_sq']
                    exp_avg_sq.mul_(beta2t).add_(update, alpha=1.0 - beta2t)
                    update = exp_avg_sq.rsqrt().mul_(grad)

                update.div_((self._rms(update) / group['clip_threshold']).clamp_(min=1.0))
                update.mul_(lr)

                if use_first_moment:
                    exp_avg = state['exp_avg']
                    exp_avg.mul_(group['beta1']).add_(update, alpha=1 - group['beta1'])
                    update = exp_avg

                if group['weight_decay'] != 0:
                    p_data.add_(p_data, alpha=-group['weight_decay'] * lr)
                p_data.add_(-update)
                if p_data is not p.data:
                    p.data.copy_(p_data)
        return loss


def get_inverse_sqrt_schedule(optimizer, warmup_steps, last_epoch=-1):
    warmup = torch.linspace(0, 1, max(1, warmup_steps))

    def fn(step):
        if step < warmup_steps:
            return warmup[step].item()
        return (max(1, warmup_steps) / max(1, step)) ** 0.5
    return LambdaLR(optimizer, fn, last_epoch)
