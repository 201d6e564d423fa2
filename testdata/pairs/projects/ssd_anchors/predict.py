import torch

from box_utils import decode, nms
from config import DEVICE, PRIORS


@torch.no_grad()
def detect(net, image, score_thresh=0.05):
    net.eval()
    loc, conf = net(image.unsqueeze(0).to(DEVICE))
    probs = conf[0].softmax(-1)
    boxes = decode(loc[0], PRIORS.to(loc.device))
    out = []
    for cls in range(1, net.num_classes):
        m = probs[:, cls] > score_thresh
        if not m.any():
            continue
        b, s = boxes[m], probs[m, cls]
        for i in nms(b, s):
            out.append((s[i].item(), cls, [round(v, 2) for v in b[i].tolist()]))
    return sorted(out, reverse=True)
