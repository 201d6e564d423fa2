import torch

import data
from model import BiLSTMTagger
from train import fit
from utils import set_seed


class Args:
    seed = 13
    emb_dim = 16
    hidden = 24
    batch_size = 8
    lr = 3e-3
    epochs = 2
    gpu = 0


def main(args):
    set_seed(args.seed)
    if torch.cuda.is_available():
        device = torch.device('cuda', args.gpu)
    else:
        device = torch.device('cpu')

    sents = data.synth_corpus(60)
    words = data.Vocab(w for s in sents for w, _ in s)
    tags = data.Vocab((t for s in sents for _, t in s), unk=False)
    split = int(0.8 * len(sents))
    train_it = data.get_loader(sents[:split], words, tags, args.batch_size, shuffle=True)
    dev_it = data.get_loader(sents[split:], words, tags, args.batch_size, shuffle=False)

    model = BiLSTMTagger(len(words), len(tags), args.emb_dim, args.hidden).to(device)
    best = fit(model, train_it, dev_it, args, device)
    print('best dev acc %.3f' % best)


if __name__ == '__main__':
    main(Args())
