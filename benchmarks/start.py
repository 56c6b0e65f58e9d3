"""How long Python, `import adjudge` and every command take to start, against a bare interpreter in the same run.

The commands are timed with and without settings: an `ADJUDGE_*` variable and an adjudge.toml cost next to nothing.
"""

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

from common import ENVIRONMENT, Figure, Setting

TIMES = 5
REACH_SECONDS = 0.35
"""For a command; on one core that has nothing else to do, with the bytecode there as after an installation."""
REACH_RATIO = 30.0
"""Of a bare interpreter's start, which says the same on a slower machine."""
CHEAP = (
    *("judges", "models", "lint relevance", "show relevance", "runs", "report last", "plan --effect 0.05"),
    *("show judge.md", "lint judge.md", "estimate cases.jsonl --judge relevance"),
)
"""Commands that do little more than start; `judge.md` is a bare prompt, so that it has to be read."""
PROMPT = "Rate how polite the answer is from 1 (rude) to 5 (warm).\n\nAnswer: {{response}}\n\nScore: <1-5>\n"
CONFIG = 'jobs = 8\n[run]\ncolumns = {response = "answer"}\n'


def measure(setting: Setting) -> list[Figure]:
    from adjudge.cli.main import all_commands, cli  # noqa: PLC0415 - other benchmarks measure small processes

    program = str(Path(sys.executable).with_name("adjudge"))
    helps = [f"{path} --help" for path, _ in all_commands(cli)]
    python = {"python -c pass": ["-c", "pass"], "import adjudge": ["-c", "import adjudge"]}
    commands = {name: [sys.executable, *code] for name, code in python.items()}
    commands |= {f"adjudge {words}": [program, *words.split()] for words in ("--help", *helps, *CHEAP)}
    environ = {name: value for name, value in ENVIRONMENT.items() if name != "PYTHONDONTWRITEBYTECODE"}
    bare, configured = setting.folder / "bare", setting.folder / "configured"
    for folder in (bare, configured):
        folder.mkdir()
        _make_store(program, folder, environ)
    (configured / "adjudge.toml").write_text(CONFIG, encoding="utf-8")
    settings = environ | {"ADJUDGE_MODEL": "embedded"}
    plain = _take(commands, bare, environ)
    floor = plain.pop("python -c pass")
    set_up = _take({name: each for name, each in commands.items() if name in plain}, configured, settings)
    slowest = max(set_up, key=lambda name: set_up[name])
    return [
        *(_figure(name, seconds, floor) for name, seconds in plain.items()),
        _figure(f"{slowest}, the slowest with settings", set_up[slowest], floor),
    ]


def _make_store(program: str, folder: Path, environ: dict[str, str]) -> None:
    """So that `runs` has one to list, and `report` one to print."""
    (folder / "judge.md").write_text(PROMPT, encoding="utf-8")
    (folder / "replies.jsonl").write_text('{"case_id": "a", "reply": "Score: 4"}\n', encoding="utf-8")
    (folder / "cases.jsonl").write_text('{"id": "a", "response": "r", "parameters": "p"}\n', encoding="utf-8")
    words = ["run", "cases.jsonl", "--judge", "judge.md", "--model", "scripted:replies.jsonl"]
    subprocess.run([program, *words], cwd=folder, env=environ, check=True, capture_output=True)


def _take(commands: dict[str, list[str]], folder: Path, environ: dict[str, str]) -> dict[str, float]:
    """Seconds of a processor by command: the time that passes depends on what else the machine does."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(TIMES + 1):
        for name, command in commands.items():
            before = _used()
            done = subprocess.run(command, cwd=folder, env=environ, check=False, capture_output=True)
            assert done.returncode in {0, 1}, (name, done.stderr)
            if turn:  # the first finds the files not yet read
                taken[name].append(_used() - before)
    return {name: median(seconds) for name, seconds in taken.items()}


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _figure(name: str, seconds: float, floor: float) -> Figure:
    ratio = seconds / floor
    return Figure(
        what=f"start: {name}",
        measured=f"{seconds:.3f} s",
        floor=f"{floor:.3f} s",
        value=ratio,
        shown=f"{ratio:.1f}×",
        reach=f"≤ {REACH_SECONDS:.2f} s or {REACH_RATIO:.0f}×",
        reached=seconds <= REACH_SECONDS or ratio <= REACH_RATIO,
        note=f"processor time, median of {TIMES}",
    )
