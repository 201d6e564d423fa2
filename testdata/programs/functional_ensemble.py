"""An ensemble by `stack_module_state` and `vmap`, and gradients of each sample."""

import torch
from torch import nn
from torch.func import functional_call, grad, jacrev, stack_module_state, vmap

device = "cuda"


def network():
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


models = [network().to(device) for _ in range(4)]
parameters, buffers = stack_module_state(models)
base = network().to("meta")


def predict(parameters, buffers, features):
    return functional_call(base, (parameters, buffers), (features,))  # crash 1


rows = torch.randn(10, 6)  # born 1
features = rows.to(device)
# bug 1: features = rows
votes = vmap(predict, in_dims=(0, 0, None))(parameters, buffers, features)
spread = votes.softmax(-1).var(0)

labels = torch.randint(0, 3, (10,), device=device)
# bug 2: labels = torch.randint(0, 3, (10,))  # born 2
single = {name: value.detach() for name, value in models[0].named_parameters()}


def sample_loss(parameters, sample, label):
    logits = functional_call(models[0], parameters, (sample[None],))
    return nn.functional.cross_entropy(logits, label[None])  # crash 2


gradients = vmap(grad(sample_loss), in_dims=(None, 0, 0))(single, features, labels)
norms = sum(each.flatten(1).square().sum(1) for each in gradients.values()).sqrt()
sensitivity = vmap(jacrev(lambda x: functional_call(models[0], single, (x,))))(features)
print(spread.mean().item(), norms.max().item(), sensitivity.shape)
