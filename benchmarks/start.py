"""How much longer `adjudge --help` and `import adjudge` take than Python itself does to start."""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from common import Figure, Setting

TIMES = 15
REACH_SECONDS = 0.20


def measure(setting: Setting) -> list[Figure]:
    del setting  # small enough as it is
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import adjudge": [sys.executable, "-c", "import adjudge"],
        "adjudge --help": [str(Path(sys.executable).with_name("adjudge")), "--help"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(TIMES + 1):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if turn:  # the first finds the files not yet read
                taken[name].append(time.perf_counter() - started)
    floor = median(taken.pop("python -c pass"))
    return [_figure(name, median(times), floor) for name, times in taken.items()]


def _figure(name: str, seconds: float, floor: float) -> Figure:
    more = seconds - floor
    return Figure(
        what=f"start: {name}",
        measured=f"{seconds:.3f} s",
        floor=f"{floor:.3f} s",
        value=more,
        shown=f"+{more:.3f} s",
        reach=f"≤ +{REACH_SECONDS:.2f} s",
        reached=more <= REACH_SECONDS,
        note=f"median of {TIMES}",
    )
