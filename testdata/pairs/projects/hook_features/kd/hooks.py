class FeatureExtractor:
    """Collects the outputs of the named sub-modules of a model during its forward pass."""

    def __init__(self, model, layers, detach=False):
        self.detach = detach
        self.features = {}
        modules = dict(model.named_modules())
        self.handles = [modules[name].register_forward_hook(self._hook(name)) for name in layers]

    def _hook(self, name):
        def fn(module, inputs, output):
            if self.detach:
                output = output.detach()
            self.features[name] = output
        return fn

    def pop(self):
        feats, self.features = self.features, {}
        return feats

    def remove(self):
        for h in self.handles:
            h.remove()
