"""The words of the code: a bound is a minimum or a maximum, and says so."""

import ast
import re
from pathlib import Path

import adjudge

SOURCE = Path(adjudge.__file__).parent
OTHER_BOUNDS = re.compile(r"_?(MOST|FEWEST|LONGEST|SHORTEST|LARGEST|SMALLEST|LEAST|DEEPEST)(_|$)")


def test_bounds_are_called_min_and_max():
    found = {
        f"{path.relative_to(SOURCE)}: {node.id}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and OTHER_BOUNDS.match(node.id)
    }
    assert found == set()
