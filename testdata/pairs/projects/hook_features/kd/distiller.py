import torch
import torch.nn as nn
import torch.nn.functional as F

from kd.hooks import FeatureExtractor
from kd.losses import HintLoss, kd_loss


class Distiller(nn.Module):
    def __init__(self, student, teacher, cfg):
        super().__init__()
        self.cfg = cfg.DISTILL
        self.student = student
        self.teacher = teacher.eval().requires_grad_(False)
        layers = self.cfg.LAYERS
        self.student_taps = FeatureExtractor(student, layers)
        self.teacher_taps = FeatureExtractor(teacher, layers, detach=True)
        self.hint = HintLoss(dict(zip(layers, student.widths)), dict(zip(layers, teacher.widths)))

    def learnable_parameters(self):
        return list(self.student.parameters()) + list(self.hint.parameters())

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, image, target):
        with torch.no_grad():
            t_logits = self.teacher(image)
        s_logits = self.student(image)
        return {
            "ce": F.cross_entropy(s_logits, target),
            "kd": self.cfg.KD_WEIGHT * kd_loss(s_logits, t_logits, self.cfg.TEMPERATURE),
            "hint": self.cfg.FEATURE_WEIGHT * self.hint(self.student_taps.pop(), self.teacher_taps.pop()),
        }
