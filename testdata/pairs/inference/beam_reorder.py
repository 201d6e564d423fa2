import random

import torch
import torch.nn as nn

use_cuda = torch.cuda.is_available()
device = torch.device("cuda:0" if use_cuda else "cpu")

SOS, EOS, PAD = 1, 2, 0
SRC_VOCAB, TGT_VOCAB = 30, 25


class Encoder(nn.Module):
    def __init__(self, vocab, hidden):
        super(Encoder, self).__init__()
        self.embedding = nn.Embedding(vocab, hidden, padding_idx=PAD)
        self.gru = nn.GRU(hidden, hidden)

    def forward(self, src):
        return self.gru(self.embedding(src))


class AttnDecoder(nn.Module):
    def __init__(self, vocab, hidden):
        super(AttnDecoder, self).__init__()
        self.vocab = vocab
        self.embedding = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(2 * hidden, hidden)
        self.out = nn.Linear(2 * hidden, vocab)

    def init_state(self, enc_out, enc_hidden):
        return {"hidden": enc_hidden, "context": torch.zeros_like(enc_hidden[0]), "memory": enc_out}

    def reorder(self, state, order):
        return {
            "hidden": state["hidden"].index_select(1, order),
            "context": state["context"].index_select(0, order),
            "memory": state["memory"],
        }

    def step(self, tokens, state):
        rnn_in = torch.cat([self.embedding(tokens), state["context"]], dim=-1)
        output, hidden = self.gru(rnn_in.unsqueeze(0), state["hidden"])
        query = output.squeeze(0)
        attn = torch.einsum("bh,sbh->bs", query, state["memory"]).softmax(-1)
        context = torch.einsum("bs,sbh->bh", attn, state["memory"])
        logp = self.out(torch.cat([query, context], -1)).log_softmax(-1)
        return logp, {"hidden": hidden, "context": context, "memory": state["memory"]}


class BeamSearch:
    def __init__(self, decoder, beam_size=4, max_len=10, length_penalty=0.6):
        self.decoder = decoder
        self.k = beam_size
        self.max_len = max_len
        self.alpha = length_penalty

    def search(self, enc_out, enc_hidden):
        # one sentence at a time: enc_out (S, 1, H)
        k, V = self.k, self.decoder.vocab
        state = self.decoder.init_state(enc_out.expand(-1, k, -1), enc_hidden.expand(-1, k, -1).contiguous())
        seqs = torch.full((k, 1), SOS, dtype=torch.long, device=enc_out.device)
        scores = torch.full((k,), -1e9, device=enc_out.device)
        scores[0] = 0.0
        finished = []

        for t in range(self.max_len):
            logp, state = self.decoder.step(seqs[:, -1], state)
            total = scores.unsqueeze(1) + logp
            scores, flat = total.view(-1).topk(k)
            beam_idx = (flat / V).floor().long()
            tok_idx = flat % V
            seqs = torch.cat([seqs[beam_idx], tok_idx.unsqueeze(1)], dim=1)
            state = self.decoder.reorder(state, beam_idx)

            done = tok_idx == EOS
            for i in done.nonzero().flatten().tolist():
                norm = ((5 + t + 1) / 6) ** self.alpha
                finished.append((scores[i].item() / norm, seqs[i].tolist()))
                scores[i] = -1e9
            if len(finished) >= k:
                break
        if not finished:
            best = scores.argmax().item()
            finished.append((scores[best].item(), seqs[best].tolist()))
        return max(finished, key=lambda f: f[0])


def strip(ids):
    return [i for i in ids if i not in (SOS, EOS, PAD)]


def bleu1(hyp, ref):
    if not hyp:
        return 0.0
    ref = list(ref)
    hit = 0
    for w in hyp:
        if w in ref:
            ref.remove(w)
            hit += 1
    return hit / len(hyp)


def evaluate(encoder, decoder, pairs):
    encoder.eval()
    decoder.eval()
    beam = BeamSearch(decoder)
    total = 0.0
    with torch.no_grad():
        for src, ref in pairs:
            src_t = torch.tensor(src, dtype=torch.long, device=device).view(-1, 1)
            enc_out, enc_hidden = encoder(src_t)
            score, ids = beam.search(enc_out, enc_hidden)
            total += bleu1(strip(ids), ref)
            print("%6.2f  %s" % (score, strip(ids)))
    return total / len(pairs)


if __name__ == "__main__":
    random.seed(0)
    torch.manual_seed(0)
    enc = Encoder(SRC_VOCAB, 24).to(device)
    dec = AttnDecoder(TGT_VOCAB, 24).to(device)
    data = [([random.randrange(3, SRC_VOCAB) for _ in range(n)] + [EOS],
             [random.randrange(3, TGT_VOCAB) for _ in range(n)]) for n in (4, 6, 3)]
    print("bleu-1: %.3f" % evaluate(enc, dec, data))
