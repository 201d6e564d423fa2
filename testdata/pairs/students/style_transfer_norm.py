# Neural style transfer on random "images", with a small frozen feature network of our own
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
imsize = 24 if torch.cuda.is_available() else 16
torch.manual_seed(3)


def image_loader(seed):
    g = torch.Generator().manual_seed(seed)
    image = torch.rand(1, 3, imsize, imsize, generator=g)
    return image.to(device, torch.float)


def imshow(tensor, title=None):
    image = tensor.detach().cpu().clone().squeeze(0)
    image = image.permute(1, 2, 0).numpy()
    print(title, image.shape, "%.3f %.3f" % (image.min(), image.max()))


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class ContentLoss(nn.Module):

    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


class StyleLoss(nn.Module):

    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        G = gram_matrix(input)
        self.loss = F.mse_loss(G, self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225)):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, img):
        return (img - self.mean) / self.std


def make_cnn():
    layers, c_in = [], 3
    for c_out in (8, 8, 16):
        layers += [nn.Conv2d(c_in, c_out, 3, padding=1), nn.ReLU(inplace=True)]
        c_in = c_out
    layers.insert(4, nn.MaxPool2d(2))
    return nn.Sequential(*layers).eval().requires_grad_(False)


def get_style_model_and_losses(cnn, style_img, content_img, content_layers=('conv_3',),
                               style_layers=('conv_1', 'conv_2', 'conv_3')):
    cnn = copy.deepcopy(cnn)
    content_losses, style_losses = [], []
    model = nn.Sequential(Normalization().to(device))
    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = 'conv_{}'.format(i)
        elif isinstance(layer, nn.ReLU):
            name = 'relu_{}'.format(i)
            layer = nn.ReLU(inplace=False)
        else:
            name = 'pool_{}'.format(i)
        model.add_module(name, layer)
        if name in content_layers:
            content_loss = ContentLoss(model(content_img))
            model.add_module("content_loss_{}".format(i), content_loss)
            content_losses.append(content_loss)
        if name in style_layers:
            style_loss = StyleLoss(model(style_img))
            model.add_module("style_loss_{}".format(i), style_loss)
            style_losses.append(style_loss)
    while not isinstance(model[-1], (ContentLoss, StyleLoss)):
        model = model[:-1]
    return model, style_losses, content_losses


def run_style_transfer(cnn, content_img, style_img, input_img, num_steps=20, style_weight=1e5, content_weight=1):
    model, style_losses, content_losses = get_style_model_and_losses(cnn, style_img, content_img)
    input_img.requires_grad_(True)
    optimizer = optim.LBFGS([input_img], max_iter=5)
    run = [0]
    while run[0] <= num_steps:

        def closure():
            with torch.no_grad():
                input_img.clamp_(0, 1)
            optimizer.zero_grad()
            model(input_img)
            style_score = sum(sl.loss for sl in style_losses) * style_weight
            content_score = sum(cl.loss for cl in content_losses) * content_weight
            loss = style_score + content_score
            loss.backward()
            run[0] += 1
            if run[0] % 10 == 0:
                print("run {}: style {:.4f} content {:.4f}".format(run[0], style_score.item(), content_score.item()))
            return loss

        optimizer.step(closure)
    with torch.no_grad():
        input_img.clamp_(0, 1)
    return input_img


style_img, content_img = image_loader(1), image_loader(2)
assert style_img.size() == content_img.size()
imshow(style_img, 'style')
cnn = make_cnn().to(device)
output = run_style_transfer(cnn, content_img, style_img, content_img.clone())
imshow(output, 'output')
