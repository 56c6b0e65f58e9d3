"""How an option is declared: a field of a frozen record that knows its flag, its help, its bounds and what adjudge.toml may do with it."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:  # `adjudge --help` needs no record
    from adjudge.records import Json

NO_PAIRS: Mapping[str, str] = {}
NO_PARAMETERS: Mapping[str, "Json"] = {}
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRule:
    """What adjudge.toml may do with an option."""

    words: str
    """For the documentation."""
    check: Literal["nothing", "place", "model", "parameter"] = "nothing"
    """What each value is checked for, and of `name=value` the name."""
    refused: str | None = None
    """Why the option may not stand in the file at all."""


def never(why: str) -> FileRule:
    return FileRule(words=f"not allowed: {why}", refused=why)


ANY = FileRule(words="any value")
INSIDE = FileRule(words="a path inside the folder, links followed", check="place")
STORE = FileRule(words="a path inside the folder, links followed; no database server", check="place")
JUDGE = FileRule(words="a built-in judge, or a file inside the folder", check="place")
MODEL = FileRule(
    words="a model of `openai:`, `azure:`, `anthropic:` or `google:`, which is asked at the address and with the key "
    "of your environment; `embedded`; `replay`; `scripted:` with a file inside the folder; not `litellm:`",
    check="model",
)
PARAMETERS = FileRule(words="the parameters listed below for the model's provider", check="parameter")


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """How a field of an options record is set from outside; its type and default are the field's."""

    help: str
    config: FileRule
    flag: str | None = None
    """Its long flag, where that is not the field's name."""
    short: str | None = None
    aliases: tuple[str, ...] = ()
    """Other names: as keyword, flag, config key and environment variable."""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    metavar: str | None = None
    parse: Callable[[str], object] | None = None
    """What text becomes, where the field's type does not tell."""
    required: bool = False


class OptionField(NamedTuple):
    """A field of an options record, with all that is known about it."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def flag(self) -> str:
        return self.option.flag or "--" + self.name.replace("_", "-")


def opt(default: T, config: FileRule, help: str, **more: Any) -> T:  # noqa: A002 - as everybody calls it
    """A field of an options record; `more` is what else `Option` knows."""
    return declare(default, Option(config=config, help=help, **more))


def declare(default: T, option: Option) -> T:
    metadata = {"option": option}
    if isinstance(default, Mapping):
        made: T = field(default_factory=lambda: default, metadata=metadata)
        return made
    return field(default=default, metadata=metadata)


@cache
def declared(record: type) -> Mapping[str, OptionField]:
    """A record's options by field."""
    return {
        each.name: OptionField(
            each.name,
            each.type,
            each.default if each.default_factory is MISSING else each.default_factory(),
            each.metadata["option"],
        )
        for each in fields(record)
    }
