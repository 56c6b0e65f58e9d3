"""The checks that a judge file may name, and the parameters of each; a wrong one is found when the file is loaded."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from adjudge.checks.json_schema import compile_schema
from adjudge.checks.problems import ParameterError
from adjudge.checks.regex import compile_pattern
from adjudge.records import NOTHING, Input, Json
from adjudge.text import did_you_mean, is_finite, shorten, words

LANGUAGES = words(
    """ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta th tl
    tr uk ur vi zh"""
)
"""Those that are told apart: of the rest, some are so near to another or so rare that a short odd text would be taken
for them."""
MOST_TEXTS = 1_000
LONGEST_TEXT = 100_000
LARGEST = 10**12

Read = Callable[[Json], Json]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    read: Read
    """The value as the check takes it; a `ParameterError` where it is none."""
    about: str
    default: Json = None
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckKind:
    about: str
    parameters: Mapping[str, Parameter]
    main: str | None = None
    """The parameter that `check: {NAME: value}` gives."""
    constant: str | None = None
    """The parameter that stands in place of the case's reference."""
    inputs: tuple[Input, ...] = ()
    graded: bool = False
    """Its score is a share and not 1 or 0, so that only `passes:` says what is enough."""

    def inputs_with(self, parameters: Mapping[str, Json]) -> tuple[Input, ...]:
        return tuple(
            item for item in self.inputs if item.source != "reference" or self.constant not in parameters
        )


# ---- kinds of values ----


def _shown(value: Json) -> str:
    return shorten(str(value), 80)


def _refuse(value: Json, wanted: str, hint: str) -> NoReturn:
    raise ParameterError(f"is `{_shown(value)}`, not {wanted}", hint)


def _text(value: Json) -> Json:
    if isinstance(value, bool | list | dict) or value is None or not str(value):
        _refuse(value, "a text", "write a text, in quotes where YAML could take it for something else")
    text = str(value)
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"has {len(text)} characters", f"write {LONGEST_TEXT} at most")
    return text


def _texts(value: Json) -> Json:
    if not isinstance(value, list):
        return [_text(value)]
    if not value or len(value) > MOST_TEXTS:
        raise ParameterError(f"is a list of {len(value)} texts", f"list 1 to {MOST_TEXTS}")
    return [_text(each) for each in value]


def _flag(value: Json) -> Json:
    if not isinstance(value, bool):
        _refuse(value, "true or false", "write true or false")
    return value


