"""Python's keywords -> the options of a run."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from adjudge.errors import SettingsError
from adjudge.options.declaration import declared
from adjudge.options.exclusions import validate_run_options
from adjudge.options.run_options import Engine, Price, RunOptions, Shard, Turns, parse_shard, split_values
from adjudge.options.spelling import called_from_python, option

if TYPE_CHECKING:  # `adjudge --help` needs no record
    from adjudge.records import Json, JuryRule, ModelClient, ModelFunction


class RunKeywords(TypedDict, total=False):
    """The same for type checkers, which cannot read it from the record; a test keeps the two equal."""

    model: "str | ModelClient | ModelFunction | Sequence[str | ModelClient | ModelFunction] | None"
    jury: "JuryRule | None"
    quorum: int | None
    labels: "str | Path | None"
    cascade: "str | Sequence[str | ModelClient | ModelFunction]"
    agree: float
    candidate: str | None
    base_url: str | None
    temperature: float | None
    max_output_tokens: int | None
    parameters: Mapping[str, "Json"]
    columns: Mapping[str, str]
    variables: Mapping[str, str]
    against: "str | Path | Sequence[Mapping[str, Json]] | None"
    turns: Turns
    passes: str | None
    jobs: int
    max_concurrency: int
    first: int | None
    limit: int | None
    sample: int | None
    seed: int | None
    repeat: int
    name: str | None
    store: str | Path | None
    engine: Engine
    ray_address: str
    workers: int | None
    shard: Shard | str | None
    batch: bool
    detach: bool
    fresh: bool
    no_cache: bool
    retry: Iterable[str]
    max_cost: float | Decimal | None
    max_calls: int | None
    price: Price | None
    rpm: int | None
    tpm: int | None
    timeout: float
    deadline: float | None
    strict: bool


@called_from_python()
def make_options(**keywords: Unpack[RunKeywords]) -> RunOptions:
    """Of keywords that go together."""
    options = read_keywords(**keywords)
    validate_run_options(options)
    return options


@called_from_python()
def read_keywords(**keywords: Unpack[RunKeywords]) -> RunOptions:
    """From Python's keywords, old names and new."""
    options = declared(RunOptions)
    names = {alias: name for name, each in options.items() for alias in (name, *each.option.aliases)}
    values: dict[str, Any] = {}
    for keyword, value in keywords.items():
        if keyword not in names:
            raise TypeError(f"got an unexpected keyword argument {keyword!r}")
        if names[keyword] in values:
            raise TypeError(f"got {names[keyword]!r} twice, once as an alias")
        values[names[keyword]] = value
    if "model" in values:
        values["model"] = as_models(values["model"])
    if "cascade" in values:
        given = values["cascade"]
        values["cascade"] = tuple(split_values(given)) if isinstance(given, str) else tuple(given)
    if values.get("max_cost") is not None:
        values["max_cost"] = Decimal(str(values["max_cost"]))
    for name, value in values.items():
        if isinstance(value, float | Decimal) and not isfinite(value):
            # no comparison with it holds, so a limit would be lifted
            raise SettingsError(name, f"{value} is not a finite number", "give a number, or leave it out")
    if isinstance(values.get("shard"), str):
        values["shard"] = parse_shard(values["shard"], where=option("--shard"))
    if "retry" in values:
        values["retry"] = frozenset(values["retry"])
    return RunOptions(**values)


def as_models(
    model: "str | ModelClient | ModelFunction | Sequence[str | ModelClient | ModelFunction] | None",
) -> "tuple[str | ModelClient | ModelFunction, ...]":
    """One model, several or none, as Python gives them."""
    if model is None:
        return ()
    if isinstance(model, list | tuple):
        return tuple(model)
    return (cast("str | ModelClient | ModelFunction", model),)
