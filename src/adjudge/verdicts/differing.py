"""Whether a reply holds verdicts that differ in what the score needs: then none is taken without asking."""

from collections.abc import Iterator, Mapping

from adjudge.records import Contract, Json
from adjudge.verdicts.labelled import heading_bodies, inner_values, sections
from adjudge.verdicts.marks import bracket_values, opening_values, tag_values
from adjudge.verdicts.names import FieldNames
from adjudge.verdicts.objects import find_objects, settled
from adjudge.verdicts.text_reading import is_scalar, only_value, value_of
from adjudge.verdicts.unplaced import find_lists, nameless_values
from adjudge.verdicts.validate import to_verdict
from adjudge.verdicts.values import ValueProblem, as_number, trim

MAX_OBJECTS = 50
"""Objects of a reply that are compared; a reply with more of them says more than one thing."""


def holds_another(text: str, parts: Mapping[str, Json], contract: Contract, names: FieldNames) -> bool:
    """Whether anything in the reply that could be the verdict says something else than `parts`."""
    return any(parts[name] != value for name, value in claims(text, contract, names) if name in parts)


def is_concluded(text: str, contract: Contract, names: FieldNames) -> bool:
    """Whether a reply has given a verdict by now: a JSON object, or words that begin in the form that was asked for."""
    if any(
        found.value is not None and not isinstance(to_verdict(found.value, contract, names), ValueProblem)
        for found in find_objects(text, names)
    ):
        return True
    if contract.form == "list" and any(True for _ in find_lists(text)):
        return True
    first, _, rest = text.lstrip().partition("\n")
    if any(True for _ in sections(first, contract)):  # `Evaluation: …`, and the rating on a line further down
        first += f"\n{rest}"
    return any(True for _ in _claims_in_words(first, contract))


def claims(text: str, contract: Contract, names: FieldNames) -> Iterator[tuple[str, Json]]:
    """Each needed property with each value that a reply gives it, where a verdict could stand."""
    words = text
    for count, unsettled in enumerate(find_objects(text, names)):
        if count == MAX_OBJECTS:
            yield contract.needs[0], None
            return
        found = settled(unsettled, names)
        words = words[: found.start] + " " * (found.end - found.start) + words[found.end :]
        if found.value is None:
            continue
        verdict = to_verdict(found.value, contract, names)
        if not isinstance(verdict, ValueProblem):
            yield from ((name, verdict.parts[name]) for name in contract.needs)
        else:
            # A number off the scale is a verdict all the same; words may only describe the format.
            given = names.pick(found.value).values
            yield from (
                (name, given[name]) for name in contract.needs if isinstance(given.get(name), int | float)
            )
    yield from _claims_in_words(words, contract)


def _claims_in_words(text: str, contract: Contract) -> Iterator[tuple[str, Json]]:
    for name in contract.needs:
        if not is_scalar(contract, name):
            continue
        for value in _marked(text, contract, name):
            if not isinstance(value, ValueProblem):
                yield name, value


def _marked(text: str, contract: Contract, name: str) -> Iterator[Json | ValueProblem]:
    if contract.form == "tags":
        yield from tag_values(text, contract, name)
    elif contract.form == "brackets":
        yield from bracket_values(text, contract, name)
    elif contract.form == "bare":
        yield from opening_values(text, contract, name)
    elif contract.form == "last":
        yield from nameless_values(text, contract, name)
    headed = False
    for section, body in heading_bodies(text, contract, name):
        headed = True
        separated = text[section.start : section.body].rstrip(' \t*_`"”')[-1:] in ":：=|-–—"
        # `Score 3: fair` describes a level of the scale; `Score 3` and `Score: 3, fair` are verdicts.
        value = value_of(body, contract, name) if separated else only_value(body, contract, name)
        off_scale = as_number(trim(body)) if isinstance(value, ValueProblem) else None
        yield value if off_scale is None else off_scale
    if not headed:
        # Before an object or a tag a label inside a line is prose; where labels decide, any line may hold the verdict.
        yield from inner_values(
            text, contract, name, last_line=contract.form not in {"line", "sections", "last"}
        )
