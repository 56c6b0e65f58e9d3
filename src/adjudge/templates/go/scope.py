"""What is Go's own about values: what counts as true, what `range` goes over, and the functions of its templates."""

import html
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote_plus

from adjudge.expressions.syntax import ComputedMember, FunctionCall, ListOf, Name
from adjudge.records import Json
from adjudge.templates.expressions import Scope
from adjudge.templates.go.parser import ROOT
from adjudge.templates.go.printing import format_values, join_values, written
from adjudge.templates.values import ABSENT, Value, member


class GoScope(Scope):
    __slots__ = ()

    known: ClassVar[Mapping[str, str]] = MappingProxyType({ROOT: ""})

    def look_up(self, name: Name) -> Value:
        if name.path == (ROOT,):
            return dict(self.values)
        return super().look_up(name)

    def holds(self, value: Value) -> bool:
        """Go's truth: nothing that is zero or empty is true."""
        return value is not ABSENT and bool(value)

    def entries(self, value: Value) -> Iterable[tuple[str | int, Json]]:
        if isinstance(value, dict):
            return sorted(value.items())
        return super().entries(value)

    def evaluate_own(self, node: ListOf | ComputedMember | FunctionCall) -> Value:
        if not isinstance(node, FunctionCall):
            return super().evaluate_own(node)
        values = [self.read(self.evaluate(argument)) for argument in node.arguments]
        made = self._function(node.function, values)
        if isinstance(made, str):
            self.spend(len(made))
        return made

    def _function(self, function: str, values: list[Value]) -> Value:
        match function:
            case "len":
                return _length(values[0])
            case "index":
                found, *keys = values
                for key in keys:
                    found = _index(found, key)
                return found
            case "slice":
                return _slice(values)
            case "print":
                return join_values(values)
            case "println":
                return " ".join(map(written, values)) + "\n"
            case "printf":
                return format_values(str(values[0]), values[1:], self.spend)
            case "html":
                escaped = (
                    html.escape(join_values(values)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
                )
                return escaped.replace("\0", "\ufffd")
            case "urlquery":
                return quote_plus(join_values(values), errors="replace")
        raise AssertionError(f"the parser lets no `{function}` through")


def _bytes(text: str) -> bytes:
    """A Go string counts in bytes."""
    return text.encode("utf-8", "surrogatepass")


def _length(value: Value) -> Value:
    if isinstance(value, str):
        return len(_bytes(value))
    return len(value) if isinstance(value, list | dict) else 0


def _index(value: Value, key: Value) -> Value:
    if isinstance(value, str):
        encoded = _bytes(value)
        inside = isinstance(key, int) and 0 <= key < len(encoded)
        return encoded[key] if inside and isinstance(key, int) else ABSENT
    return member(value, key)


def _slice(values: list[Value]) -> Value:
    value, *places = values
    start, end, *_ = [place if isinstance(place, int) and place >= 0 else 0 for place in places] + [
        None,
        None,
    ]
    if isinstance(value, str):
        return _bytes(value)[start:end].decode("utf-8", "replace")
    return value[start:end] if isinstance(value, list) else ABSENT
