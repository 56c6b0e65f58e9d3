"""jinja2's filters, each paying for what it reads and makes; those whose result a number could blow up are our own."""

import json
import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from jinja2 import Undefined, pass_environment
from jinja2.filters import FILTERS, make_attrgetter
from jinja2.tests import TESTS

from adjudge.templates.jinja.budget import BUDGET, Bound, size, text_of, usable, weighed, weight_of

MAX_WIDTH = 10_000
MAX_FORMAT_WIDTH = 999
REMOVED_FILTERS = frozenset({"random", "urlize", "xmlattr"})
"""`random` would make one case two prompts; the others write HTML."""
UNESCAPED = frozenset({"e", "escape", "forceescape", "safe"})
"""Escaping is for pages: in a prompt these leave their value as it is."""
WIDTH_FILTERS = frozenset({"batch", "center", "round", "slice", "wordwrap"})
WHOLE_FILTERS = frozenset(
    {"capitalize", "center", "dictsort", "groupby", "lower", "max", "min", "sort", "striptags", "title"}
    | {"trim", "truncate", "unique", "upper", "urlencode", "wordcount", "wordwrap"}
)
"""Filters that write out or compare all that a list or an object holds."""
PRETTY = 30
"""How much longer an element takes to be laid out over lines than to be written in one."""
FORMAT = re.compile(r"[%)][-+ #0]*+([\d.*]*+)[hlL]?[a-zA-Z%]")
"""A conversion of a format string; those with a name are found from the end of it."""


