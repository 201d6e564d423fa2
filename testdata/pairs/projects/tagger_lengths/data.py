import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Vocab(object):
    PAD, UNK = '<pad>', '<unk>'

    def __init__(self, items, unk=True):
        self.itos = [self.PAD] + ([self.UNK] if unk else [])
        self.stoi = {s: i for i, s in enumerate(self.itos)}
        for it in items:
            if it not in self.stoi:
                self.stoi[it] = len(self.itos)
                self.itos.append(it)

    def __len__(self):
        return len(self.itos)

    def encode(self, seq):
        return [self.stoi.get(s, 1) for s in seq]


LEXICON = {'DET': ['the', 'a'], 'NOUN': ['dog', 'cat', 'tree'], 'VERB': ['sees', 'bites'], 'ADJ': ['big', 'red']}


def synth_corpus(n):
    corpus = []
    for _ in range(n):
        tags = ['DET'] + ['ADJ'] * random.randint(0, 3) + ['NOUN', 'VERB', 'DET', 'NOUN']
        corpus.append([(random.choice(LEXICON[t]), t) for t in tags])
    return corpus


class TagDataset(Dataset):
    def __init__(self, sents, words, tags):
        self.x = [torch.tensor(words.encode([w for w, _ in s])) for s in sents]
        self.y = [torch.tensor(tags.encode([t for _, t in s])) for s in sents]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, idx):
        return self.x[idx], self.y[idx]


def collate(samples):
    samples.sort(key=lambda s: len(s[0]), reverse=True)
    xs, ys = zip(*samples)
    lengths = torch.tensor([len(x) for x in xs])
    return {
        'tokens': pad_sequence(xs, batch_first=True),
        'tags': pad_sequence(ys, batch_first=True),
        'lengths': lengths,
        'mask': torch.arange(int(lengths.max()))[None, :] < lengths[:, None],
    }


def get_loader(sents, words, tags, batch_size, shuffle):
    return DataLoader(TagDataset(sents, words, tags), batch_size=batch_size,
                      shuffle=shuffle, collate_fn=collate)
