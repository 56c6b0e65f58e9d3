"""Scores that a judge file writes down itself, worked out: a field, points for a label, an expression with its values."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from adjudge.expressions import EvaluationError, parse_expression
from adjudge.expressions.evaluate import evaluate
from adjudge.expressions.syntax import Apply, Chain, Compare, Junction, Literally, Name, Negative, Node, Not
from adjudge.records import ExpressionScore, FieldScore, Json, Judge, PointsScore
from adjudge.reports.worked_steps import Decider, Step, exact_text
from adjudge.scoring.rules import PointsScorer, numeric, rationale_notes
from adjudge.scoring.scale import plain
from adjudge.scoring.text import as_text, clipped


def field_steps(rule: FieldScore, parts: Mapping[str, Json], decided: Decider = "model") -> Iterator[Step]:
    said = parts.get(rule.field)
    number = None if said is None else numeric(said)
    if number is None:
        return
    yield Step(
        kind="field",
        label=f"`{rule.field}` of the verdict",
        value=clipped(as_text(said)),
        explanation="The score is what the model put into this field; it is not computed."
        if decided == "model"
        else "The score is the mean of the scale under the model's probabilities, rounded.",
        number=float(number),
    )
    for note in rationale_notes(parts, number):
        yield Step(
            kind="said",
            label="the verdict's own lines",
            value=note.partition(": ")[2],
            explanation="The model's counts and its score do not fit together. `score: coverage_rationale` in the judge "
            "file would make the counts decide.",
        )


def points_steps(rule: PointsScore, parts: Mapping[str, Json]) -> Iterator[Step]:
    said = parts.get(rule.field)
    points = None if said is None else PointsScorer(rule=rule, scale=None).points_of(as_text(said))
    if points is None:
        return
    yield Step(
        kind="field", label=f"`{rule.field}` of the verdict", value=clipped(as_text(said)), explanation=""
    )
    listed = ", ".join(f"{clipped(label, 40)} {plain(worth)}" for label, worth in rule.points.items())
    yield Step(
        kind="points",
        label=f"points for {clipped(as_text(said), 40)}",
        value=plain(points),
        explanation=f"The judge file gives points for each label: {listed}.",
        number=float(points),
    )


def expression_steps(rule: ExpressionScore, values: Mapping[str, Json]) -> Iterator[Step]:
    """`values` are the verdict's fields, and the `items` where the judge has them."""
    expression = parse_expression(rule.text)
    try:
        found = expression.evaluate(values)
        inside = expression.before_rounding()
        before = None if inside is None else inside.evaluate(values)
    except EvaluationError as error:
        yield Step(
            kind="expression",
            label="expression",
            value=rule.text,
            explanation=f"Cannot be computed: {error}.",
        )
        return
    if isinstance(found, str) or found is None:
        return
    yield Step(
        kind="expression",
        label="expression",
        value=rule.text,
        explanation="The judge file computes the score from the verdict.",
        details=tuple(value_details(expression.tree, values)),
    )
    yield Step(
        kind="values",
        label="with the values in it",
        value=f"{filled_in(expression.tree, values)} = {exact_text(Fraction(found))}",
        number=float(found),
    )
    if isinstance(before, Fraction | bool) and before != found:
        yield Step(
            kind="exact",
            label="exactly",
            value=exact_text(Fraction(before)),
            explanation="Before rounding; a half goes up.",
            number=float(before),
        )


