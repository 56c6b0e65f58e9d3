"""Judge files without a prompt -> Judge: `check:` looks at the case in code, `combine:` computes with other judges' scores."""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Protocol

from msgspec.structs import replace

from adjudge.errors import ExpressionError, JudgeFileError
from adjudge.expressions import EvaluationError, Expression, parse_expression
from adjudge.judges.assembly.score import validate_pass_rule
from adjudge.judges.declared import Declared, clean_name
from adjudge.judges.front_matter import MAX_CHARS, Located, SplitFile
from adjudge.judges.identity import judge_hash
from adjudge.judges.judge_file import front_matter_line
from adjudge.records import CombineScore, Contract, Input, Json, Judge, Scale
from adjudge.schemas import object_schema
from adjudge.text import did_you_mean

ALLOWED = frozenset({"adjudge", "name", "description", "passes", "anchors"})
WITH_A_CHECK = ALLOWED | {"check", "when_missing", "when_empty"}
WITH_A_COMBINATION = ALLOWED | {"combine", "scale"}
MAX_PARTS = 12
UNIT = Scale(low=0.0, high=1.0)
_PART_NAME = re.compile(r"[^\W\d]\w*")


class LoadPart(Protocol):
    """Finds a judge that a combination names; what is not there, or leads back to the file itself, is an error."""

    def __call__(self, reference: str, *, name: str, where: str) -> Judge: ...


def assemble_in_code(
    declared: Declared, split: SplitFile, *, name: str, text: str, load_part: LoadPart
) -> Judge | None:
    """None for a file that has a prompt, as most have."""
    if declared.check is not None:
        _refuse_others(declared, split, "check", WITH_A_CHECK)
        judge = _checking(declared, declared.check, name=name, text=text)
    elif declared.combine is not None:
        _refuse_others(declared, split, "combine", WITH_A_COMBINATION)
        judge = _combining(declared, declared.combine, split, name=name, text=text, load_part=load_part)
    else:
        return None
    if declared.passes is not None:
        validate_pass_rule(declared.passes, judge.contract, declared)
    return replace(judge, hash=judge_hash(judge))


def _refuse_others(declared: Declared, split: SplitFile, key: str, allowed: frozenset[str]) -> None:
    if split.body.strip():
        skipped = len(split.body) - len(split.body.lstrip())
        line = split.body_line + split.body.count("\n", 0, skipped)
        raise JudgeFileError(
            f"{declared.where} line {line}",
            f"there is text below the front matter, and a file with `{key}:` has no prompt",
            f"remove the text, or `{key}:`",
        )
    for other in declared.lines:
        if other not in allowed and other not in declared.ignored:
            raise declared.error(
                other,
                f"`{other}` has no meaning beside `{key}:`",
                f"remove it; beside `{key}` there can be {', '.join(sorted(allowed - {'adjudge', key}))}",
            )


def _judge(declared: Declared, *, name: str, text: str, **more: object) -> Judge:
    return Judge(
        name=declared.name or clean_name(name),
        hash="",
        messages=(),
        dialect="none",
        anchors=declared.anchors or {},
        description=declared.description,
        ignored=declared.ignored,
        text=text,
        **more,  # type: ignore[arg-type]  # fields of Judge, named by the two functions below
    )


