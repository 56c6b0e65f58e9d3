"""The environment Jinja templates run in: jinja2's immutable sandbox, with loops, strings and numbers bounded."""

import json
import re
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import lru_cache, partial, wraps
from typing import Any

from jinja2 import ChainableUndefined, Undefined, pass_context, pass_environment
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS, make_attrgetter
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.utils import Cycler, Joiner, Namespace

MAX_OUTPUT = 10_000_000
MAX_WORK = 20_000_000
"""Characters and elements that filters and loops may touch in one rendering."""
TURN = 200
"""What one turn of a loop costs, in those units."""
MAX_RANGE = 100_000
MAX_BITS = 4096
MAX_WIDTH = 10_000

TICK, CONCAT, METHOD = "adjudge tick", "adjudge concat", "adjudge method"
"""Filters that the rewritten template calls; with a space in their names no template can."""

STRING_METHODS = frozenset(
    [
        "capitalize",
        "count",
        "endswith",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isdigit",
        "islower",
        "isnumeric",
        "isspace",
        "isupper",
        "join",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rpartition",
        "rsplit",
        "rstrip",
        "split",
        "splitlines",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "upper",
    ]
)
LIST_METHODS = frozenset({"count", "index"})
DICT_METHODS = frozenset({"get", "items", "keys", "values"})
REMOVED_FILTERS = frozenset({"random", "urlize", "xmlattr"})
"""`random` would make one case two prompts; the others write HTML."""
UNESCAPED = frozenset({"e", "escape", "forceescape", "safe"})
"""Escaping is for pages: in a prompt these leave their value as it is."""
WIDTH_FILTERS = frozenset({"batch", "center", "round", "slice", "wordwrap"})


class Bound(Exception):  # noqa: N818 - says what was met, and never leaves this package
    """A template wants more than it may have."""


class Budget:
    __slots__ = ("room", "work")

    def __init__(self) -> None:
        self.room = MAX_OUTPUT
        self.work = MAX_WORK

    def write(self, count: int) -> None:
        self.room -= count
        if self.room < 0:
            raise Bound(f"its output grows past {MAX_OUTPUT} characters")

    def spend(self, count: int) -> None:
        self.work -= count
        if self.work < 0:
            raise Bound("its loops and filters do too much work")


BUDGET: ContextVar[Budget] = ContextVar("budget")


class AbsentInput(ChainableUndefined):
    """Written as nothing, false, equal to none, and neither more nor less than anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Undefined)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(None)

    def __lt__(self, other: object) -> bool:  # type: ignore[override] # jinja2's own always raises
        return False

    def __le__(self, other: object) -> bool:  # type: ignore[override] # jinja2's own always raises
        return False

    def __gt__(self, other: object) -> bool:  # type: ignore[override] # jinja2's own always raises
        return False

    def __ge__(self, other: object) -> bool:  # type: ignore[override] # jinja2's own always raises
        return False


def size(value: object) -> int:
    return len(value) if isinstance(value, str | list | tuple | dict | range) else 1


def text_of(value: Any) -> str:
    """Lists and objects as JSON, the rest as jinja2 writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


@pass_context
def finalize(_context: Context, value: Any) -> str:
    # Called when the template runs, so that constants count too.
    text = text_of(value)
    BUDGET.get().write(len(text))
    return text


def tick(cost: int) -> str:
    """Account for one turn of a loop or one call of a macro, with the template's own text in it."""
    budget = BUDGET.get()
    budget.spend(TURN)
    budget.write(cost)
    return ""


def concat(parts: Iterable[Any]) -> str:
    return join(parts)


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


def replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
    text, old, new = text_of(value), text_of(old), text_of(new)
    limit = -1 if count is None else int(count)
    found = text.count(old) if limit < 0 else min(text.count(old), limit)
    BUDGET.get().spend(len(text) + found * len(new))
    return text.replace(old, new, limit)


def format_filter(value: Any, *args: Any, **kwargs: Any) -> str:
    text = text_of(value)
    if re.search(r"%[^a-zA-Z%]*(?:\d{4}|\*)", text):
        raise Bound("a format asks for a width of more than 999")
    arguments = tuple(text_of(arg) if isinstance(arg, list | dict | tuple) else arg for arg in args)
    BUDGET.get().spend(len(text) + sum(map(size, arguments)))
    return text % (kwargs or arguments)


def indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - jinja2's own signature
    text = text_of(value)
    BUDGET.get().spend(len(text) + text.count("\n") * (len(width) if isinstance(width, str) else int(width)))
    result: str = FILTERS["indent"](text, width, first, blank)
    return result


