import torch

DEVICE = torch.device('cuda' if torch.cuda.is_available() else 'cpu')

IMAGE_SIZE = 16
GRID = 4
SCALES = (0.25, 0.5)
VARIANCE = (0.1, 0.2)
NUM_CLASSES = 3  # background + 2
IOU_THRESH = 0.4
EPOCHS = 2
LR = 1e-2


def _make_priors():
    centers = (torch.arange(GRID, dtype=torch.float32) + 0.5) / GRID
    cy, cx = torch.meshgrid(centers, centers, indexing='ij')
    rows = []
    for s in SCALES:
        side = torch.full_like(cx, s)
        rows.append(torch.stack([cx, cy, side, side], dim=-1).view(-1, 4))
    return torch.cat(rows)


# (P, 4) in cx, cy, w, h
PRIORS = _make_priors()
