"""Anchor-free detection head with cached cell grids."""
import torch
import torch.nn as nn


def autopad(k):
    return k // 2


class Conv(nn.Module):
    def __init__(self, c1, c2, k=1, s=1):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k), bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Detect(nn.Module):
    def __init__(self, nc, ch):
        super().__init__()
        self.nc = nc
        self.no = nc + 5
        self.m = nn.ModuleList(nn.Conv2d(c, self.no, 1) for c in ch)
        self.stride = None
        self._grids = {}

    def _grid(self, ny, nx, like):
        key = (ny, nx, like.dtype, like.device)
        if key not in self._grids:
            yv, xv = torch.meshgrid(
                torch.arange(ny, device=like.device), torch.arange(nx, device=like.device), indexing="ij")
            self._grids[key] = torch.stack((xv, yv), 2).view(1, ny, nx, 2).to(like.dtype)
        return self._grids[key]

    def forward(self, feats):
        z = []
        for i, f in enumerate(feats):
            y = self.m[i](f).permute(0, 2, 3, 1)
            b, ny, nx, _ = y.shape
            y = y.sigmoid()
            stride = 1.0 if self.stride is None else self.stride[i].item()
            xy = (y[..., :2] * 2 - 0.5 + self._grid(ny, nx, y)) * stride
            wh = (y[..., 2:4] * 2) ** 2 * stride
            z.append(torch.cat((xy, wh, y[..., 4:]), -1).view(b, -1, self.no))
        return z


class Model(nn.Module):
    def __init__(self, nc=3, img_size=64):
        super().__init__()
        self.img_size = img_size
        self.c1 = Conv(3, 8, 3, 2)
        self.c2 = Conv(8, 16, 3, 2)
        self.c3 = Conv(16, 32, 3, 2)
        self.c4 = Conv(32, 32, 3, 2)
        self.detect = Detect(nc, (32, 32))
        self._init_strides()

    def _init_strides(self):
        s = self.img_size
        was_training = self.training
        self.eval()
        with torch.no_grad():
            cells = [f.shape[-2] for f in self._features(torch.zeros(1, 3, s, s))]
            out = self(torch.zeros(1, 3, s, s))
        assert sum(o.shape[1] for o in out) == sum(c * c for c in cells)
        self.detect.stride = torch.tensor([s / c for c in cells])
        self.train(was_training)

    def _features(self, x):
        p3 = self.c3(self.c2(self.c1(x)))
        return [p3, self.c4(p3)]

    def forward(self, x):
        return self.detect(self._features(x))

    @torch.no_grad()
    def warmup(self, device, n=2):
        for _ in range(n):
            self(torch.empty(1, 3, self.img_size, self.img_size, device=device).zero_())


def xywh2xyxy(x):
    y = x.clone()
    y[..., :2] = x[..., :2] - x[..., 2:4] / 2
    y[..., 2:4] = x[..., :2] + x[..., 2:4] / 2
    return y


def postprocess(preds, conf_thres=0.2, max_det=5):
    pred = torch.cat(preds, 1)
    output = []
    for det in pred:
        conf, cls = (det[:, 5:] * det[:, 4:5]).max(1)
        keep = conf > conf_thres
        rows = torch.cat([xywh2xyxy(det[keep, :4]), conf[keep, None], cls[keep, None].float()], 1)
        rows = rows[rows[:, 4].argsort(descending=True)[:max_det]]
        output.append(rows.cpu().numpy())
    return output


def select_device(name=""):
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device(f"cuda:{name or 0}")


def run(source, device=""):
    device = select_device(device)
    model = Model().to(device).eval()
    model.warmup(device)
    for path, im in source:
        im = im.to(device).float() / 255
        with torch.inference_mode():
            dets = postprocess(model(im[None]))
        print(path, dets[0].shape, dets[0][:1].round(2).tolist())


if __name__ == "__main__":
    torch.manual_seed(0)
    run((f"frame_{i}.jpg", torch.randint(0, 256, (3, 64, 64), dtype=torch.uint8)) for i in range(2))
