import torch
import torch.nn.functional as F

from nets import create_model


class SupervisedTrainer(object):
    def __init__(self, opt):
        self.opt = opt
        self.model = create_model(opt)
        if opt.use_gpu:
            self.model = self.model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=opt.lr, momentum=0.9, nesterov=True)

    def put(self, *tensors):
        if self.opt.use_gpu:
            tensors = [t.cuda(non_blocking=True) for t in tensors]
        return tensors

    def unsupervised_loss(self, weak, strong):
        return None

    def after_step(self):
        pass

    def fit(self, labeled, unlabeled):
        for epoch in range(self.opt.epochs):
            self.model.train()
            sup, uns = 0.0, 0.0
            for (x, y), (weak, strong) in zip(labeled, unlabeled):
                x, y = self.put(x, y)
                loss = F.cross_entropy(self.model(x), y)
                sup += loss.item()
                extra = self.unsupervised_loss(weak, strong)
                if extra is not None:
                    uns += extra.item()
                    loss = loss + self.opt.lambda_u * extra
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.after_step()
            print("epoch %d sup %.3f unsup %.3f" % (epoch, sup / len(labeled), uns / len(labeled)))
