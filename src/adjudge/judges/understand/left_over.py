"""What looks like a placeholder and is sent as it stands, since the dialect does not know it."""

import re

from adjudge.records import Dialect
from adjudge.templates import Reference

_ODD = re.compile(r"\$\{(?P<inside>[^{}\n]{1,120})\}")
_NAME = re.compile(r"\A[ \t]*[^\W\d]\w*(?:\.\w+)*[ \t]*")
_ANGLES = re.compile(r"<<[ \t]?[^\W\d]\w{0,60}[ \t]?>>")
_ESCAPED = re.compile(r"\{\{\s{0,200}\"")


def left_over(body: str, dialect: Dialect, references: tuple[Reference, ...]) -> tuple[str, ...]:
    """One sentence for each kind that was found; nothing is said where the dialect has other placeholders."""
    said = []
    if dialect == "shell" or not references:
        odd = list(
            dict.fromkeys(match[0] for match in _ODD.finditer(body) if not _NAME.fullmatch(match["inside"]))
        )
        if odd:
            listed = ", ".join(f"`{written}`" for written in odd[:3]) + (
                " and others" if len(odd) > 3 else ""
            )
            said.append(
                f"only a name can stand inside `${{…}}`, so {listed} is sent as text: write `${{name}}` in its place"
            )
    if not references and (angled := _ANGLES.search(body)):
        said.append(
            f"`{angled[0]}` looks like a placeholder, and no dialect here writes one so: write `{{{{name}}}}` in its place"
        )
    if dialect == "mustache" and not references and _ESCAPED.search(body):
        said.append(
            "the double braces around JSON are sent as they stand: if they are escapes of Python's `format`, "
            "add `dialect: python`"
        )
    return tuple(said)
