"""Train a small autoregressive forecaster on synthetic sensor series."""
import sys

import torch

from forecast import settings
from forecast.data import DataModule, SensorSeries
from forecast.models import create
from forecast.loop import Runner
from forecast.rng import RngBank


def main(argv):
    conf = settings.load(argv)
    torch.manual_seed(conf.seed)
    rngs = RngBank(conf.seed, conf.device)

    series = SensorSeries(conf.n_series, conf.length)
    dm = DataModule(series, conf, rng=torch.Generator().manual_seed(conf.seed))
    dm.setup()
    model = create(conf.model, context=conf.context, horizon=conf.horizon)
    runner = Runner(model, conf, rngs)
    runner.fit(dm)
    print("test mae", round(runner.test(dm), 4))


if __name__ == "__main__":
    main(sys.argv[1:])
