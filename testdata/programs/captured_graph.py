"""Captures a training step in a CUDA graph, and prefetches batches on a stream of their own."""

import torch
from torch import nn

device = torch.device("cuda")


class Prefetcher:
    def __init__(self, batches):
        self.batches = iter(batches)
        self.stream = torch.cuda.Stream()

    def __iter__(self):
        for features, labels in self.batches:
            with torch.cuda.stream(self.stream):
                features = features.pin_memory().to(device, non_blocking=True)
                labels = labels.pin_memory().to(device, non_blocking=True)
                # bug 1: labels = labels.pin_memory()  # born 1
            torch.cuda.current_stream().wait_stream(self.stream)
            features.record_stream(torch.cuda.current_stream())
            yield features, labels


model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
batches = [(torch.randn(16, 8), torch.randint(0, 4, (16,))) for _ in range(3)]

start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
start.record()
for features, labels in Prefetcher(batches):
    loss = nn.functional.cross_entropy(model(features), labels)  # crash 1
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
end.record()
torch.cuda.synchronize()

static = torch.zeros(16, 8, device=device)
# bug 2: static = torch.zeros(16, 8)  # born 2
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    scores = model(static)  # crash 2
for features, _ in batches:
    static.copy_(features)
    graph.replay()
print(f"{start.elapsed_time(end):.1f} ms, {scores.shape}")
