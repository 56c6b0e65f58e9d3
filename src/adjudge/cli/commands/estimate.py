"""`adjudge estimate`: what a run would take, before it is made."""

import asyncio
from dataclasses import asdict
from pathlib import Path

import click

from adjudge.cli.console import print_json
from adjudge.cli.interrupts import plan_judges
from adjudge.cli.stored import announce_origin
from adjudge.documents.numbers import show_duration
from adjudge.errors import SettingsError, StoreError
from adjudge.options import Price, RunOptions
from adjudge.records import IN_CODE, ModelClient
from adjudge.runs.against import open_cases
from adjudge.runs.batch_api.queue import check_batches
from adjudge.runs.estimate import PricedModel, Range, RunEstimate, estimate_run
from adjudge.runs.find_model import find_models
from adjudge.runs.session import known_price
from adjudge.store import Store, open_store

USUAL_PROMPT_TOKENS = 1_000
"""Some services have prices of their own for prompts of 200,000 tokens and more."""


def command(*, cases: str, judges: tuple[str, ...], options: RunOptions, as_json: bool) -> None:
    plan = plan_judges(judges, options)
    chosen = open_cases(cases, plan)
    clients = find_models(plan, sends=False)
    if options.batch:
        for client in clients:
            if client.name != IN_CODE:
                check_batches(client)
    models = [PricedModel(client, options.price or _listed_price(client, options)) for client in clients]
    opened = _existing_store(str(options.store))
    try:
        estimate = estimate_run(chosen.plan, chosen.rows, models, store=opened)
    finally:
        asyncio.run(_close(clients))
        if opened is not None:
            opened.close()
    if as_json:
        print_json(asdict(estimate))
    else:
        _print(estimate, ", ".join(client.name for client in clients))


async def _close(clients: tuple[ModelClient, ...]) -> None:
    for client in clients:
        await client.close()


def _listed_price(client: ModelClient, options: RunOptions) -> Price | None:
    try:
        return known_price(client, options.parameters, prompt_tokens=USUAL_PROMPT_TOKENS)
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


def _print(estimate: RunEstimate, model: str) -> None:
    learned = (
        f"learned from {estimate.learned_from} stored replies"
        if estimate.learned_from
        else "assumed: stored replies do not tell"
        if estimate.stored
        else "assumed: no reply of these judges with this model is stored"
    )
    if model == IN_CODE:
        click.echo(
            f"{estimate.judgements} judgements of {estimate.cases} cases in code: 0 calls, $0; no model is asked"
        )
        return
    click.echo(f"{estimate.judgements} judgements of {estimate.cases} cases with {model}")
    click.echo(f"  {estimate.not_asked} need no call, {estimate.stored} are answered from the store")
    click.echo(
        f"  calls          {_range_text(estimate.calls)}; at most, if every reply had to be re-asked twice"
    )
    click.echo(f"  tokens in      {_range_text(estimate.input_tokens)}; estimated from bytes, within 30 %")
    click.echo(f"  tokens out     {_range_text(estimate.output_tokens)}; {learned}")
    if estimate.cost is None:
        click.echo(
            f"  cost           unknown: the price list does not have {'this model' if ', ' not in model else 'one of these models'}; give --price IN,OUT"
        )
    else:
        cost = estimate.cost
        click.echo(f"  cost           ${cost.likely:.4f}, between ${cost.low:.4f} and ${cost.high:.4f}")
    seconds = estimate.seconds
    if seconds is None:
        click.echo("  time           within 24 hours, and again for each further step of a judge or re-ask")
        return
    click.echo(
        f"  time           {show_duration(seconds.likely * 1000)}, between {show_duration(seconds.low * 1000)} and "
        f"{show_duration(seconds.high * 1000)}, without rate limits; {learned}"
    )


def _range_text(estimated: Range) -> str:
    return f"{estimated.likely:,.0f}, between {estimated.low:,.0f} and {estimated.high:,.0f}"
