"""Scripts and traces a tagger, saves it, and serves what was loaded."""

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tagger(nn.Module):
    def __init__(self, words: int, tags: int):
        super().__init__()
        self.embedding = nn.Embedding(words, 16)
        self.encoder = nn.Linear(16, 32)
        self.out = nn.Linear(32, tags)
        self.register_buffer("prior", torch.zeros(tags))
        # bug 2: self.prior = torch.zeros(tags)  # born 2

    def forward(self, tokens):
        hidden = torch.relu(self.encoder(self.embedding(tokens)))
        return self.out(hidden) + self.prior  # crash 2


model = Tagger(50, 5).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    tokens = torch.randint(0, 50, (4, 7), device=device)
    tags = torch.randint(0, 5, (4, 7), device=device)
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

scripted = torch.jit.script(model.eval())
scripted.save("tagger.pt")
served = torch.jit.load("tagger.pt", map_location=device)
traced = torch.jit.trace(model, torch.zeros(1, 7, dtype=torch.long, device=device))
query = torch.randint(0, 50, (2, 7)).to(device)
# bug 1: query = torch.randint(0, 50, (2, 7))  # born 1
with torch.inference_mode():
    answer = served(query).argmax(-1)  # crash 1
    assert torch.equal(answer, traced(query).argmax(-1))
print(answer.tolist())
