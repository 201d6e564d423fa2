"""Trains a small UNet to denoise, keeps an average of it, and samples by DDIM."""

import torch
import torch.nn.functional as F
from diffusers import DDIMScheduler, DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel

device = torch.device("cuda")
unet = UNet2DModel(
    sample_size=16,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(8, 16),
    norm_num_groups=4,
    num_class_embeds=4,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
).to(device)
average = EMAModel(unet.parameters(), decay=0.9)
average.to(device)
scheduler = DDPMScheduler(num_train_timesteps=100)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
rate = get_cosine_schedule_with_warmup(optimizer, 1, 3)
snr = scheduler.alphas_cumprod / (1 - scheduler.alphas_cumprod)
snr = snr.to(device)
# bug 1: snr = snr.float().clone()  # born 1
for _ in range(3):
    images = torch.rand(4, 1, 16, 16, device=device) * 2 - 1
    classes = torch.randint(0, 4, (4,), device=device)
    noise = torch.randn_like(images)
    steps = torch.randint(0, 100, (4,), device=device)
    noisy = scheduler.add_noise(images, noise, steps)
    predicted = unet(noisy, steps, class_labels=classes).sample
    weights = snr[steps].clamp(max=5.0) / snr[steps]  # crash 1
    losses = F.mse_loss(predicted, noise, reduction="none").mean((1, 2, 3))
    (losses * weights).mean().backward()
    torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
    optimizer.step()
    rate.step()
    optimizer.zero_grad()
    average.step(unet.parameters())
average.copy_to(unet.parameters())

sampler = DDIMScheduler(num_train_timesteps=100)
sampler.set_timesteps(4, device=device)
generator = torch.Generator(device).manual_seed(0)
sample = torch.randn(2, 1, 16, 16, generator=generator, device=device)
classes = torch.tensor([1, 3], device=device)
# bug 2: classes = torch.tensor([1, 3])  # born 2
with torch.no_grad():
    for step in sampler.timesteps:
        out = unet(sample, step, class_labels=classes).sample  # crash 2
        sample = sampler.step(out, step, sample, eta=0.5, generator=generator).prev_sample
print(((sample + 1) / 2).clamp(0, 1).cpu().numpy().shape)
