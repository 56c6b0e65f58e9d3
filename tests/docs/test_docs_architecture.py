"""The map for contributors names only what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "adjudge"
NAMED = re.compile(r"`([\w./-]+(?:/|\.py|\.md))`")
IN_PICTURE = re.compile(r"\b((?:\w+/)+\w*)")
DRAWN = re.compile(r"\b(\w+/|\w+\.py)(?=\s|$)")


def test_every_path_that_the_architecture_names_exists():
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    drawing = text.split("```text\n")[1].split("```")[0]
    paths = {path for path in NAMED.findall(text) if "/" in path} | set(DRAWN.findall(drawing))
    assert len(paths) > 40
    picture = text.split("```text\n")[2].split("```")[0]
    paths |= {path if path.endswith("/") else f"{path}.py" for path in IN_PICTURE.findall(picture)}
    alone = {"figures.py", "document.py"}  # one in each folder of analysis/
    missing = [path for path in paths - alone if not (SOURCE / path).exists() and not (ROOT / path).exists()]
    assert missing == []


def test_every_package_is_on_the_map():
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    packages = [path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    assert [name for name in packages if f"{name}/" not in text] == []


def test_contributing_names_only_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name in re.findall(r"^make (\w+)", text, re.MULTILINE) if name not in targets] == []
    assert [link for link in re.findall(r"\]\(([^)]+)\)", text) if not (ROOT / link).exists()] == []
