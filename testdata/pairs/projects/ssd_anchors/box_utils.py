import torch

from config import VARIANCE


def point_form(b):
    return torch.cat([b[:, :2] - b[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2], 1)


def center_form(b):
    return torch.cat([(b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2]], 1)


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    area_a = (a[:, 2:] - a[:, :2]).prod(1)
    area_b = (b[:, 2:] - b[:, :2]).prod(1)
    return inter / (area_a[:, None] + area_b[None] - inter)


def match(boxes, labels, priors, threshold):
    overlaps = iou(boxes, point_form(priors))
    best_truth_overlap, best_truth = overlaps.max(0)
    best_prior = overlaps.argmax(1)
    best_truth_overlap[best_prior] = 2
    best_truth[best_prior] = torch.arange(len(boxes))
    conf = labels[best_truth]
    conf[best_truth_overlap < threshold] = 0
    return encode(center_form(boxes)[best_truth], priors), conf


def encode(matched, priors):
    g_c = (matched[:, :2] - priors[:, :2]) / (VARIANCE[0] * priors[:, 2:])
    g_s = torch.log(matched[:, 2:] / priors[:, 2:]) / VARIANCE[1]
    return torch.cat([g_c, g_s], 1)


def decode(loc, priors):
    centers = priors[:, :2] + loc[:, :2] * VARIANCE[0] * priors[:, 2:]
    sizes = priors[:, 2:] * torch.exp(loc[:, 2:] * VARIANCE[1])
    return point_form(torch.cat([centers, sizes], 1))


def nms(boxes, scores, thresh=0.45):
    order, keep = scores.argsort(descending=True), []
    while order.numel() > 0:
        i = order[0]
        keep.append(i)
        rest = order[1:]
        order = rest[iou(boxes[i][None], boxes[rest])[0] < thresh]
    return torch.stack(keep)
