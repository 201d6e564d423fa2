from config import Options
from data import labeled_loader, unlabeled_loader
from trainers import TRAINERS


def main():
    opt = Options(trainer="fixmatch", epochs=2, lambda_u=0.5)
    trainer = TRAINERS[opt.trainer](opt)
    trainer.fit(labeled_loader(opt), unlabeled_loader(opt))


if __name__ == "__main__":
    main()
