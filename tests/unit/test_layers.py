"""Dependencies point one way: each module imports only from layers below its own."""

import ast
from functools import cache
from pathlib import Path

import adjudge

LAYERS = [
    {"records", "errors", "text", "patterns", "fields", "versions", "rates", "identity_cache"},
    {"options", "schemas", "expressions", "json_values"},
    {"rubrics"},
    {"templates", "stats", "documents"},
    {"scoring"},
    {"checks"},
    {"dataset", "judges", "prompts", "models", "verdicts", "labels", "store"},
    {"procedures", "probes", "embedded", "importers", "testing"},
    {"runs"},
    {"analysis"},
    {"api", "batch_judge"},
    {"server", "pytest_plugin"},
    {"cli"},
]
ROOT = Path(adjudge.__file__).parent


def backward_imports(imports: dict[str, set[str]]) -> list[str]:
    """Name each import that reaches sideways or up, as 'importer -> imported'."""
    layer = {name: depth for depth, names in enumerate(LAYERS) for name in names}
    arrows = [(a, b) for a, targets in imports.items() for b in targets if a != b]
    return sorted(f"{a} -> {b}" for a, b in arrows if layer[b] >= layer[a])


@cache
def imports_by_package() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        package = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if package in {"__init__", "__main__"}:
            continue
        targets = found.setdefault(package, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names = (
                    [node.module] if node.module != "adjudge" else [f"adjudge.{a.name}" for a in node.names]
                )
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            targets |= {
                parts[1]
                for parts in (name.split(".") for name in names)
                if parts[0] == "adjudge" and len(parts) > 1 and parts[1] != "__version__"
            }
    return found


def test_the_rule_itself_finds_sideways_and_upward_imports():
    assert backward_imports({"runs": {"scoring"}, "scoring": {"records"}}) == []
    assert backward_imports({"scoring": {"store"}}) == ["scoring -> store"]


def test_no_module_imports_sideways_or_up():
    imports = imports_by_package()
    assert {"records", "errors"} <= imports.keys()
    assert backward_imports(imports) == []


def test_every_package_has_a_layer():
    assert imports_by_package().keys() <= set().union(*LAYERS)
