import torch

from config import DEVICE, EPOCHS, LR, NUM_CLASSES, PRIORS
from dataset import RectDataset, make_loader
from detector import MultiBoxLoss, TinySSD
from predict import detect

torch.manual_seed(2)


def train():
    loader = make_loader(RectDataset(24), batch_size=4)
    net = TinySSD(NUM_CLASSES).to(DEVICE)
    criterion = MultiBoxLoss(neg_pos_ratio=3)
    optimizer = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9)
    print('%d priors on %s' % (PRIORS.size(0), DEVICE))
    for epoch in range(EPOCHS):
        net.train()
        total = 0.0
        for images, loc_t, conf_t in loader:
            images, loc_t, conf_t = images.to(DEVICE), loc_t.to(DEVICE), conf_t.to(DEVICE)
            loc, conf = net(images)
            loss_l, loss_c = criterion(loc, conf, loc_t, conf_t)
            optimizer.zero_grad()
            (loss_l + loss_c).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            total += loss_l.item() + loss_c.item()
        print('epoch %d loss %.3f' % (epoch, total / len(loader)))
    return net


if __name__ == '__main__':
    net = train()
    image, boxes, labels = RectDataset(1).raw(0)
    for score, cls, box in detect(net, image)[:3]:
        print('%.2f class %d %s' % (score, cls, box))
