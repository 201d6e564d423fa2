import torch
import torch.nn.functional as F
from torch import nn


def linear_beta_schedule(timesteps, start=1e-4, end=0.02):
    return torch.linspace(start, end, timesteps, dtype=torch.float64)


def cosine_beta_schedule(timesteps, s=0.008):
    x = torch.linspace(0, timesteps, timesteps + 1, dtype=torch.float64)
    alphas_cumprod = torch.cos(((x / timesteps) + s) / (1 + s) * torch.pi * 0.5) ** 2
    alphas_cumprod = alphas_cumprod / alphas_cumprod[0]
    return torch.clip(1 - alphas_cumprod[1:] / alphas_cumprod[:-1], 0, 0.999)


def extract(a, t, x_shape):
    b = t.shape[0]
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


class ConditionalMLP(nn.Module):
    def __init__(self, dim, hidden, timesteps):
        super().__init__()
        self.time = nn.Embedding(timesteps, hidden)
        self.inp = nn.Linear(dim, hidden)
        self.out = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, dim))

    def forward(self, x, t):
        return self.out(self.inp(x) + self.time(t))


class GaussianDiffusion(nn.Module):
    def __init__(self, model, *, dim, timesteps=20, beta_schedule='cosine', objective='pred_noise'):
        super().__init__()
        self.model = model
        self.dim = dim
        self.objective = objective

        schedule_fn = {'linear': linear_beta_schedule, 'cosine': cosine_beta_schedule}[beta_schedule]
        betas = schedule_fn(timesteps)
        alphas = 1. - betas
        alphas_cumprod = torch.cumprod(alphas, dim=0)
        alphas_cumprod_prev = F.pad(alphas_cumprod[:-1], (1, 0), value=1.)
        self.num_timesteps = betas.shape[0]

        register_buffer = lambda name, val: self.register_buffer(name, val.to(torch.float32))
        register_buffer('betas', betas)
        register_buffer('alphas_cumprod', alphas_cumprod)
        register_buffer('sqrt_alphas_cumprod', torch.sqrt(alphas_cumprod))
        register_buffer('sqrt_one_minus_alphas_cumprod', torch.sqrt(1. - alphas_cumprod))
        register_buffer('sqrt_recip_alphas_cumprod', torch.sqrt(1. / alphas_cumprod))
        register_buffer('sqrt_recipm1_alphas_cumprod', torch.sqrt(1. / alphas_cumprod - 1))

        posterior_variance = betas * (1. - alphas_cumprod_prev) / (1. - alphas_cumprod)
        register_buffer('posterior_log_variance_clipped', torch.log(posterior_variance.clamp(min=1e-20)))
        register_buffer('posterior_mean_coef1', betas * torch.sqrt(alphas_cumprod_prev) / (1. - alphas_cumprod))
        register_buffer('posterior_mean_coef2',
                        (1. - alphas_cumprod_prev) * torch.sqrt(alphas) / (1. - alphas_cumprod))

        snr = alphas_cumprod / (1 - alphas_cumprod)
        register_buffer('loss_weight', snr.clamp(max=5) / snr)

    @property
    def device(self):
        return self.betas.device

    def predict_start_from_noise(self, x_t, t, noise):
        return (extract(self.sqrt_recip_alphas_cumprod, t, x_t.shape) * x_t -
                extract(self.sqrt_recipm1_alphas_cumprod, t, x_t.shape) * noise)

    def q_posterior(self, x_start, x_t, t):
        mean = (extract(self.posterior_mean_coef1, t, x_t.shape) * x_start +
                extract(self.posterior_mean_coef2, t, x_t.shape) * x_t)
        log_variance = extract(self.posterior_log_variance_clipped, t, x_t.shape)
        return mean, log_variance

    @torch.no_grad()
    def p_sample(self, x, t: int):
        batched_times = torch.full((x.shape[0],), t, device=self.device, dtype=torch.long)
        x_start = self.predict_start_from_noise(x, batched_times, self.model(x, batched_times)).clamp(-3., 3.)
        mean, log_variance = self.q_posterior(x_start, x, batched_times)
        noise = torch.randn_like(x) if t > 0 else 0.
        return mean + (0.5 * log_variance).exp() * noise

    @torch.no_grad()
    def sample(self, batch_size=8):
        x = torch.randn(batch_size, self.dim, device=self.device)
        for t in reversed(range(0, self.num_timesteps)):
            x = self.p_sample(x, t)
        return x

    def q_sample(self, x_start, t, noise):
        return (extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start +
                extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise)

    def forward(self, x_start):
        t = torch.randint(0, self.num_timesteps, (x_start.shape[0],), device=self.device).long()
        noise = torch.randn_like(x_start)
        out = self.model(self.q_sample(x_start, t, noise), t)
        loss = F.mse_loss(out, noise, reduction='none').mean(dim=-1)
        return (loss * extract(self.loss_weight, t, loss.shape)).mean()


def two_moons(n):
    theta = torch.rand(n) * torch.pi
    side = torch.randint(0, 2, (n,)) * 2 - 1
    return torch.stack((torch.cos(theta) + 0.5 * side, side * torch.sin(theta)), dim=1)


if __name__ == '__main__':
    torch.manual_seed(0)
    diffusion = GaussianDiffusion(ConditionalMLP(2, 32, 20), dim=2)
    if torch.cuda.is_available():
        diffusion.cuda()
    opt = torch.optim.AdamW(diffusion.parameters(), lr=2e-3)
    for step in range(12):
        loss = diffusion(two_moons(32).to(diffusion.device))
        loss.backward()
        opt.step()
        opt.zero_grad()
        if (step + 1) % 6 == 0:
            samples = diffusion.sample()
            print(f'{step + 1}: loss {loss.item():.3f}, sample std {samples.std().item():.3f}')