def tojson(value: Any, indent: int | None = None) -> str:
    if isinstance(value, Undefined):
        value = None
    text = json.dumps(
        value, ensure_ascii=False, default=str, indent=None if indent is None else min(int(indent), 16)
    )
    BUDGET.get().spend(len(text))
    return text


def unchanged(value: Any) -> Any:
    return value


def bounded_range(*args: int) -> range:
    found = range(*args)
    if len(found) > MAX_RANGE:
        raise Bound(f"a range has more than {MAX_RANGE} numbers")
    BUDGET.get().spend(len(found))
    return found


def nothing(absent: Undefined, *_args: Any, **_kwargs: Any) -> Undefined:
    return absent


def _charged(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of jinja2's that pays for what it reads and what it makes."""
    first = 1 if hasattr(function, "jinja_pass_arg") else 0

    @wraps(function)
    def charged(*args: Any, **kwargs: Any) -> Any:
        budget = BUDGET.get()
        if name in WIDTH_FILTERS:
            for arg in (*args[first + 1 :], *kwargs.values()):
                if isinstance(arg, int | float) and arg > MAX_WIDTH:
                    raise Bound(f"the filter `{name}` is given a number above {MAX_WIDTH}")
        budget.spend(sum(map(size, args[first:])))
        result = function(*args, **kwargs)
        budget.spend(size(result))
        return result

    return charged


class Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "*", "**", "%", "-", "/", "//"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            other = right if isinstance(left, Undefined) else left
            return other if operator == "+" and isinstance(other, str) else self.undefined()
        if operator == "%" and isinstance(left, str):
            arguments = right if isinstance(right, tuple) else (right,)
            return (
                format_filter(left, **right) if isinstance(right, dict) else format_filter(left, *arguments)
            )
        if operator in {"*", "**"}:
            _check_product(operator, left, right)
        elif operator == "+":
            BUDGET.get().spend(size(left) + size(right))
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A member of the data comes before a method: `data.items` is the column called `items`."""
        if isinstance(obj, dict):
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def is_safe_callable(self, obj: Any) -> bool:
        if isinstance(obj, Macro | LoopContext | BlockReference):
            return True
        if isinstance(obj, partial):
            return obj.func in {nothing, join, replace, _join_method}
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, LoopContext | Cycler | Joiner):
            return True
        if isinstance(obj, Joiner) or obj in self.globals.values():
            return True
        return _is_method(owner, getattr(obj, "__name__", ""))


def _check_product(operator: str, left: Any, right: Any) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            if len(one) * other > MAX_WORK:
                raise Bound("a product is too large")
            BUDGET.get().spend(len(one) * max(other, 0))
            return
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
        if bits > MAX_BITS:
            raise Bound("a number is too large")


def _is_method(owner: object, name: str) -> bool:
    if isinstance(owner, str):
        return name in STRING_METHODS
    if isinstance(owner, list | tuple):
        return name in LIST_METHODS
    return isinstance(owner, dict) and name in DICT_METHODS


def _join_method(separator: str, value: Iterable[Any]) -> str:
    return join(value, separator)


@pass_environment
def method(environment: Environment, value: Any, name: str) -> Any:
    """What `value.name(…)` calls, where an element called `name` does not hide the method."""
    if isinstance(value, Undefined):
        return partial(nothing, value)
    if isinstance(value, str) and name == "join":
        return partial(_join_method, value)
    if isinstance(value, str) and name == "replace":
        return partial(replace, value)
    if _is_method(value, name):
        BUDGET.get().spend(size(value))
        return getattr(value, name)
    if isinstance(value, str | list | tuple | dict | int | float):
        raise SecurityError(f"the method `{name}` is not available here")
    return environment.getattr(value, name)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """No loader, no escaping, no HTML, no chance: what is written follows from template and values alone."""
    made = Environment(
        autoescape=False,
        undefined=AbsentInput,
        finalize=finalize,
        keep_trailing_newline=True,
        optimized=False,
        cache_size=0,
    )
    made.filters = {
        name: _charged(name, function) for name, function in FILTERS.items() if name not in REMOVED_FILTERS
    }
    made.filters |= dict.fromkeys(UNESCAPED, unchanged)
    made.filters |= {
        "join": join_filter,
        "replace": replace,
        "format": format_filter,
        "indent": indent,
        "tojson": tojson,
        "string": text_of,
        TICK: tick,
        CONCAT: concat,
        METHOD: method,
    }
    made.tests = {**TESTS, "none": lambda value: value is None or isinstance(value, Undefined)}
    made.globals = {
        "range": bounded_range,
        "dict": dict,
        "namespace": Namespace,
        "cycler": Cycler,
        "joiner": Joiner,
    }
    return made
