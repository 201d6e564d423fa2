# Skip-gram word2vec with negative sampling
import random
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)

corpus = """the king rules the land and the queen rules the court the man works the land
the woman works the court the king loves the queen and the man loves the woman
a dog chases a cat and a cat chases a mouse while the king and the queen sleep""".split() * 4

# ---- vocabulary and subsampling ----
word_counts = Counter(corpus)
vocab = sorted(word_counts, key=word_counts.get, reverse=True)
int_to_vocab = {i: w for i, w in enumerate(vocab)}
vocab_to_int = {w: i for i, w in int_to_vocab.items()}
int_words = [vocab_to_int[w] for w in corpus]

threshold = 0.05
total_count = len(int_words)
freqs = {w: c / total_count for w, c in Counter(int_words).items()}
p_drop = {w: max(0.0, 1 - np.sqrt(threshold / freqs[w])) for w in freqs}
train_words = [w for w in int_words if random.random() < (1 - p_drop[w])]


def get_target(words, idx, window_size=3):
    R = np.random.randint(1, window_size + 1)
    start = idx - R if (idx - R) > 0 else 0
    return list(words[start:idx] + words[idx + 1:idx + R + 1])


def get_batches(words, batch_size, window_size=3):
    n_batches = len(words) // batch_size
    words = words[:n_batches * batch_size]
    for idx in range(0, len(words), batch_size):
        x, y = [], []
        batch = words[idx:idx + batch_size]
        for ii in range(len(batch)):
            batch_y = get_target(batch, ii, window_size)
            y.extend(batch_y)
            x.extend([batch[ii]] * len(batch_y))
        yield x, y


class SkipGramNeg(nn.Module):
    def __init__(self, n_vocab, n_embed, noise_dist=None):
        super().__init__()
        self.n_vocab = n_vocab
        self.n_embed = n_embed
        self.noise_dist = noise_dist
        self.in_embed = nn.Embedding(n_vocab, n_embed)
        self.out_embed = nn.Embedding(n_vocab, n_embed)
        self.in_embed.weight.data.uniform_(-1, 1)
        self.out_embed.weight.data.uniform_(-1, 1)

    def forward_input(self, input_words):
        return self.in_embed(input_words)

    def forward_output(self, output_words):
        return self.out_embed(output_words)

    def forward_noise(self, batch_size, n_samples):
        """ Noise vectors with shape (batch_size, n_samples, n_embed) """
        if self.noise_dist is None:
            noise_dist = torch.ones(self.n_vocab, device=self.out_embed.weight.device)
        else:
            noise_dist = self.noise_dist.to(self.out_embed.weight.device)
        noise_words = torch.multinomial(noise_dist, batch_size * n_samples, replacement=True)
        return self.out_embed(noise_words).view(batch_size, n_samples, self.n_embed)


class NegativeSamplingLoss(nn.Module):
    def forward(self, input_vectors, output_vectors, noise_vectors):
        batch_size, embed_size = input_vectors.shape
        input_vectors = input_vectors.view(batch_size, embed_size, 1)
        output_vectors = output_vectors.view(batch_size, 1, embed_size)
        out_loss = F.logsigmoid(torch.bmm(output_vectors, input_vectors)).squeeze()
        noise_loss = F.logsigmoid(torch.bmm(noise_vectors.neg(), input_vectors)).squeeze().sum(1)
        return -(out_loss + noise_loss).mean()


def cosine_similarity(embedding, valid_size=4, valid_window=8, device='cpu'):
    embed_vectors = embedding.weight
    magnitudes = embed_vectors.pow(2).sum(dim=1).sqrt().unsqueeze(0)
    valid_examples = np.array(random.sample(range(valid_window), valid_size))
    valid_examples = torch.LongTensor(valid_examples).to(device)
    valid_vectors = embedding(valid_examples)
    similarities = torch.mm(valid_vectors, embed_vectors.t()) / magnitudes
    return valid_examples, similarities


device = 'cuda' if torch.cuda.is_available() else 'cpu'

# noise distribution U(w)^(3/4)
word_freqs = np.array([freqs[i] for i in range(len(vocab))])
unigram_dist = word_freqs / word_freqs.sum()
noise_dist = torch.from_numpy(unigram_dist ** 0.75 / np.sum(unigram_dist ** 0.75)).float()

embedding_dim = 10
model = SkipGramNeg(len(vocab_to_int), embedding_dim, noise_dist=noise_dist).to(device)
criterion = NegativeSamplingLoss()
optimizer = optim.Adam(model.parameters(), lr=0.003)

steps, print_every = 0, 5
for e in range(2):
    for input_words, target_words in get_batches(train_words, 32):
        steps += 1
        inputs, targets = torch.LongTensor(input_words).to(device), torch.LongTensor(target_words).to(device)
        input_vectors = model.forward_input(inputs)
        output_vectors = model.forward_output(targets)
        noise_vectors = model.forward_noise(inputs.shape[0], 5)
        loss = criterion(input_vectors, output_vectors, noise_vectors)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        if steps % print_every == 0:
            print("Epoch: {}/{}  Loss: {:.4f}".format(e + 1, 2, loss.item()))
            valid_examples, valid_similarities = cosine_similarity(model.in_embed, device=device)
            _, closest_idxs = valid_similarities.topk(4)
            valid_examples, closest_idxs = valid_examples.to('cpu'), closest_idxs.to('cpu')
            for ii, valid_idx in enumerate(valid_examples):
                closest_words = [int_to_vocab[idx.item()] for idx in closest_idxs[ii]][1:]
                print(int_to_vocab[valid_idx.item()] + " | " + ', '.join(closest_words))

embeddings = model.in_embed.weight.to('cpu').data.numpy()
print(embeddings.shape)
