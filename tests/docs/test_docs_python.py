"""The Python reference has every public name, under its real signature.

`ADJUDGE_UPDATE_DOCS=1 pytest tests/docs/test_docs_python.py` writes the signatures into the page.
"""

import dataclasses
import inspect
import os
import re
import sys
from pathlib import Path

import pytest

import adjudge

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))  # tests see no such variables
ENTRY = re.compile(r"^### `(\w+)`\n\n```text\n(.*?)```$", re.MULTILINE | re.DOTALL)

REPLY = "str | Completion | Awaitable[str | Completion]"
SPELLED_OUT = {
    "*<class 'RunKeywords'>": "Unpack[RunKeywords]",
    "bool | int | float | str | list['Json'] | dict[str, 'Json'] | None": "Json",
    f"Callable[[str], {REPLY}] | Callable[[Request], {REPLY}]": "ModelFunction",
}
"""Aliases, as Python writes them in annotations."""


def annotation(found: object) -> str:
    text = found if isinstance(found, str) else inspect.formatannotation(found)
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", str(text))
    for long, short in SPELLED_OUT.items():
        text = text.replace(long, short)
    return text


def default(value: object) -> str:
    if dataclasses.is_dataclass(value) or isinstance(value, Path):
        return str(value)
    return "{}" if repr(value).startswith("mappingproxy") else repr(value)


def parameters(function: object) -> list[str]:
    written = []
    for each in inspect.signature(function).parameters.values():
        if each.name == "self":
            continue
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        kind = "" if each.annotation is each.empty else f": {annotation(each.annotation)}"
        value = "" if each.default is each.empty else f" = {default(each.default)}"
        if each.kind is each.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        written.append(f"{stars}{each.name}{kind}{value}")
    return written


def returned(function: object) -> str:
    found = inspect.signature(function).return_annotation
    return "" if found is inspect.Signature.empty else f" -> {annotation(found)}"


def call(name: str, function: object) -> str:
    inside, arrow = parameters(function), returned(function)
    line = f"{name}({', '.join(inside)}){arrow}"
    return (
        line
        if len(line) <= 100
        else f"{name}(\n" + "".join(f"    {each},\n" for each in inside) + f"){arrow}"
    )


def members(kind: type) -> list[str]:
    if dataclasses.is_dataclass(kind):
        fields = {each.name: each.type for each in dataclasses.fields(kind)}
    else:  # a msgspec struct, or a protocol, which has none
        written_as = {
            key: found
            for base in kind.__mro__
            for key, found in vars(base).get("__annotations__", {}).items()
        }
        fields = {name: written_as[name] for name in getattr(kind, "__struct_fields__", ())}
    written = [f"{name}: {annotation(found)}" for name, found in fields.items()]
    for name, value in ((name, getattr(kind, name)) for name in dir(kind)):
        own = any(name in vars(base) for base in kind.__mro__ if base.__module__.startswith("adjudge"))
        if name.startswith("_") or name in fields or not own:
            continue
        if isinstance(value, property):
            written.append(f"{name}: {annotation(inspect.signature(value.fget).return_annotation)}")
        elif callable(value):
            awaited = "async " if inspect.iscoroutinefunction(value) else ""
            written.append(f"{awaited}{call(f'.{name}', value)}")
    return written


def signature(name: str) -> str:
    found = getattr(adjudge, name)
    if not isinstance(found, type):
        awaited = "async " if inspect.iscoroutinefunction(found) else ""
        return awaited + call(f"adjudge.{name}", found)
    bases = [base.__name__ for base in found.__bases__ if base.__name__ not in {"object", "Protocol"}]
    if issubclass(found, Exception):
        return f"class adjudge.{name}({bases[0]})"
    made_by = vars(found).get("__init__")
    is_record = dataclasses.is_dataclass(found) or hasattr(found, "__struct_fields__")
    if is_record or getattr(made_by, "__module__", "") != found.__module__:
        opening = f"class adjudge.{name}"
    else:
        opening = f"class {call(f'adjudge.{name}', found).removesuffix(' -> None')}"
    return "\n    ".join([opening, *(line.replace("\n", "\n    ") for line in members(found))])


def test_every_public_name_is_on_the_page():
    names = [name for name, _ in ENTRY.findall(PAGE.read_text(encoding="utf-8"))]
    assert sorted(names) == adjudge.__all__


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other Pythons write annotations otherwise")
def test_the_page_has_the_real_signatures():
    text = PAGE.read_text(encoding="utf-8")
    new = ENTRY.sub(lambda entry: f"### `{entry[1]}`\n\n```text\n{signature(entry[1])}\n```", text)
    if UPDATE:
        PAGE.write_text(new, encoding="utf-8")
    assert new == PAGE.read_text(encoding="utf-8"), "run with ADJUDGE_UPDATE_DOCS=1 to renew the page"
