import torch


class Options(object):
    seed = 0
    trainer = "supervised"
    arch = "convnet"
    num_classes = 3
    labeled, unlabeled, batch = 24, 48, 8
    epochs = 1
    lr = 0.02
    lambda_u = 1.0
    threshold = 0.4
    ema = 0.9
    use_gpu = torch.cuda.is_available()

    def __init__(self, **kw):
        for k, v in kw.items():
            if not hasattr(type(self), k):
                raise AttributeError(k)
            setattr(self, k, v)
        torch.manual_seed(self.seed)
