"""NLP from scratch: date format translation with a GRU seq2seq network and attention (batch of one)."""
import random
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

SOS_token, EOS_token = 0, 1
MAX_LENGTH = 10
VOCAB = 20
hidden_size = 24


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)

    def forward(self, input, hidden):
        embedded = self.embedding(input).view(1, 1, -1)
        output, hidden = self.gru(embedded, hidden)
        return output, hidden

    def initHidden(self):
        return torch.zeros(1, 1, self.hidden_size, device=device)


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1, max_length=MAX_LENGTH):
        super(AttnDecoderRNN, self).__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attn = nn.Linear(hidden_size * 2, max_length)
        self.attn_combine = nn.Linear(hidden_size * 2, hidden_size)
        self.dropout = nn.Dropout(dropout_p)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input).view(1, 1, -1))
        attn_weights = F.softmax(self.attn(torch.cat((embedded[0], hidden[0]), 1)), dim=1)
        attn_applied = torch.bmm(attn_weights.unsqueeze(0), encoder_outputs.unsqueeze(0))
        output = torch.cat((embedded[0], attn_applied[0]), 1)
        output = F.relu(self.attn_combine(output).unsqueeze(0))
        output, hidden = self.gru(output, hidden)
        return F.log_softmax(self.out(output[0]), dim=1), hidden, attn_weights


def random_pair():
    n = random.randint(3, MAX_LENGTH - 2)
    src = [random.randint(2, VOCAB - 1) for _ in range(n)]
    return src + [EOS_token], src[::-1] + [EOS_token]


def to_tensor(ids):
    return torch.tensor(ids, dtype=torch.long, device=device).view(-1, 1)


def encode(encoder, input_tensor, max_length=MAX_LENGTH):
    hidden = encoder.initHidden()
    encoder_outputs = torch.zeros(max_length, encoder.hidden_size, device=input_tensor.device)
    for ei in range(input_tensor.size(0)):
        output, hidden = encoder(input_tensor[ei], hidden)
        encoder_outputs[ei] = output[0, 0]
    return encoder_outputs, hidden


def train(input_tensor, target_tensor, encoder, decoder, opts, criterion, teacher_forcing_ratio=0.5):
    for opt in opts:
        opt.zero_grad()
    loss = 0
    encoder_outputs, decoder_hidden = encode(encoder, input_tensor)
    decoder_input = torch.tensor([[SOS_token]], device=device)
    use_teacher_forcing = random.random() < teacher_forcing_ratio

    for di in range(target_tensor.size(0)):
        log_probs, decoder_hidden, _ = decoder(decoder_input, decoder_hidden, encoder_outputs)
        loss += criterion(log_probs, target_tensor[di])
        if use_teacher_forcing:
            decoder_input = target_tensor[di]
        else:
            topv, topi = log_probs.topk(1)
            decoder_input = topi.squeeze().detach()
            if decoder_input.item() == EOS_token:
                break
    loss.backward()
    for opt in opts:
        opt.step()
    return loss.item() / target_tensor.size(0)


def evaluate(encoder, decoder, ids, max_length=MAX_LENGTH):
    with torch.no_grad():
        encoder_outputs, hidden = encode(encoder, to_tensor(ids))
        decoder_input = torch.tensor([[SOS_token]], device=device)
        decoded, attentions = [], torch.zeros(max_length, max_length)
        for di in range(max_length):
            log_probs, hidden, attn = decoder(decoder_input, hidden, encoder_outputs)
            attentions[di] = attn.data
            topv, topi = log_probs.data.topk(1)
            if topi.item() == EOS_token:
                break
            decoded.append(topi.item())
            decoder_input = topi.squeeze().detach()
        return decoded, attentions[: di + 1]


if __name__ == "__main__":
    encoder1 = EncoderRNN(VOCAB, hidden_size).to(device)
    attn_decoder1 = AttnDecoderRNN(hidden_size, VOCAB).to(device)
    optimizers = [optim.SGD(m.parameters(), lr=0.01) for m in (encoder1, attn_decoder1)]
    start, losses = time.time(), []
    for it in range(1, 13):
        src, trg = random_pair()
        losses.append(train(to_tensor(src), to_tensor(trg), encoder1, attn_decoder1, optimizers, nn.NLLLoss()))
        if it % 4 == 0:
            print("%.1fs (%d) %.4f" % (time.time() - start, it, sum(losses[-4:]) / 4))
    src, trg = random_pair()
    words, attentions = evaluate(encoder1, attn_decoder1, src)
    print(src, "->", words, attentions.numpy().shape)
