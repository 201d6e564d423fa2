class Registry(dict):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def register(self, key):
        def wrap(cls):
            if key in self:
                raise KeyError(f"{key} already in {self.name}")
            self[key] = cls
            return cls
        return wrap

    def build(self, cfg, **extra):
        kwargs = dict(cfg)
        cls = self[kwargs.pop("name")]
        return cls(**kwargs, **extra)


MODELS = Registry("models")
LOSSES = Registry("losses")
