"""What a check is: the record that each module here makes one of, and the kinds of parameters a judge file may give it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, NoReturn, TypeAlias, TypeVar, get_args

from msgspec import Struct, structs

from adjudge.checks.finding import Fields, Finding
from adjudge.records import NOTHING, Failed, Input, Json
from adjudge.text import did_you_mean, is_finite, shorten

MAX_TEXTS = 1_000
MAX_TEXT_CHARS = 100_000
MAX_NUMBER = 10**12

RESPONSE = Input(name="response", required=True, source="response")
REFERENCE = Input(name="reference", required=True, source="reference")
QUESTION = Input(name="question", required=False, source="question")

Read: TypeAlias = Callable[[Json], Json]
P = TypeVar("P", bound=Struct)


class ParameterError(ValueError):
    """`problem` follows the parameter's name; `hint` says what to write."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem}: {hint}")
        self.problem = problem
        self.hint = hint


class Parameter(NamedTuple):
    """Stands beside the type of a field in a check's record of parameters."""

    read: Read
    """The value as the check takes it; a `ParameterError` where it is none."""
    about: str
    as_written: bool = False
    """Whether it takes a text as the file spells it: `text: 1.0` is not `text: 1`."""


class Check(Struct, Generic[P], frozen=True, kw_only=True):
    name: str
    version: int
    """Part of a judge's hash; a golden test fails when findings change and it does not."""
    parameters: type[P]
    run: Callable[[Fields, P], Finding | Failed]
    inputs: tuple[Input, ...] = (RESPONSE,)
    main: str | None = None
    """The parameter that `check: {NAME: value}` gives."""
    constant: str | None = None
    """The parameter that stands in place of the case's reference."""
    graded: bool = False
    """Its score is a share and not 1 or 0, so that only `passes:` says what is enough."""
    package: str | None = None
    """What the extra of the check's name installs."""

    def declared(self) -> dict[str, Parameter]:
        return {field.encode_name: field.type.__metadata__[0] for field in structs.fields(self.parameters)}

    def parameters_from(self, values: Mapping[str, Json]) -> P:
        """The record of values that were read; a `ParameterError` where they do not go together."""
        make: Callable[..., P] = self.parameters
        names = zip(self.parameters.__struct_fields__, self.parameters.__struct_encode_fields__, strict=True)
        return make(**{name: values[key] for name, key in names if key in values})

    def without_defaults(self, values: Mapping[str, Json]) -> Mapping[str, Json]:
        """Values that were read, checked together: those that are not the defaults are part of the judge's hash."""
        fields = {field.encode_name: field for field in structs.fields(self.parameters)}
        for key, field in fields.items():
            if field.required and key not in values:
                raise ParameterError(f"lacks `{key}`", f"add it ({self.declared()[key].about})")
        self.parameters_from(values)
        return {key: value for key, value in values.items() if value != fields[key].default} or NOTHING

    def inputs_with(self, parameters: Mapping[str, Json]) -> tuple[Input, ...]:
        return tuple(
            item for item in self.inputs if item.source != "reference" or self.constant not in parameters
        )


# ---- kinds of parameters ----


def one_text(about: str) -> Parameter:
    return Parameter(read_text, about, as_written=True)


def some_texts(about: str) -> Parameter:
    """A text, or a list of them."""

    def read(value: Json) -> Json:
        if not isinstance(value, list):
            return [read_text(value)]
        if not value or len(value) > MAX_TEXTS:
            raise ParameterError(f"is a list of {len(value)} texts", f"list 1 to {MAX_TEXTS}")
        return [read_text(each) for each in value]

    return Parameter(read, about, as_written=True)


def flag(about: str) -> Parameter:
    def read(value: Json) -> Json:
        if not isinstance(value, bool):
            _refuse(value, "true or false", "write true or false")
        return value

    return Parameter(read, about)


def non_negative_number(about: str) -> Parameter:
    """0 or more."""

    def read(value: Json) -> Json:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not is_finite(value)
            or not 0 <= value <= MAX_NUMBER
        ):
            _refuse(value, "a number from 0", "write a number, such as 0.04 for 4 %")
        return value

    return Parameter(read, about)


def whole_number(about: str) -> Parameter:
    def read(value: Json) -> Json:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_NUMBER:
            _refuse(value, "a whole number from 0", "write a whole number, such as 100")
        return value

    return Parameter(read, about)


def one_of(literal: object, about: str) -> Parameter:
    """A word of a `Literal`."""
    return Parameter(lambda value: _choice(value, get_args(literal)), about)


def some_of(known: Sequence[str], what: str, about: str) -> Parameter:
    """A word of a list, or several."""

    def read(value: Json) -> Json:
        listed = value if isinstance(value, list) else [value]
        if not listed:
            raise ParameterError("is an empty list", f"name {what}")
        return [*sorted({_choice(each, known) for each in listed})]

    return Parameter(read, about)


def read_text(value: Json) -> str:
    if isinstance(value, bool | list | dict) or value is None or not str(value):
        _refuse(value, "a text", "write a text, in quotes where YAML could take it for something else")
    found = str(value)
    if len(found) > MAX_TEXT_CHARS:
        raise ParameterError(f"has {len(found)} characters", f"write {MAX_TEXT_CHARS} at most")
    return found


def _choice(value: Json, known: Sequence[str]) -> str:
    listed = ", ".join(known)
    if value not in known:
        _refuse(value, f"one of {listed}", did_you_mean(str(value), known, f"write one of {listed}"))
    return str(value)


def _refuse(value: Json, wanted: str, hint: str) -> NoReturn:
    raise ParameterError(f"is `{shorten(str(value), 80)}`, not {wanted}", hint)
