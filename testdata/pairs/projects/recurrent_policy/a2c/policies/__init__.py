from .feedforward import FeedForwardPolicy
from .recurrent import LSTMPolicy

_POLICIES = {"mlp": FeedForwardPolicy, "lstm": LSTMPolicy}


def make_policy(kind, **kwargs):
    return _POLICIES[kind](**kwargs)
