"""`adjudge init`: write a starter folder."""

import os
from importlib.resources import files
from pathlib import Path

import click

from adjudge.errors import SettingsError

STARTER = ("cases.jsonl", "judge.md", "adjudge.toml")

KEYLESS = """\
  adjudge models pull                             once: fetch the small judge that runs on this machine
  adjudge run cases.jsonl --judge correctness     judge the starter cases with it
  adjudge show judge.md                           what adjudge understood of your own judge
  adjudge lint judge.md                           what would make it unreliable
"""
OWN_MODEL = """\
  adjudge run cases.jsonl --judge judge.md --model openai:NAME"""


def command(*, folder: str) -> None:
    target = Path(folder)
    existing = [name for name in STARTER if os.path.lexists(target / name)]  # a link that leads nowhere too
    if existing:
        raise SettingsError(
            f"adjudge init {folder}",
            f"{', '.join(existing)} already exist{'s' if len(existing) == 1 else ''}; nothing was written",
            "choose another folder: `adjudge init NEW_FOLDER`",
        )
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in STARTER:
            (target / name).write_bytes(files("adjudge.cli").joinpath("starter", name).read_bytes())
    except OSError as error:
        raise SettingsError(
            f"adjudge init {folder}", f"cannot write there: {error.strerror}", "choose another folder"
        ) from None
    click.echo(f"wrote {', '.join(STARTER)} in {target}")
    cd = "" if folder == "." else f"  cd {folder}\n"
    click.echo(
        f"\nnext, with no key:\n{cd}{KEYLESS}\nthen, with a model of your own (`adjudge models` lists them):\n{OWN_MODEL}"
    )
