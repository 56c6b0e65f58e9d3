"""`adjudge estimate`: what a run would take, before it is made."""

import asyncio
from dataclasses import asdict
from pathlib import Path

import click

from adjudge.cli.config import ANY
from adjudge.cli.console import print_json
from adjudge.cli.interrupts import reading_limit
from adjudge.cli.options import (
    as_mapping,
    as_parameters,
    flag,
    input_options,
    jobs_option,
    json_option,
    judges_option,
    model_options,
    parse_price,
    price_option,
    repeat_option,
    store_option,
)
from adjudge.cli.stored import announce_origin
from adjudge.dataset import read_cases
from adjudge.documents.numbers import show_duration
from adjudge.errors import SettingsError, StoreError
from adjudge.runs.budget import Price
from adjudge.runs.estimate import Estimate, Range, estimate_run
from adjudge.runs.find_model import find_model
from adjudge.runs.plan import make_plan
from adjudge.runs.session import known_price
from adjudge.store import Store, open_store


@click.command("estimate", short_help="Say what a run would take, before it is made.")
@click.argument("cases")
@judges_option
@model_options
@input_options
@jobs_option
@flag("--first", "-n", config=ANY, type=int, help="Only the first N cases.")
@flag("--sample", config=ANY, type=int, help="Only a random sample of N cases.")
@repeat_option
@price_option
@store_option
@json_option
def command(
    *,
    cases: str,
    judges: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    temperature: float | None,
    max_output_tokens: int | None,
    param: tuple[tuple[str, str], ...],
    maps: tuple[tuple[str, str], ...],
    sets: tuple[tuple[str, str], ...],
    jobs: int,
    first: int | None,
    sample: int | None,
    repeat: int,
    price: str | None,
    store: str,
    as_json: bool,
) -> None:
    """Say how many calls, tokens, dollars and seconds a run over CASES would take. Nothing is sent.

    What is stored already is taken off.
    """
    with reading_limit("--judge"):
        plan = make_plan(
            judges,
            maps=as_mapping(maps, "--map"),
            sets=as_mapping(sets, "--set"),
            temperature=temperature,
            max_output_tokens=max_output_tokens,
            parameters=as_parameters(param),
            repeats=repeat,
            jobs=jobs,
            first=first,
            sample=sample,
        )
    rows = read_cases(cases, maps=plan.asking.bindings.maps)
    client = find_model(model, plan.judges, base_url=base_url, jobs=1)
    known = parse_price(price) if price is not None else _listed_price(client)
    opened = _existing_store(store)
    try:
        estimate = estimate_run(plan, rows, client, store=opened, price=known)
    finally:
        asyncio.run(client.close())
        if opened is not None:
            opened.close()
    if as_json:
        print_json(asdict(estimate))
    else:
        _print(estimate, client.name)


def _listed_price(client: object) -> Price | None:
    try:
        return known_price(client)  # type: ignore[arg-type]  # any client has a name
    except SettingsError:
        return None


def _existing_store(where: str) -> Store | None:
    """A store that is not there yet holds nothing to take off."""
    if "://" not in where and not Path(where).exists():
        return None
    try:
        store = open_store(where, create=False)
    except StoreError:
        if "://" in where:
            raise
        return None
    if store.trusted:
        return store
    announce_origin(store)  # a run would not take its answers either
    store.close()
    return None


def _print(estimate: Estimate, model: str) -> None:
    learned = (
        f"learned from {estimate.learned_from} stored replies"
        if estimate.learned_from
        else "assumed: no reply of these judges with this model is stored"
    )
    click.echo(f"{estimate.judgements} judgements of {estimate.cases} cases with {model}")
    click.echo(f"  {estimate.not_asked} need no call, {estimate.stored} are answered from the store")
    click.echo(
        f"  calls          {_shown(estimate.calls)}; the most, if every reply had to be asked for again twice"
    )
    click.echo(f"  tokens in      {_shown(estimate.input_tokens)}; counted from bytes, within 30 %")
    click.echo(f"  tokens out     {_shown(estimate.output_tokens)}; {learned}")
    if estimate.cost is None:
        click.echo("  cost           unknown: the price list does not have this model; give --price IN,OUT")
    else:
        cost = estimate.cost
        click.echo(f"  cost           ${cost.likely:.4f}, between ${cost.low:.4f} and ${cost.high:.4f}")
    seconds = estimate.seconds
    click.echo(
        f"  time           {show_duration(seconds.likely * 1000)}, between {show_duration(seconds.low * 1000)} and "
        f"{show_duration(seconds.high * 1000)}, without rate limits; {learned}"
    )


def _shown(some: Range) -> str:
    return f"{some.likely:,.0f}, between {some.low:,.0f} and {some.high:,.0f}"
