"""Flags that several commands share. Every flag can also be set as `ADJUDGE_<FLAG>`."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from adjudge.cli.config import (
    ANY,
    JUDGE,
    MODEL,
    PARAMETERS,
    STORE,
    UNDECLARED,
    Rule,
    check_value,
    never,
)
from adjudge.errors import SettingsError
from adjudge.records import Json
from adjudge.runs.budget import Price
from adjudge.store import DEFAULT_STORE

F = TypeVar("F", bound=Callable[..., Any])


class Flag(click.Option):
    """An option that is also read from `ADJUDGE_<ITS LONG NAME>`, and from adjudge.toml as far as its rule allows."""

    def __init__(
        self, param_decls: Sequence[str] | None = None, *, config: Rule = UNDECLARED, **attrs: Any
    ) -> None:
        long = next(word for word in param_decls or () if word.startswith("--"))
        self.key = long[2:].replace("-", "_")
        self.config = config
        attrs.setdefault("envvar", f"ADJUDGE_{self.key.upper()}")
        super().__init__(param_decls, **attrs)

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        value = super().process_value(ctx, value)
        assert self.name is not None
        if ctx.get_parameter_source(self.name) is ParameterSource.DEFAULT_MAP:
            check_value(self.config, self.key, value, ctx)
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
        return [part.strip() for part in self._parts(text) if part.strip()]

    def _parts(self, text: str) -> list[str]:
        return text.splitlines() if "\n" in text else text.split(",")


def flag(
    *declarations: str, config: Rule = UNDECLARED, cls: type[Flag] = Flag, **attrs: Any
) -> Callable[[F], F]:
    """`config` says what adjudge.toml may do with it."""
    return click.option(*declarations, cls=cls, config=config, **attrs)


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, shown by `--help` in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


class Pairs(Flag):
    """A repeatable `name=value` flag, split at the first `=`; adjudge.toml may give it as a table."""

    def __init__(
        self, param_decls: Sequence[str] | None = None, *, config: Rule = UNDECLARED, **attrs: Any
    ) -> None:
        super().__init__(param_decls, config=config, multiple=True, metavar="NAME=VALUE", **attrs)

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        if isinstance(value, Mapping):
            value = [f"{name}={item}" for name, item in value.items()]
        return tuple(self._split(text, ctx) for text in super().type_cast_value(ctx, value))

    def _parts(self, text: str) -> list[str]:
        return text.splitlines()  # a value may hold commas

    def _split(self, text: str, ctx: click.Context) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"`{text}` is not of the form name=value", ctx, self)
        return name.strip(), value


def as_mapping(pairs: Sequence[tuple[str, str]], where: str) -> dict[str, str]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(where, f"`{name}` is given twice", "give each name once")
    return dict(pairs)


def as_parameters(pairs: Sequence[tuple[str, str]]) -> dict[str, Json]:
    """`--param top_p=0.9`: the value is JSON where it reads as JSON, else a string."""
    import orjson

    parameters: dict[str, Json] = {}
    for name, text in as_mapping(pairs, "--param").items():
        try:
            parameters[name] = orjson.loads(text)
        except orjson.JSONDecodeError:
            parameters[name] = text
    return parameters


def parse_decimal(ctx: click.Context, param: click.Parameter, value: str | None) -> Decimal | None:
    """Money is counted exactly."""
    if value is None:
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise click.BadParameter(f"`{value}` is no amount", ctx, param)
    return amount


model_options = together(
    flag(
        "--model",
        "-m",
        config=MODEL,
        help="Who judges: `provider:NAME`; `adjudge models` lists what can be used.",
    ),
    flag(
        "--base-url",
        config=never("it could send your key to its author's server"),
        help="Another server that speaks the provider's protocol (vLLM, llama.cpp, Ollama …).",
    ),
    flag(
        "--temperature",
        config=ANY,
        type=click.FloatRange(0, 2),
        help="Instead of 0, or of what the judge says.",
    ),
    flag("--max-output-tokens", config=ANY, type=click.IntRange(1), help="Instead of what the judge says."),
    flag(
        "--param", config=PARAMETERS, cls=Pairs, help="A further request parameter, `k=v`; may be repeated."
    ),
)

input_options = together(
    flag(
        "--map",
        "maps",
        config=ANY,
        cls=Pairs,
        help="Take an input from another column: `--map response=answer`.",
    ),
    flag(
        "--set",
        "sets",
        config=ANY,
        cls=Pairs,
        help="Give an input one value for all cases: `--set focus=tone`.",
    ),
)

judges_option = flag(
    "--judge",
    "-J",
    "judges",
    config=JUDGE,
    multiple=True,
    help="A built-in judge's name or a judge file; may be repeated.",
)
jobs_option = flag(
    "--jobs", "-j", config=ANY, type=int, default=64, show_default=True, help="Calls in flight."
)
repeat_option = flag(
    "--repeat", config=ANY, type=int, default=1, show_default=True, help="Judge each case this often."
)
price_option = flag(
    "--price",
    config=never("a price of nothing would lift your --max-cost"),
    metavar="IN,OUT",
    help="US dollars per million tokens, instead of the price list's.",
)
limit_options = together(
    flag(
        "--max-cost",
        config=ANY,
        callback=parse_decimal,
        metavar="USD",
        help="Send nothing that could take the run's cost above this, resumed or not.",
    ),
    flag(
        "--max-calls",
        config=ANY,
        type=click.IntRange(1),
        help="Send at most this many requests in the whole run; retries count.",
    ),
    price_option,
    flag("--rpm", config=ANY, type=click.IntRange(1), help="At most so many requests a minute."),
)
pass_option = flag(
    "--pass", "pass_rule", config=ANY, help="Instead of the judge's pass rule: `--pass 'score >= 4'`."
)
as_option = flag(
    "--as",
    "form",
    config=ANY,
    type=click.Choice(["rows", "contract"]),
    default="rows",
    help="Print result rows, or what the judge's own output format asks for.",
)
slice_option = flag(
    "--slice",
    "slices",
    config=ANY,
    multiple=True,
    metavar="COLUMN",
    help="Report also by the values of this column or metadata key; may be repeated.",
)
verbose_option = flag(
    "--verbose",
    "-v",
    config=ANY,
    is_flag=True,
    help="Show details too: methods, hashes, costs, notes on normal work.",
)
json_option = flag("--json", "as_json", config=ANY, is_flag=True, help="Print JSON instead of text.")
store_option = flag(
    "--store",
    config=STORE,
    default=DEFAULT_STORE,
    show_default=True,
    help="Where judgements are kept: a folder, a .db file or a postgresql:// URL.",
)


def parse_price(text: str) -> Price:
    """`IN,OUT` in US dollars per million tokens."""
    try:
        price_in, price_out = (Decimal(part.strip()) for part in text.split(","))
    except (InvalidOperation, ValueError):
        price_in = price_out = Decimal("NaN")
    if not (price_in.is_finite() and price_out.is_finite() and price_in >= 0 and price_out >= 0):
        raise SettingsError("--price", f"`{text}` is not of the form IN,OUT", "such as --price 0.15,0.60")
    return Price(input=price_in, output=price_out)
