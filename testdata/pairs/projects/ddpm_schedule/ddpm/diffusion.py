import numpy as np
import torch
import torch.nn.functional as F

from .utils import extract


class GaussianDiffusion:
    def __init__(self, betas, objective="pred_noise", device="cpu"):
        self.device = device
        self.objective = objective
        self.num_timesteps = len(betas)

        def to_torch(arr):
            return torch.as_tensor(arr, dtype=torch.float32, device=device)

        alphas = 1.0 - betas
        ac = np.cumprod(alphas)
        ac_prev = np.append(1.0, ac[:-1])

        self.betas = to_torch(betas)
        self.sqrt_ac = to_torch(np.sqrt(ac))
        self.sqrt_one_minus_ac = to_torch(np.sqrt(1.0 - ac))
        self.sqrt_recip_ac = to_torch(np.sqrt(1.0 / ac))
        self.sqrt_recipm1_ac = to_torch(np.sqrt(1.0 / ac - 1))
        self.coef_x0 = to_torch(betas * np.sqrt(ac_prev) / (1.0 - ac))
        self.coef_xt = to_torch((1.0 - ac_prev) * np.sqrt(alphas) / (1.0 - ac))

        # the variance is 0 at t=0, clip with the second entry before the log
        var = betas * (1.0 - ac_prev) / (1.0 - ac)
        self.posterior_log_variance = to_torch(np.log(np.append(var[1], var[1:])))

    def q_sample(self, x0, t, noise):
        return extract(self.sqrt_ac, t, x0.shape) * x0 + extract(self.sqrt_one_minus_ac, t, x0.shape) * noise

    def p_losses(self, net, x0, t):
        noise = torch.randn_like(x0)
        out = net(self.q_sample(x0, t, noise), t)
        target = noise if self.objective == "pred_noise" else x0
        return F.mse_loss(out, target)

    def predict_x0(self, net, x, t):
        out = net(x, t)
        if self.objective == "pred_noise":
            out = extract(self.sqrt_recip_ac, t, x.shape) * x - extract(self.sqrt_recipm1_ac, t, x.shape) * out
        return out.clamp(-3, 3)

    @torch.no_grad()
    def sample(self, net, shape):
        net.eval()
        x = torch.randn(shape, device=self.device)
        for i in reversed(range(self.num_timesteps)):
            t = torch.full((shape[0],), i, dtype=torch.long, device=self.device)
            x0 = self.predict_x0(net, x, t)
            mean = extract(self.coef_x0, t, shape) * x0 + extract(self.coef_xt, t, shape) * x
            if i > 0:
                log_var = extract(self.posterior_log_variance, t, shape)
                mean = mean + (0.5 * log_var).exp() * torch.randn_like(x)
            x = mean
        return x
