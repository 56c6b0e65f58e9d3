"""What a Jinja template may take in one rendering, and how each of its steps pays for what it does.

Counts bound nearly everything. The clock bounds what they leave: it is looked at wherever something is paid for, so every
single step has to be small.
"""

import json
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from adjudge.templates.values import Weight, weigh

MAX_OUTPUT = 10_000_000
MAX_WORK = 20_000_000
"""Characters and elements that one rendering may touch."""
MAX_SECONDS = 5.0
"""Of processor time."""
STEP = 10
"""What a comparison, a slice or an assignment costs, in those units, beside what it reads."""
TURN = 200
"""What one turn of a loop or one call of a macro or block costs."""
ELEMENT = 10
"""What an element of a list or an object costs: ours and jinja2's loops over them are Python."""
LARGE = 1000
"""What costs more than this is a reason to look at the clock."""
MAX_BITS = 4096


class Bound(Exception):  # noqa: N818 - says what was met, and never leaves this package
    """A template wants more than it may have."""


class RenderingBudget:
    __slots__ = ("charges", "room", "started", "work")

    def __init__(self) -> None:
        self.room = MAX_OUTPUT
        self.work = MAX_WORK
        self.charges = 0
        self.started = time.thread_time()

    def write(self, count: int) -> None:
        self.room -= count
        if self.room < 0:
            raise Bound(f"its output grows past {MAX_OUTPUT} characters")

    def spend(self, count: int) -> None:
        self.work -= count
        if self.work < 0:
            raise Bound("its loops, expressions and filters do too much work")
        self.charges += 1
        if count > LARGE or not self.charges % 64:
            self.look_at_clock()

    def look_at_clock(self) -> None:
        if time.thread_time() - self.started > MAX_SECONDS:
            raise Bound(f"it takes more than {MAX_SECONDS:g} seconds")


BUDGET: ContextVar[RenderingBudget] = ContextVar("budget")


def size(value: object) -> int:
    """What it costs to look at each character or element of a value once."""
    if isinstance(value, str):
        return len(value)
    return len(value) * ELEMENT if isinstance(value, list | tuple | dict | range) else 1


def weight_of(value: object) -> Weight:
    """What there is to read in a value; an error when that is more than may still be read."""
    budget = BUDGET.get()
    weight = weigh(value, budget.work // ELEMENT)
    budget.spend(weight.elements * ELEMENT)
    return weight


def tick(cost: int) -> str:
    """Pay for one turn of a loop or one call of a macro or block, with the template's own text in it."""
    budget = BUDGET.get()
    budget.spend(TURN)
    budget.write(cost)
    return ""


def step(value: Any) -> Any:
    BUDGET.get().spend(STEP)
    return value


def sized(value: Any) -> Any:
    """A value that is about to be read, or was just copied, to its end."""
    BUDGET.get().spend(STEP + size(value))
    return value


def weighed(value: Any) -> Any:
    """A new list, tuple or object: with all it holds, so that none can be built that could not be read."""
    if isinstance(value, Iterator):
        value = list(value)
    if isinstance(value, list | tuple | dict):
        weight_of(value)
    else:
        BUDGET.get().spend(size(value))
    return value


def text_of(value: Any) -> str:
    """Lists and objects as JSON, the rest as jinja2 writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | dict):
        BUDGET.get().spend(weight_of(value).characters)
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def usable(value: Any) -> Any:
    """Refuse an integer that arithmetic would choke on."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Bound("a number is too large")
    return value
