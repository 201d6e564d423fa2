# small anchor-based detector, after the usual yolo layout
import torch
import torch.nn as nn


def select_device(device=''):
    cpu = device == 'cpu'
    return torch.device('cuda:0' if not cpu and torch.cuda.is_available() else 'cpu')


def autopad(k, p=None):
    return k // 2 if p is None else p


class Conv(nn.Module):
    def __init__(self, c1, c2, k=1, s=1):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k), bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Detect(nn.Module):
    stride = None  # strides computed during build

    def __init__(self, nc=3, anchors=(), ch=()):
        super().__init__()
        self.nc = nc
        self.no = nc + 5
        self.nl = len(anchors)
        self.na = len(anchors[0]) // 2
        self.grid = [torch.zeros(1)] * self.nl
        a = torch.tensor(anchors).float().view(self.nl, -1, 2)
        self.register_buffer('anchors', a)
        self.anchor_grid = [t.clone().view(1, -1, 1, 1, 2) for t in a]
        self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)

    def forward(self, x):
        z = []
        for i in range(self.nl):
            x[i] = self.m[i](x[i])
            bs, _, ny, nx = x[i].shape
            x[i] = x[i].view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
            if not self.training:
                if self.grid[i].shape[2:4] != x[i].shape[2:4]:
                    self.grid[i] = self._make_grid(nx, ny, self.anchors[i].device)
                y = x[i].sigmoid()
                xy = (y[..., 0:2] * 2 - 0.5 + self.grid[i]) * self.stride[i]
                wh = (y[..., 2:4] * 2) ** 2 * self.anchor_grid[i]
                y = torch.cat((xy, wh, y[..., 4:]), -1)
                z.append(y.view(bs, -1, self.no))
        return x if self.training else (torch.cat(z, 1), x)

    @staticmethod
    def _make_grid(nx, ny, device):
        yv, xv = torch.meshgrid(
            torch.arange(ny, device=device), torch.arange(nx, device=device), indexing='ij'
        )
        return torch.stack((xv, yv), 2).view((1, 1, ny, nx, 2)).float()


class Model(nn.Module):
    def __init__(self, nc=3, anchors=((10, 13, 16, 30), (30, 61, 62, 45))):
        super().__init__()
        self.stem = nn.Sequential(Conv(3, 8, 3, 2), Conv(8, 8, 3, 2), Conv(8, 16, 3, 2))
        self.down = Conv(16, 32, 3, 2)
        self.head = Detect(nc, anchors, (16, 32))
        s = 64
        self.head.stride = torch.tensor([s / t.shape[-2] for t in self._features(torch.zeros(1, 3, s, s))])
        self.eval()

    def _features(self, x):
        p3 = self.stem(x)
        return [p3, self.down(p3)]

    def forward(self, x):
        return self.head(self._features(x))

    def _apply(self, fn):
        # to(), cpu(), cuda(), half() for tensors that are not parameters or registered buffers
        super()._apply(fn)
        m = self.head
        m.stride = fn(m.stride)
        m.grid = list(map(fn, m.grid))
        m.anchor_grid = list(map(fn, m.anchor_grid))
        return self


def non_max_suppression(pred, conf_thres=0.25, max_det=5):
    out = []
    for p in pred:
        scores, cls = (p[:, 4:5] * p[:, 5:]).max(1)
        keep = scores.topk(min(max_det, scores.numel())).indices
        keep = keep[scores[keep] > conf_thres * 0.1]
        out.append(torch.cat([p[keep, :4], scores[keep, None], cls[keep, None].float()], 1))
    return out


@torch.no_grad()
def run(weights=None, imgsz=64, device=''):
    device = select_device(device)
    model = Model()
    if weights:
        model.load_state_dict(torch.load(weights, map_location='cpu'))
    model.to(device).eval()
    names = ['person', 'car', 'dog']

    for i in range(2):
        im0 = torch.randint(0, 256, (imgsz, imgsz, 3), dtype=torch.uint8)
        im = im0.permute(2, 0, 1)[None].to(device).float() / 255
        pred, _ = model(im)
        for det in non_max_suppression(pred):
            gn = torch.tensor(im0.shape)[[1, 0, 1, 0]]
            for *xywh, conf, cls in det.tolist():
                rel = (torch.tensor(xywh) / gn).tolist()
                print(i, names[int(cls)], f'{conf:.2f}', [round(v, 3) for v in rel])


if __name__ == '__main__':
    torch.manual_seed(0)
    run()
