"""What the README shows, in new environments with the wheels that pip gives by default.

On Linux these are builds for CUDA, of several gigabytes each. The newest of all is what a new user
gets; the oldest is the first PyTorch whose CUDA can be emulated.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
WHEELS = {
    "newest": ("torch", "torchvision"),
    "oldest": ("torch==2.10.0", "torchvision==0.25.0"),
}


def main() -> int:
    failed = [name for name, wheels in WHEELS.items() if not passes(wheels)]
    if failed:
        print(f"failed with the {' and the '.join(failed)} wheels", file=sys.stderr)
    return int(bool(failed))


def passes(wheels: tuple[str, ...]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder, "bin", "python")
        install = ["-m", "pip", "--disable-pip-version-check", "install", "-q"]
        subprocess.run([python, *install, f"{ROOT}[confirm]", *wheels], check=True)
        subprocess.run([python, *install, "hypothesis", "pytest"], check=True)
        versions = "import torch, torchvision as v; print(torch.__version__, v.__version__)"
        subprocess.run([python, "-c", versions], check=True)
        test = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_readme.py"]
        return subprocess.run([python, *test], cwd=ROOT).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