def join(value: Iterable[Any], separator: str = "") -> str:
    texts = [text_of(part) for part in value]
    separator = text_of(separator)
    BUDGET.get().spend(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


@pass_environment
def join_filter(
    environment: Any, value: Iterable[Any], d: str = "", attribute: str | int | None = None
) -> str:
    return join(value if attribute is None else map(make_attrgetter(environment, attribute), value), d)


def concat(parts: Iterable[Any]) -> str:
    return join(parts)


def replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
    text, old, new = text_of(value), text_of(old), text_of(new)
    limit = -1 if count is None else int(count)
    found = text.count(old) if limit < 0 else min(text.count(old), limit)
    BUDGET.get().spend(len(text) + found * len(new))
    return text.replace(old, new, limit)


def format_filter(value: Any, *args: Any, **kwargs: Any) -> str:
    return formatted(text_of(value), kwargs or args)


def formatted(text: str, values: tuple[Any, ...] | dict[str, Any]) -> str:
    for conversion in FORMAT.finditer(text):
        widths = conversion[1].split(".")
        if any("*" in width or len(width) > len(str(MAX_FORMAT_WIDTH)) for width in widths):
            raise Bound(f"a format asks for a width of more than {MAX_FORMAT_WIDTH}")
    BUDGET.get().spend(len(text) + text.count("%") * MAX_FORMAT_WIDTH)
    if isinstance(values, dict):
        texts: Any = {name: _one_line(value) for name, value in values.items()}
        longest = max(map(size, texts.values()), default=0)
    else:
        texts = tuple(_one_line(value) for value in values)
        longest = max(map(size, texts), default=0)
    BUDGET.get().spend(text.count("%") * longest)
    result: str = text % texts
    return result


def _one_line(value: Any) -> Any:
    return text_of(value) if isinstance(value, list | dict | tuple) else value


def indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - jinja2's own signature
    text = text_of(value)
    added = len(width) if isinstance(width, str) else int(width)
    BUDGET.get().spend(len(text) + (len(text.splitlines()) + 1) * max(added, 0))
    result: str = FILTERS["indent"](text, width, first, blank)
    return result


def tojson(value: Any, indent: int | None = None) -> str:
    if isinstance(value, Undefined):
        value = None
    width = None if indent is None else max(0, min(int(indent), 16))
    weight = weight_of(value)
    BUDGET.get().spend(weight.characters + weight.elements * weight.depth * (width or 0))
    text = json.dumps(value, ensure_ascii=False, default=str, indent=width)
    BUDGET.get().spend(len(text))
    return text


def dump(value: Any, spaces: int | str | None = None) -> str:
    """Nunjucks' `dump`: JSON as JavaScript writes it, without a space in one line."""
    if isinstance(value, Undefined):
        value = None
    width = spaces[:10] if isinstance(spaces, str) else max(0, min(int(spaces or 0), 10))
    weight = weight_of(value)
    added = len(width) if isinstance(width, str) else width
    BUDGET.get().spend(weight.characters + weight.elements * weight.depth * added)
    text = json.dumps(
        value,
        ensure_ascii=False,
        default=str,
        indent=width or None,
        separators=None if width else (",", ":"),
    )
    BUDGET.get().spend(len(text))
    return text


def line_breaks(value: Any) -> str:
    """Nunjucks' `nl2br`."""
    text = text_of(value)
    BUDGET.get().spend(len(text) + text.count("\n") * 6)
    return text.replace("\r\n", "\n").replace("\n", "<br />\n")


def pretty(value: Any) -> str:
    weight = weight_of(value)
    BUDGET.get().spend((weight.characters + weight.elements * weight.depth) * PRETTY)
    result: str = FILTERS["pprint"](value)
    return result


@pass_environment
def total(
    environment: Any, value: Iterable[Any], attribute: str | int | None = None, start: float = 0
) -> int | float:
    """Numbers only: adding up lists or texts copies all that came before each of them."""
    found = list(value if attribute is None else map(make_attrgetter(environment, attribute), value))
    BUDGET.get().spend(len(found))
    for number in (start, *found):
        if not isinstance(number, int | float):
            raise Bound("the filter `sum` adds up numbers")
        usable(number)
    return sum(found, start)


def whole_number(value: Any, default: Any = 0, base: int = 10) -> Any:
    BUDGET.get().spend(size(value))
    return usable(FILTERS["int"](value, default, base))


@pass_environment
def wordwrap(environment: Any, value: Any, width: int = 79, *args: Any, **kwargs: Any) -> str:
    """Charge for textwrap, which copies the rest of a word for each line that it takes from it."""
    longest = max(map(len, str(value).split()), default=0)
    BUDGET.get().spend(longest * longest // (max(int(width), 1) * 100))
    wrap = kwargs.get("wrapstring", args[1] if len(args) > 1 else None)
    BUDGET.get().spend(len(str(value)) * (1 if wrap is None else 1 + size(wrap)) * 4)
    result: str = FILTERS["wordwrap"](environment, value, width, *args, **kwargs)
    return result


def unchanged(value: Any) -> Any:
    return value


def _charged(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test of jinja2's that pays for what it reads and what it makes."""
    first = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def charged(*args: Any, **kwargs: Any) -> Any:
        budget = BUDGET.get()
        if name in WIDTH_FILTERS:
            for arg in (*args[first + 1 :], *kwargs.values()):
                if isinstance(arg, int | float) and abs(arg) > MAX_WIDTH:
                    raise Bound(f"the filter `{name}` is given a number above {MAX_WIDTH}")
        if name in WHOLE_FILTERS:
            for arg in args[first:]:
                if isinstance(arg, list | tuple | dict):
                    budget.spend(weight_of(arg).characters)
        budget.spend(sum(map(size, args[first:])))
        return weighed(function(*args, **kwargs))

    return charged


def bounded_filters() -> dict[str, Any]:
    own: dict[str, Any] = {
        "join": join_filter,
        "replace": replace,
        "format": format_filter,
        "indent": indent,
        "tojson": tojson,
        "dump": dump,
        "nl2br": line_breaks,
        "pprint": pretty,
        "string": text_of,
        "sum": total,
        "int": whole_number,
        **dict.fromkeys(UNESCAPED, unchanged),
    }
    theirs: dict[str, Any] = {**FILTERS, "wordwrap": wordwrap}
    charged = {
        name: _charged(name, function)
        for name, function in theirs.items()
        if name not in REMOVED_FILTERS and name not in own
    }
    return {**charged, **own}


def bounded_tests() -> dict[str, Any]:
    theirs: dict[str, Any] = dict(TESTS)
    charged = {name: _charged(name, function) for name, function in theirs.items()}
    return {**charged, "none": lambda value: value is None or isinstance(value, Undefined)}
