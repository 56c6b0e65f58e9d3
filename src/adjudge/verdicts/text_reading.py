"""What a text form found: the values, and where the words that decided stand."""

from dataclasses import dataclass, field
from typing import Literal

from adjudge.identity_cache import cache_by_identity
from adjudge.records import Contract, Json
from adjudge.verdicts.names import properties
from adjudge.verdicts.validate import TRUTH, branches_of
from adjudge.verdicts.values import Allowed, ValueProblem, allowed_by, exact_value, read_value

Mark = Literal["label", "tag", "brackets", "line", "set off"]


@dataclass(kw_only=True, slots=True)
class TextReading:
    """One reading of a reply as text. `values` of needed properties are typed, the rest is text."""

    values: dict[str, Json] = field(default_factory=dict)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """The label with its value, the tag, the brackets: one for each needed property."""
    value_spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    problem: str = ""
    mark: Mark = "label"
    """What the verdict stands in: a verdict in the case is the same one only in a mark of the same kind."""

    @property
    def alone(self) -> bool:
        """The span may be no more than a letter, which a case holds only where it is set off as it is in the reply."""
        return self.mark in {"line", "set off"}


@cache_by_identity
def allowed_in(contract: Contract, name: str) -> tuple[Allowed, ...]:
    """What each form that the schema gives a property allows; one, unless it has alternatives."""
    schema = properties(contract).get(name, {})
    words = contract.words.get(name, {})
    found = []
    for branch in branches_of(schema) or [schema]:
        if branch.get("type") == "boolean":
            found.append(allowed_by({"enum": [True, False]}, {**TRUTH, **words}))
        else:
            found.append(allowed_by(branch, words))
    return tuple(each for each in found if each.number or each.options is not None or each.words)


def is_scalar(contract: Contract, name: str) -> bool:
    """Whether a property is a number, a label or a truth value: something one line can say."""
    return bool(allowed_in(contract, name))


def value_of(text: str, contract: Contract, name: str, *, strict_ending: bool = False) -> Json | ValueProblem:
    """A needed value from its words; free text is taken as it is."""
    problem: ValueProblem | None = None
    for allowed in allowed_in(contract, name):
        value = read_value(text, allowed, strict_ending=strict_ending)
        if not isinstance(value, ValueProblem):
            return value
        problem = problem or value
    return problem or text.strip() or ValueProblem("is empty")


def only_value(line: str, contract: Contract, name: str) -> Json | ValueProblem:
    """The value of a line that is nothing else."""
    for allowed in allowed_in(contract, name) if len(line) <= 200 else ():
        value = exact_value(line, allowed)
        if not isinstance(value, ValueProblem):
            return value
    return ValueProblem("is not on a line of its own")
