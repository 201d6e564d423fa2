import torch


class FlowTrainer:
    def __init__(self, flow, target, config):
        self.flow, self.target, self.config = flow, target, config
        self.opt = torch.optim.Adam(flow.parameters(), **config["optim"])
        self.device = next(flow.parameters()).device

    def train(self):
        self.flow.train()
        for step in range(self.config["steps"]):
            x = self.target.sample(self.config["batch_size"]).to(self.device)
            nll = -self.flow.log_prob(x).mean()
            self.opt.zero_grad()
            nll.backward()
            self.opt.step()
            if step % 10 == 0:
                print("step %d nll %.3f" % (step, nll.item()))
        self.flow.eval()