def pass_step(judge: Judge, values: Mapping[str, Json], passed: bool | None) -> Step:  # noqa: FBT001 - the stored value
    """The rule with the numbers in it; what was stored stands where the rule is not known any more."""
    if judge.passes is None:
        said = (
            ""
            if passed is None
            else " The stored judgement was made under a rule that the store does not have."
        )
        return Step(
            kind="passes",
            label="passes",
            value="no rule" if passed is None else _yes(passed),
            explanation="The judge file has no `passes:`; `--pass 'score >= 4'` gives one for a run." + said,
            holds=passed,
        )
    expression = parse_expression(judge.passes)
    try:
        holds = bool(expression.evaluate(values))
        shown = filled_in(expression.tree, values)
    except EvaluationError as error:
        return Step(
            kind="passes",
            label="passes",
            value="not known" if passed is None else _yes(passed),
            explanation=f"The rule `{judge.passes}` cannot be computed: {error}.",
            holds=passed,
        )
    differs = "" if passed in (None, holds) else f" Stored: {_yes(passed)}, under another rule."
    return Step(
        kind="passes",
        label="passes",
        value=_yes(holds if passed is None else passed),
        explanation=f"The rule is `{judge.passes}`: {shown} {'holds' if holds else 'does not hold'}.{differs}",
        holds=holds if passed is None else passed,
    )


def _yes(passed: bool | None) -> str:  # noqa: FBT001 - the stored value
    return "yes" if passed else "no"


# ---- expressions with their values ----


def value_details(node: Node, values: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Each name and each count over a list, once, with what it is."""
    seen: dict[str, str] = {}
    for name, part in _leaves(node):
        seen.setdefault(name, shown(part, values))
    yield from seen.items()


def _leaves(node: Node) -> Iterator[tuple[str, Node]]:
    match node:
        case Name(path=path):
            yield path, node
        case Apply(function="count" | "sum" as function, arguments=(Name(path=path), *rest)):
            more = "".join(f", {each.path}" for each in rest if isinstance(each, Name))
            yield f"{function}({path}{more})", node
        case Negative(operand=operand) | Not(operand=operand):
            yield from _leaves(operand)
        case Chain(first=first, rest=others) | Compare(first=first, rest=others):
            for each in (first, *(operand for _, operand in others)):
                yield from _leaves(each)
        case Junction(operands=operands) | Apply(arguments=operands):
            for each in operands:
                yield from _leaves(each)
        case _:
            pass


def filled_in(node: Node, values: Mapping[str, Json]) -> str:
    match node:
        case Chain(first=first, rest=rest):
            signs = {"*": "×", "/": "÷", "-": "−", "+": "+"}
            return inner(first, values, node) + "".join(
                f" {signs[sign]} {inner(each, values, node)}" for sign, each in rest
            )
        case Compare(first=first, rest=rest):
            return inner(first, values, node) + "".join(
                f" {sign} {inner(each, values, node)}" for sign, each in rest
            )
        case Junction(word=word, operands=operands):
            return f" {word} ".join(inner(each, values, node) for each in operands)
        case Negative(operand=operand):
            return f"−{inner(operand, values, node)}"
        case Not(operand=operand):
            return f"not {inner(operand, values, node)}"
        case Apply(function="round" | "min" | "max" as function, arguments=arguments):
            return f"{function}({', '.join(filled_in(each, values) for each in arguments)})"
        case _:
            return shown(node, values)


def inner(node: Node, values: Mapping[str, Json], outer: Node) -> str:
    """In parentheses where it is more than one value and nobody could be sure what binds closer."""
    text = filled_in(node, values)
    match outer, node:
        case (Junction(), Compare()) | (Compare(), Chain()):
            return text
        case (Chain(rest=around), Chain(rest=within)) if _adds(around) and not _adds(within):
            return text
        case _:
            return f"({text})" if isinstance(node, Chain | Compare | Junction) else text


def _adds(rest: tuple[tuple[str, Node], ...]) -> bool:
    return any(sign in "+-" for sign, _ in rest)


def shown(node: Node, values: Mapping[str, Json]) -> str:
    try:
        found = node.value if isinstance(node, Literally) else evaluate(node, values)
    except EvaluationError:
        return "missing"
    match found:
        case bool():
            return "true" if found else "false"
        case Fraction():
            return exact_text(found)
        case None:
            return "null"
        case str():
            return f'"{clipped(found, 60)}"'
        case list():
            return f"a list of {len(found)}"
        case _:
            return "an object"
