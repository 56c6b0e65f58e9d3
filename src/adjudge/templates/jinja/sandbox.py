"""The environment Jinja templates run in: jinja2's immutable sandbox, with loops, strings and numbers bounded."""

from functools import lru_cache, partial
from typing import Any

from jinja2 import ChainableUndefined, Undefined, pass_context, pass_environment
from jinja2.exceptions import SecurityError
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, Joiner, Namespace

from adjudge.templates.jinja.budget import (
    BUDGET,
    ELEMENT,
    MAX_BITS,
    STEP,
    Bound,
    size,
    sized,
    step,
    text_of,
    tick,
    usable,
    weighed,
    weight_of,
)
from adjudge.templates.jinja.filters import (
    bounded_filters,
    bounded_tests,
    concat,
    formatted,
    join,
    replace,
)
from adjudge.text import words

MAX_RANGE = 100_000

TICK, CONCAT, METHOD = "adjudge tick", "adjudge concat", "adjudge method"
STEPPED, SIZED, WEIGHED = "adjudge step", "adjudge sized", "adjudge weighed"
"""Filters that the rewritten template calls; with a space in their names no template can."""

STRING_METHODS = words(
    """
    capitalize count endswith find index isalnum isalpha isdigit islower isnumeric isspace isupper join
    lower lstrip partition removeprefix removesuffix replace rfind rindex rpartition rsplit rstrip split
    splitlines startswith strip swapcase title upper
    """
)
LIST_METHODS = frozenset({"count", "index"})
DICT_METHODS = frozenset({"get", "items", "keys", "values"})


class AbsentInput(ChainableUndefined):
    """Written as nothing, false, equal to none, and neither more nor less than anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, Undefined)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(None)

    def _never(self, _other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _never  # type: ignore[assignment] # jinja2's own always raise


@pass_context
def finalize(_context: Context, value: Any) -> str:
    # Called when the template runs, so that constants count too.
    text = text_of(value)
    BUDGET.get().write(len(text))
    return text


def bounded_range(*args: int) -> range:
    found = range(*args)
    if len(found) > MAX_RANGE:
        raise Bound(f"a range has more than {MAX_RANGE} numbers")
    BUDGET.get().spend(len(found))
    return found


def new_dict(*args: Any, **kwargs: Any) -> Any:
    return weighed(dict(*args, **kwargs))


class OpaqueNamespace(Namespace):
    """Written without what it holds: that can change, so nothing that holds it knows how much there is to write."""

    def __repr__(self) -> str:
        return "<Namespace>"


def nothing(absent: Undefined, *_args: Any, **_kwargs: Any) -> Undefined:
    return absent


class Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"+", "*", "**", "%", "-", "/", "//"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if isinstance(left, Undefined) or isinstance(right, Undefined):
            other = right if isinstance(left, Undefined) else left
            return other if operator == "+" and isinstance(other, str) else self.undefined()
        if operator == "%" and isinstance(left, str):
            return formatted(left, right if isinstance(right, tuple | dict) else (right,))
        usable(left)
        usable(right)
        if operator in {"*", "**"}:
            _validate_product(operator, left, right)
        elif operator == "+" and isinstance(left, list | tuple):
            weight_of(left)
            weight_of(right)
        else:
            BUDGET.get().spend(STEP + size(left) + size(right))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        BUDGET.get().spend(STEP * (1 + len(args) + len(kwargs)) + size(getattr(obj, "__self__", None)))
        return super().call(context, obj, *args, **kwargs)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A member of the data comes before a method: `data.items` is the column called `items`."""
        if isinstance(obj, dict):
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def is_safe_callable(self, obj: Any) -> bool:
        if isinstance(obj, Macro | LoopContext | BlockReference):
            return True
        if isinstance(obj, partial):
            return obj.func in {nothing, _call_method}
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, LoopContext | Cycler | Joiner):
            return True
        if isinstance(obj, Joiner) or obj in self.globals.values():
            return True
        return _is_method(owner, getattr(obj, "__name__", ""))


def _validate_product(operator: str, left: Any, right: Any) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            each = len(one) if isinstance(one, str) else weight_of(one).elements * ELEMENT
            BUDGET.get().spend(STEP + each * max(other, 0))
            return
    BUDGET.get().spend(STEP)
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


def _call_method(value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    if isinstance(value, str) and name == "join":
        return join(args[0], value)
    if isinstance(value, str) and name == "replace":
        return replace(value, *args, **kwargs)
    BUDGET.get().spend(size(value))
    result = getattr(value, name)(*args, **kwargs)
    return weighed(list(result) if name in {"items", "keys", "values"} else result)


@pass_environment
def method(environment: Environment, value: Any, name: str) -> Any:
    """What `value.name(…)` calls, where an element called `name` does not hide the method."""
    if isinstance(value, Undefined):
        return partial(nothing, value)
    if _is_method(value, name):
        return partial(_call_method, value, name)
    if isinstance(value, str | list | tuple | dict | int | float):
        raise SecurityError(f"the method `{name}` is not available here")
    return environment.getattr(value, name)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """No loader, no escaping, no HTML, no chance: what is written follows from template and values alone."""
    sandbox = Environment(
        autoescape=False,
        undefined=AbsentInput,
        finalize=finalize,
        keep_trailing_newline=True,
        optimized=False,
        cache_size=0,
    )
    sandbox.filters = {
        **bounded_filters(),
        TICK: tick,
        CONCAT: concat,
        METHOD: method,
        STEPPED: step,
        SIZED: sized,
        WEIGHED: weighed,
    }
    sandbox.tests = bounded_tests()
    sandbox.globals = {
        "range": bounded_range,
        "dict": new_dict,
        "namespace": OpaqueNamespace,
        "cycler": Cycler,
        "joiner": Joiner,
    }
    return sandbox
