import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', type=int, default=0)
parser.add_argument('--seed', type=int, default=42)
parser.add_argument('--nodes', type=int, default=60)
parser.add_argument('--blocks', type=int, default=3)
parser.add_argument('--feat', type=int, default=8)
parser.add_argument('--hidden', type=int, default=16)
parser.add_argument('--dropout', type=float, default=0.5)
parser.add_argument('--lr', type=float, default=0.01)
parser.add_argument('--epochs', type=int, default=4)
parser.add_argument('--unweighted', action='store_true')
opt = parser.parse_args()
