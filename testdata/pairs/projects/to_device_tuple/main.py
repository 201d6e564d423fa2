from speech.experiment import Experiment, ExperimentConfig


def main():
    exp = Experiment(ExperimentConfig(model="conv_ctc", epochs=2, batch_size=6))
    exp.prepare()
    for epoch in range(exp.cfg.epochs):
        train_loss = exp.train_epoch()
        ter = exp.evaluate()
        print(f"epoch {epoch + 1}/{exp.cfg.epochs}  ctc {train_loss:.3f}  token error rate {ter:.3f}")


if __name__ == "__main__":
    main()
