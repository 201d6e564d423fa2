import torch


def save_checkpoint(path, epoch, **objects):
    state = {name: obj.state_dict() for name, obj in objects.items()}
    state['epoch'] = epoch
    torch.save(state, path)


def load_checkpoint(path, **objects):
    ckpt = torch.load(path, map_location='cpu')
    for name, obj in objects.items():
        obj.load_state_dict(ckpt[name])
    print('=> resumed from epoch %d' % ckpt['epoch'])
    return ckpt['epoch']