def _checking(declared: Declared, entry: Located, *, name: str, text: str) -> Judge:
    from adjudge.judges.declared_check import read_check  # noqa: PLC0415 - slow to load, and few files have one

    check, rule = read_check(declared, entry)
    for key, value in (("when_missing", declared.when_missing), ("when_empty", declared.when_empty)):
        if isinstance(value, float) and not UNIT.low <= value <= UNIT.high:
            raise declared.error(key, f"the score {value:g} of `{key}` is off the scale 0 to 1", "use 0 to 1")
    fields: dict[str, Json] = {
        "reason": {"type": "string"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "compared": {"type": "object"},
    }
    return _judge(
        declared,
        name=name,
        text=text,
        inputs=check.inputs_with(rule.parameters),
        contract=Contract(schema=object_schema(fields), needs=("score",), structured=False),
        score=rule,
        scale=UNIT,
        passes=declared.passes or (None if check.graded else "score >= 1"),
        when_missing=declared.when_missing,
        when_empty=declared.when_empty,
    )


# ---- combinations ----


def _combining(
    declared: Declared, entry: Located, split: SplitFile, *, name: str, text: str, load_part: LoadPart
) -> Judge:
    formula, references = _formula(declared, entry)
    expression = _parse(declared, formula)
    own_name = declared.name or clean_name(name)
    parts: dict[str, Judge] = {}
    for part_name in sorted(expression.names):
        reference = references.get(part_name, Located(value=part_name, line=entry.line))
        place = f"{declared.where} line {reference.line}"
        parts[part_name] = load_part(str(reference.value), name=part_name, where=place)
    _validate_parts(declared, parts, references, own_name)
    scale = declared.scale or UNIT
    _validate_range(declared, expression, scale)
    schema = object_schema({part: {"type": "number", "minimum": 0, "maximum": 1} for part in parts})
    return _judge(
        declared,
        name=name,
        text=_self_contained(declared, split, formula, parts) if references or _from_files(parts) else text,
        inputs=tuple(_inputs(parts)),
        contract=Contract(schema=schema, needs=tuple(parts), structured=False),
        score=CombineScore(text=formula, parts=parts),
        scale=scale,
        passes=declared.passes,
    )


def _formula(declared: Declared, entry: Located) -> tuple[str, Mapping[str, Located]]:
    """`combine: 0.5 * a + 0.5 * b`, or `combine: {score: 0.5 * a + 0.5 * b, judges: {a: folder/a.md}}`."""
    if isinstance(entry.value, str) and entry.value.strip():
        return entry.value.strip(), {}
    score, judges = entry.entries.get("score"), entry.entries.get("judges")
    if set(entry.entries) - {"score", "judges"} or score is None or not isinstance(score.value, str):
        raise declared.error(
            "combine",
            "`combine` is not an expression over judges",
            "write `combine: 0.5 * correctness + 0.5 * tools`, or {score: …, judges: {tools: checks/tools.md}}",
        )
    named = {} if judges is None else judges.entries
    for part, reference in named.items():
        if not isinstance(reference.value, str) or not reference.value.strip():
            raise JudgeFileError(
                f"{declared.where} line {reference.line}",
                f"`{part}` of `judges` is not the name of a judge",
                "name a built-in judge, or a file beside this one",
            )
    return score.value.strip(), named


def _parse(declared: Declared, formula: str) -> Expression:
    try:
        expression = parse_expression(formula)
    except ExpressionError as error:
        raise declared.error(
            "combine", f"`{formula}` is not an expression: {error.problem}", error.hint
        ) from None
    if not expression.names:
        raise declared.error(
            "combine", f"`{formula}` names no judge", "write `0.5 * correctness + 0.5 * tools`"
        )
    if len(expression.names) > MAX_PARTS:
        raise declared.error(
            "combine", f"it names {len(expression.names)} judges", f"combine {MAX_PARTS} at most"
        )
    for name in sorted(expression.names):
        if not _PART_NAME.fullmatch(name):
            raise declared.error(
                "combine",
                f"`{name}` cannot stand for a judge in an expression",
                "name it in `judges:`: `combine: {score: 0.5 * correctness + 0.5 * tools, judges: {tools: tools.v2.md}}`",
            )
    return expression


def _validate_parts(
    declared: Declared, parts: Mapping[str, Judge], references: Mapping[str, Located], own_name: str
) -> None:
    unused = sorted(references.keys() - parts.keys())
    if unused:
        raise JudgeFileError(
            f"{declared.where} line {references[unused[0]].line}",
            f"`judges` names `{unused[0]}`, which the expression does not use",
            did_you_mean(unused[0], parts, "use it in `score`, or remove it"),
        )
    seen: dict[str, str] = {own_name: ""}
    for part, judge in all_parts(parts):
        if judge.name == own_name or seen.get(judge.name, judge.hash) != judge.hash:
            other = "this file" if judge.name == own_name else "another part"
            raise declared.error(
                "combine",
                f"the judge of `{part}` is called `{judge.name}`, and so is {other}",
                "give one of the two another name with `name:`: rows are known by the judge's name",
            )
        seen[judge.name] = judge.hash
        if judge.scale is None:
            raise declared.error(
                "combine",
                f"`{part}` has no scale, so its score cannot be normalized",
                "add `scale: [lo, hi]` to its file",
            )


def all_parts(parts: Mapping[str, Judge]) -> Iterator[tuple[str, Judge]]:
    """Those of parts that are combinations themselves too, before them."""
    for name, judge in parts.items():
        if isinstance(judge.score, CombineScore):
            yield from all_parts(judge.score.parts)
        yield name, judge


def _validate_range(declared: Declared, expression: Expression, scale: Scale) -> None:
    """Where every part is at an end of its scale the score has to be on this one's; a weighted sum is extreme there."""
    names = sorted(expression.names)
    for ends in product((0, 1), repeat=len(names)):
        values = dict(zip(names, ends, strict=True))
        try:
            value = expression.evaluate(values)
        except EvaluationError as error:
            shown = ", ".join(f"{name} {end}" for name, end in values.items())
            raise declared.error(
                "combine",
                f"`{expression.text}` cannot be computed for {shown}: {error}",
                "write a weighted sum",
            ) from None
        if isinstance(value, str) or value is None:
            raise declared.error("combine", f"`{expression.text}` is not a number", "write a weighted sum")
        if not scale.low <= value <= scale.high:
            shown = ", ".join(f"{name} {end}" for name, end in values.items())
            raise declared.error(
                "combine",
                f"the score is {float(value):g} for {shown}, off the scale {scale.low:g} to {scale.high:g}",
                "let the weights add up to 1, or set `scale: [lo, hi]`",
            )


def _inputs(parts: Mapping[str, Judge]) -> Iterator[Input]:
    """What any part reads, each name once; a part says itself what it lacks."""
    found: dict[str, Input] = {}
    for judge in parts.values():
        for item in judge.inputs:
            found.setdefault(item.name, item)
    yield from found.values()


def _from_files(parts: Mapping[str, Judge]) -> bool:
    return any(not judge.built_in for judge in parts.values())


def _self_contained(declared: Declared, split: SplitFile, formula: str, parts: Mapping[str, Judge]) -> str:
    """The file with its parts written into it, as a store keeps it: their files may change or go."""
    assert split.front_matter is not None
    judges: dict[str, Json] = {
        name: f"{judge.name}@{judge.hash}" if judge.built_in else judge.text for name, judge in parts.items()
    }
    values: dict[str, Json] = {key: entry.value for key, entry in split.front_matter.entries.items()}
    values["combine"] = {"score": formula, "judges": judges}
    text = "---\n" + "".join(f"{front_matter_line(key, value)}\n" for key, value in values.items()) + "---\n"
    if len(text) > MAX_CHARS:
        raise declared.error(
            "combine",
            f"its parts have {len(text)} characters together",
            f"combine judges of {MAX_CHARS} at most",
        )
    return text
