"""The built-in judges are kept as they are read, so that no command has to read them; `ADJUDGE_UPDATE_DOCS=1` renews them."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from adjudge.judges import load, parse_judge, prepared
from adjudge.judges.front_matter import normalize_text
from adjudge.judges.parse import read_judge
from adjudge.versions import SCORER_VERSIONS

UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))
HEAD = '''"""The built-in judges as `parse` reads them, by the key that `load` gives a text; the text itself is added there.

Made by `ADJUDGE_UPDATE_DOCS=1 pytest tests/unit/judges/test_judges_prepared.py`: a file that is not here is read like any other.
"""

from collections.abc import Mapping

from adjudge.records import (
    Contract,
    FieldScore,
    Input,
    Items,
    Judge,
    NamedScore,
    Pair,
    PointsScore,
    Rubric,
    Scale,
)

PREPARED: Mapping[str, Judge] = '''
PATH = Path(prepared.__file__)
FILES = sorted(load.BUILT_IN.glob("*.md"))


def _as_read(path):
    text = path.read_text(encoding="utf-8")
    return read_judge(text, name=path.stem, where=path.name, load_part=load.PartLoader())


def _written(value):
    """A record as Python writes it, without what has its default value."""
    match value:
        case msgspec.Struct():
            fields = {each.name: each for each in msgspec.structs.fields(value)}
            kept = {name: getattr(value, name) for name, each in fields.items()}
            kept = {
                name: each
                for name, each in kept.items()
                if fields[name].required or each != _default(fields[name])
            }
            return f"{type(value).__name__}({', '.join(f'{name}={_written(each)}' for name, each in kept.items())})"
        case tuple():
            return f"({', '.join(map(_written, value))}{',' * (len(value) == 1)})"
        case dict():
            return "{" + ", ".join(f"{key!r}: {_written(each)}" for key, each in value.items()) + "}"
    return repr(value)


def _default(field):
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def _renew(judges):
    PATH.write_text(HEAD + _written(judges), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", PATH], check=True)


def test_the_prepared_judges_are_as_they_are_read_today():
    judges = {
        load.prepared_key(judge.text): msgspec.structs.replace(judge, text="", messages=())
        for judge in map(_as_read, FILES)
    }
    if UPDATE:
        _renew(judges)
    kept = runpy.run_path(str(PATH))["PREPARED"]
    assert _written(kept) == _written(judges), "run with ADJUDGE_UPDATE_DOCS=1 to renew it"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_prepared_judge_is_the_one_that_is_read(path):
    text = path.read_text(encoding="utf-8")
    assert load.prepared_key(normalize_text(text)) in prepared.PREPARED
    for each in (text, "\ufeff" + text.replace("\n", "\r\n")):
        assert parse_judge(each, name="another") == _as_read(path)


def test_a_changed_text_is_read_anew():
    text = FILES[0].read_text(encoding="utf-8").replace("scale: [0, 1]", "scale: [0, 2]")
    assert parse_judge(text, name="another").scale.high == 2.0


def test_a_scorer_of_another_version_makes_another_judge(monkeypatch):
    text = load.BUILT_IN.joinpath("correctness.md").read_text(encoding="utf-8")
    before = parse_judge(text, name="correctness")
    monkeypatch.setitem(SCORER_VERSIONS, "correctness", SCORER_VERSIONS["correctness"] + 1)
    assert parse_judge(text, name="correctness").hash != before.hash
