"""Click's options from declared ones. Each is also read from `ADJUDGE_<FLAG>`, and from adjudge.toml as far as its rule allows."""

import os
import types
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import click
from click.core import ParameterSource

from adjudge.cli.config import validate_value
from adjudge.errors import SettingsError
from adjudge.options import declared, option, split_values
from adjudge.options.declaration import FileRule, OptionField
from adjudge.options.exclusions import Setting, validate_options

if TYPE_CHECKING:
    from adjudge.records import Json


class Flag(click.Option):
    unset: Any = None
    """Its default as declared, whatever adjudge.toml and the environment say."""

    def __init__(self, declarations: Sequence[str], *, config: FileRule, **attrs: Any) -> None:
        self.config = config
        self.keys = tuple(word[2:].replace("-", "_") for word in declarations if word.startswith("--"))
        """Its names in adjudge.toml, the one to use first."""
        attrs.setdefault("envvar", [f"ADJUDGE_{key.upper()}" for key in self.keys])
        super().__init__(declarations, **attrs)

    @property
    def key(self) -> str:
        return self.keys[0]

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """In click's messages, the name to use alone: not `--columns' / '--map`."""
        return f"'{self.opts[0]}'"

    def variable_set(self, environ: Mapping[str, str]) -> str | None:
        """The environment variable that gives its value."""
        return next((name for name in self.envvar or () if environ.get(name)), None)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        value = super().process_value(ctx, value)
        assert self.name is not None
        if ctx.get_parameter_source(self.name) is ParameterSource.DEFAULT_MAP:
            validate_value(self.config, self.key, value, ctx)
        return value

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        if self.multiple and isinstance(value, str | int | float):
            value = [value]  # adjudge.toml may give one value without a list
        if isinstance(value, float) and isinstance(self.type, click.types.IntParamType):
            value = str(value)  # so that 3.5 is refused and not cut to 3
        return super().type_cast_value(ctx, value)

    def value_from_envvar(self, ctx: click.Context) -> Any:
        """A repeatable flag's variable holds one value a line, or several with commas between them."""
        text = self.resolve_envvar_value(ctx)
        if text is None or not self.multiple:
            return super().value_from_envvar(ctx)
        return self._parts(text)

    def _parts(self, text: str) -> list[str]:
        return split_values(text)


class Pairs(Flag):
    """A repeatable `name=value` flag, split at the first `=`; adjudge.toml may give it as a table."""

    def __init__(
        self, declarations: Sequence[str], *, config: FileRule, json: bool = False, **attrs: Any
    ) -> None:
        attrs.setdefault("metavar", "NAME=VALUE")
        super().__init__(declarations, config=config, multiple=True, **attrs)
        self._json = json
        """Values are JSON where they read as JSON, else text: `--param top_p=0.9`."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        return super().process_value(ctx, value) or {}  # click's empty is a tuple

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        if isinstance(value, Mapping):
            value = [f"{name}={item}" for name, item in value.items()]
        pairs: dict[str, Json] = {}
        for text in super().type_cast_value(ctx, value):
            name, equals, item = text.partition("=")
            name = name.strip()
            if not equals or not name:
                raise click.BadParameter(f"`{text}` is not of the form name=value", ctx, self)
            if name in pairs:
                raise SettingsError(self.opts[0], f"`{name}` is given twice", "give each name once")
            pairs[name] = _read_json(item) if self._json else item
        return pairs

    def _parts(self, text: str) -> list[str]:
        return [part.strip() for part in text.splitlines() if part.strip()]  # a value may hold commas


def _read_json(text: str) -> "Json":
    import orjson

    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return value


class ParsedText(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click alone
    """Text that becomes something else, such as an amount."""

    def __init__(self, parse: Callable[[str], object]) -> None:
        self.name = "text"
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str | int | float):
            return value  # the default
        try:
            return self._parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class FiniteFloat(click.FloatRange):
    """A number; `nan` and `inf` would lift the limit they are given for, since no comparison with them holds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def make_flag(each: OptionField, *, help: str | None = None) -> Flag:  # noqa: A002 - as click calls it
    """`help`: instead of the declared words."""
    flag = _flag(each, help)
    flag.unset = each.default
    return flag


def _flag(each: OptionField, words_of_help: str | None) -> Flag:
    option, kind = each.option, _without_none(each.type)
    words = [each.flag, *("--" + alias.replace("_", "-") for alias in option.aliases)]
    attrs: dict[str, Any] = {
        "help": words_of_help or option.help,
        "metavar": option.metavar,
        "required": option.required,
    }
    if option.parse is not None:
        attrs["type"] = ParsedText(option.parse)
        attrs["default"] = each.default
    elif kind is bool:
        attrs["is_flag"] = True
    elif isinstance(each.default, Mapping):
        pairs = {"json": get_args(kind)[1] is not str, "help": attrs["help"]}
        return Pairs([*words, *filter(None, [option.short]), each.name], config=option.config, **pairs)
    elif isinstance(each.default, tuple):
        attrs["multiple"] = True
        attrs["type"] = _scalar(next(iter(get_args(kind)), str), each)
    else:
        attrs["type"] = _scalar(kind, each)
        attrs["default"] = each.default
        attrs["show_default"] = each.default is not None
    return Flag([*words, *filter(None, [option.short]), each.name], config=option.config, **attrs)


def _scalar(kind: Any, each: OptionField) -> Any:
    option = each.option
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind in {int, float}:
        bounds: dict[str, Any] = {
            "min": option.least if option.above is None else option.above,
            "max": option.most if option.below is None else option.below,
        }
        if kind is int and bounds == {"min": None, "max": None}:
            return kind
        made: Any = click.IntRange if kind is int else FiniteFloat
        return made(min_open=option.above is not None, max_open=option.below is not None, **bounds)
    return click.Path(path_type=Path) if kind is Path else str


def _without_none(kind: Any) -> Any:
    if get_origin(kind) in {Union, types.UnionType}:
        others = [each for each in get_args(kind) if each is not type(None)]
        return others[0] if len(others) == 1 else Union  # several: on the command line it is text
    return kind


def flags_of(record: type, names: Sequence[str], words: Mapping[str, str]) -> list[Flag]:
    """The flags of these fields, or of all; `words`: the help of some, where a command needs other words."""
    options = declared(record)
    return [make_flag(options[name], help=words.get(name)) for name in names or options]


def validate_together(params: Sequence[click.Parameter], values: Mapping[str, Any]) -> None:
    """Refuse flags that exclude each other, wherever each of them was set."""
    context = click.get_current_context()
    flags = {each.opts[0]: each for each in params if isinstance(each, Flag)}
    settings = {name: Setting(values[each.name or ""], each.unset) for name, each in flags.items()}
    settings |= {
        each.name.upper(): Setting(values[each.name], None)
        for each in params
        if isinstance(each, click.Argument) and each.name
    }

    def spell(flag: str, value: str) -> str:
        each = flags.get(flag)
        source = None if each is None else context.get_parameter_source(each.name or "")
        if each is not None and source is ParameterSource.ENVIRONMENT:
            return f"{each.variable_set(os.environ)}{'=' if value else ''}{value}"
        found = option(flag, value)
        return f"{found} (from adjudge.toml)" if source is ParameterSource.DEFAULT_MAP else found

    validate_options(settings, spell)
