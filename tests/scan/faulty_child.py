"""A child that does what the names of projects say, where they say something."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from devlint.scan import child
from devlint.scan.child import Setup, main
from devlint.scan.result import Result
from devlint.scan.unit import Unit

usual = child.scanned


def scanned(unit: Unit, setup: Setup) -> Result:
    if unit.project == "hangs":
        Path(unit.place).with_name("pid").write_text(str(os.getpid()))
        time.sleep(10_000)
    elif unit.project == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif unit.project == "ends":
        os._exit(3)
    elif unit.project == "prints":
        print("not a result")
    return usual(unit, setup)


child.scanned = scanned
if __name__ == "__main__":
    main()