def _number(value: Json) -> Json:
    """0 or more."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not is_finite(value)
        or not 0 <= value <= LARGEST
    ):
        _refuse(value, "a number from 0", "write a number, such as 0.04 for 4 %")
    return value


def _count(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        _refuse(value, "a whole number from 0", "write a whole number, such as 100")
    return value


def _choice(*known: str) -> Read:
    def read(value: Json) -> Json:
        if value not in known:
            _refuse(
                value,
                f"one of {', '.join(known)}",
                did_you_mean(str(value), known, f"write one of {', '.join(known)}"),
            )
        return value

    return read


def _choices(known: Sequence[str], what: str) -> Read:
    one = _choice(*known)

    def read(value: Json) -> Json:
        listed = value if isinstance(value, list) else [value]
        if not listed:
            raise ParameterError("is an empty list", f"name {what}")
        return [*sorted({str(one(each)) for each in listed})]

    return read


def _pattern(value: Json) -> Json:
    text = _text(value)
    compile_pattern(str(text))
    return text


def _schema(value: Json) -> Json:
    compile_schema(value)
    return value


# ---- the checks ----

_RESPONSE = Input(name="response", required=True, source="response")
_REFERENCE = Input(name="reference", required=True, source="reference")
_QUESTION = Input(name="question", required=False, source="question")
_IGNORE = Parameter(
    read=_choices(("case", "space", "punctuation"), "what to ignore"),
    about="what does not count: `case`, `space` (how much white space), `punctuation`",
)

CHECKS: Mapping[str, CheckKind] = {
    "exact": CheckKind(
        about="the response is the expected text",
        parameters={
            "text": Parameter(read=_texts, about="the expected text, or a list of which any one suffices"),
            "ignore": _IGNORE,
        },
        main="text",
        constant="text",
        inputs=(_RESPONSE, _REFERENCE),
    ),
    "contains": CheckKind(
        about="the response contains the expected text",
        parameters={
            "text": Parameter(read=_texts, about="the expected text, or a list"),
            "need": Parameter(
                read=_choice("all", "any", "none"),
                about="how many of several texts are to be found; `all` for a list in the file, `any` for references",
            ),
            "ignore": _IGNORE,
        },
        main="text",
        constant="text",
        inputs=(_RESPONSE, _REFERENCE),
    ),
    "regex": CheckKind(
        about="the response matches a regular expression (RE2)",
        parameters={
            "pattern": Parameter(read=_pattern, about="in RE2's syntax", required=True),
            "match": Parameter(
                read=_choice("search", "full"),
                about="`search`: anywhere; `full`: the whole response",
                default="search",
            ),
            "absent": Parameter(
                read=_flag, about="`true`: it passes where the pattern is not found", default=False
            ),
        },
        main="pattern",
        inputs=(_RESPONSE,),
    ),
    "numeric": CheckKind(
        about="a number of the response agrees with the expected one",
        parameters={
            "tolerance": Parameter(
                read=_number, about="how far off it may be, as a share of the expected number", default=0.04
            ),
            "which": Parameter(
                read=_choice("last", "first", "any"),
                about="which number of the response is compared",
                default="last",
            ),
            "number": Parameter(read=_text, about="the expected number, with its unit"),
        },
        main="tolerance",
        constant="number",
        inputs=(_RESPONSE, _REFERENCE, _QUESTION),
    ),
    "json_schema": CheckKind(
        about="the response is JSON that validates against a JSON Schema",
        parameters={
            "schema": Parameter(read=_schema, about="a JSON Schema; without one any JSON passes"),
            "allow_fence": Parameter(
                read=_flag, about="`true`: the JSON may stand in a Markdown code fence", default=False
            ),
        },
        inputs=(_RESPONSE,),
    ),
    "similarity": CheckKind(
        about="how much of the reference's wording the response shares",
        parameters={
            "measure": Parameter(
                read=_choice("token_f1", "rouge_l"), about="token F1 or ROUGE-L", required=True
            ),
            "text": Parameter(
                read=_texts, about="the text to compare with, or a list of which the nearest counts"
            ),
        },
        main="measure",
        constant="text",
        inputs=(_RESPONSE, _REFERENCE),
        graded=True,
    ),
    "tool_calls": CheckKind(
        about="the tool calls are the expected ones",
        parameters={
            "order": Parameter(
                read=_choice("same", "any"),
                about="`same`: in the expected order; `any`: as a set",
                default="same",
            ),
            "arguments": Parameter(
                read=_choice("equal", "include", "ignore"),
                about="`equal`: the same arguments; `include`: at least the expected ones; `ignore`: names alone count",
                default="equal",
            ),
            "allow_extra": Parameter(
                read=_flag, about="`true`: further calls beside the expected ones do no harm", default=False
            ),
        },
        main="order",
        inputs=(
            Input(name="tool_calls", required=True, source="tool_calls"),
            Input(name="expected_tool_calls", required=True, source="expected_tool_calls"),
        ),
    ),
    "length": CheckKind(
        about="the response is neither too long nor too short",
        parameters={
            "unit": Parameter(
                read=_choice("characters", "words", "sentences", "tokens"),
                about="what is counted; tokens are estimated at four bytes each",
                default="words",
            ),
            "min": Parameter(read=_count, about="the least"),
            "max": Parameter(read=_count, about="the most"),
        },
        inputs=(_RESPONSE,),
    ),
    "language": CheckKind(
        about="the response is in one of these languages",
        parameters={
            "is": Parameter(
                read=_choices(sorted(LANGUAGES), "a language by its two letters, such as `en`"),
                about="two letters (ISO 639-1), or a list",
                required=True,
            ),
        },
        main="is",
        inputs=(_RESPONSE,),
    ),
}


def read_parameter(check: str, name: str, value: Json) -> Json:
    """The value as the check takes it; a `ParameterError` says what is wrong with it."""
    return CHECKS[check].parameters[name].read(value)


def given_parameters(check: str, values: Mapping[str, Json]) -> Mapping[str, Json]:
    """Values that were read, checked together, without those that are the defaults: they are part of the judge's hash."""
    kind = CHECKS[check]
    lacking = [name for name, each in kind.parameters.items() if each.required and name not in values]
    if lacking:
        about = kind.parameters[lacking[0]].about
        raise ParameterError(f"lacks `{lacking[0]}`", f"add it ({about})")
    if check == "length":
        least, most = values.get("min"), values.get("max")
        if least is None and most is None:
            raise ParameterError("has neither `min` nor `max`", "write, say, `check: {length: {max: 100}}`")
        if isinstance(least, int) and isinstance(most, int) and least > most:
            raise ParameterError(f"has `min: {least}` above `max: {most}`", "swap the two")
    given = {name: value for name, value in values.items() if value != kind.parameters[name].default}
    return given or NOTHING
