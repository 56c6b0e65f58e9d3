"""Every console block in the documentation shows what its command really prints; every Python block runs.

`ADJUDGE_UPDATE_DOCS=1 pytest tests/docs` writes the real output into the pages.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli.main import run_command
from adjudge.embedded.ready import find_merged
from adjudge.errors import InputError
from adjudge.store import trust

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONSOLE = re.compile(r"(?P<open>^```console\n)(?P<body>.*?)(?P<close>^```$)", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))
ENVIRON = {
    **{name: value for name, value in os.environ.items() if not name.startswith("ADJUDGE_")},
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "ADJUDGE_STATE": os.environ["ADJUDGE_STATE"],
    "COLUMNS": "80",
    "NO_COLOR": "1",
}
TOOK = re.compile(r"^[\d.]+ m?s · \$0$|  +[\d.]+ m?s · \$0$", re.MULTILINE)
ALONE = re.compile(
    r"""adjudge (?!view\b)(?:[^|&;<>$`*?#~'"\\]|\\\n|"[^"$`\\]*"|'[^']*')+?(?=\s*(?:$|[|;]|[12]?>))""",
    re.DOTALL,
)
"""A command that ends by itself, with words that the shell would give it as they are; what follows is for the shell."""
TODAY = re.compile(r"\d{4}-\d{2}-\d{2} \(today, UTC\)")


NEEDS_THE_MODEL = "<!-- needs the embedded judge -->"


def skip_without_the_model(text):
    if NEEDS_THE_MODEL not in text:
        return
    try:
        find_merged()
    except InputError:
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")


def run_shell(command: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=ENVIRON,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return done.stdout


def run_here(words: list[str], folder: Path, *, apart: bool) -> tuple[int, str, str]:
    """The exit code, what was printed and what was said on stderr, if `apart`, without the start of a process, which takes
    longer than most commands.
    """
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) if apart else out
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("COLUMNS", "NO_COLOR"):
            patch.setenv(name, ENVIRON[name])
        patch.setattr(sys, "stdin", io.StringIO())
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setattr(trust, "_made_by_this_process", set())  # as in a process of its own
        code = run_command(words)
    return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode() if apart else ""


def run(command: str, folder: Path, aside: Path) -> str:
    """What it prints. The shell gets the words of a command that ran here, for its pipes, files and exit codes."""
    alone = ALONE.match(command)
    if alone is None:
        return run_shell(command, folder)
    words = shlex.split(alone[0].replace("\\\n", ""))[1:]
    if alone[0] == command:
        return run_here(words, folder, apart=False)[1]
    code, out, err = run_here(words, folder, apart=True)
    aside.mkdir(exist_ok=True)
    (aside / "out").write_text(out, encoding="utf-8")
    (aside / "err").write_text(err, encoding="utf-8")
    said = f"said() {{ cat {aside}/err >&2; cat {aside}/out 2> {os.devnull}; return {code}; }}\n"
    return run_shell(said + "said" + command[alone.end() :], folder)


def run_block(body: str, folder: Path, aside: Path) -> str:
    """The block with the output its commands give now; a command may go on over lines that end in a backslash."""
    shown = []
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.MULTILINE):
        printed = run(command, folder, aside)
        output = "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n")
        # what changes by itself: the date, and how long it took
        output = TODAY.sub("2026-01-31 (today, UTC)", output)
        output = TOOK.sub(lambda found: "0.20 s · $0".rjust(len(found[0])), output)
        shown.append(f"$ {command}\n{output}\n" if output else f"$ {command}\n")
    return "\n".join(shown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_console_blocks_show_what_is_printed(page, tmp_path, tmp_path_factory):
    text = page.read_text(encoding="utf-8")
    skip_without_the_model(text)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    aside = tmp_path_factory.getbasetemp() / "said"
    new = CONSOLE.sub(
        lambda block: block["open"] + run_block(block["body"], tmp_path, aside) + block["close"], text
    )
    if UPDATE:
        page.write_text(new, encoding="utf-8")
    assert new == page.read_text(encoding="utf-8"), "run with ADJUDGE_UPDATE_DOCS=1 to renew the page"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_run(page, tmp_path):
    blocks = PYTHON.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        return
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env=ENVIRON,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_command_has_its_help_in_the_reference():
    from adjudge.cli.command_line import COMMANDS

    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert [each.name for each in COMMANDS if f"$ adjudge {each.name} --help" not in page] == []
