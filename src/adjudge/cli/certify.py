"""`adjudge certify`: try a judge with probes and attacks, and write its card."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import click
import orjson

from adjudge.cli.config import ANY, INSIDE
from adjudge.cli.console import Progress, print_json, tell
from adjudge.cli.interrupts import Interrupts, reading_limit
from adjudge.cli.main import EXIT_INTERRUPTED, EXIT_NOT_MEASURED
from adjudge.cli.options import (
    as_mapping,
    as_parameters,
    flag,
    input_options,
    jobs_option,
    json_option,
    limit_options,
    model_options,
    parse_price,
    pass_option,
    store_option,
)
from adjudge.dataset import read_cases
from adjudge.documents.numbers import show_count, show_duration
from adjudge.errors import SettingsError
from adjudge.probes.card import Card, make_card
from adjudge.probes.examine import Examination, examine, prepare, without_bindings
from adjudge.probes.measure import reach
from adjudge.probes.page import card_page
from adjudge.probes.shelf import keep_card, shelf_of, write_whole
from adjudge.probes.subjects import Panel, built_in_panel, seat
from adjudge.probes.text import card_text
from adjudge.probes.trials import INJECTION, PROBES, RETEST, Extent
from adjudge.runs.estimate import ASSUMED_SECONDS
from adjudge.runs.find_model import is_embedded
from adjudge.runs.plan import Plan, make_plan
from adjudge.runs.session import Keeping, Limits, Session, open_session

EMBEDDED_PER_SECOND = 12.0
"""Judgements on two cores, where the embedded judge's card does not say."""
WRITERS = (".json", ".html")


@click.command("certify", short_help="Try a judge with probes and attacks, and write its card.")
@click.argument("judge")
@model_options
@flag(
    "--cases",
    config=INSIDE,
    help="Answers to try it on, labelled right or wrong if possible; else built-in ones.",
)
@input_options
@pass_option
@flag(
    "--probe",
    "probes",
    config=ANY,
    multiple=True,
    type=click.Choice(PROBES),
    help="Only these probes; may be repeated.",
)
@flag(
    "--tries",
    config=ANY,
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Wrong answers per attack.",
)
@flag(
    "--retests",
    config=ANY,
    type=click.IntRange(2),
    default=3,
    show_default=True,
    help="Judge untouched answers this often.",
)
@flag(
    "--sample",
    config=ANY,
    type=click.IntRange(2),
    default=160,
    show_default=True,
    help="Use at most N of --cases, at random.",
)
@flag(
    "--seed",
    config=ANY,
    type=int,
    default=0,
    show_default=True,
    help="Which sample, and which attack meets which answer.",
)
@jobs_option
@limit_options
@flag(
    "--output",
    "-o",
    "outputs",
    config=INSIDE,
    multiple=True,
    help="Write the card to FILE.json or FILE.html; may be repeated.",
)
@json_option
@store_option
def command(
    *,
    judge: str,
    model: str | None,
    base_url: str | None,
    temperature: float | None,
    max_output_tokens: int | None,
    param: tuple[tuple[str, str], ...],
    cases: str | None,
    maps: tuple[tuple[str, str], ...],
    sets: tuple[tuple[str, str], ...],
    pass_rule: str | None,
    probes: tuple[str, ...],
    tries: int,
    retests: int,
    sample: int,
    seed: int,
    jobs: int,
    max_cost: Decimal | None,
    max_calls: int | None,
    price: str | None,
    rpm: int | None,
    outputs: tuple[str, ...],
    as_json: bool,
    store: str,
) -> int:
    """Try JUDGE, a built-in judge's name or a judge file, and write its card.

    Right and wrong answers are judged as they are, several times, and then changed: other references, other questions'
    answers, padding, layout, tone, missing fields, and attacks that try to steer the judge. Nothing is answered from
    the store. An interrupted examination goes on when the same command is given again.
    """
    _check_outputs(outputs, cases)
    with reading_limit("--judge"):
        plan = make_plan(
            [judge],
            maps=as_mapping(maps, "--map"),
            sets=as_mapping(sets, "--set"),
            passes=pass_rule,
            temperature=temperature,
            max_output_tokens=max_output_tokens,
            parameters=as_parameters(param),
            jobs=jobs,
        )
    extent = Extent(
        retests=retests,
        tries=tries,
        seed=seed,
        probes=frozenset({RETEST, *probes}) if probes else frozenset(PROBES),
    )
    panel = _panel(plan, cases, sample=sample, seed=seed)
    examination = prepare(plan.judges[0], panel, extent)
    bare = without_bindings(plan)
    opened = open_session(
        bare,
        source=[],
        model=model,
        base_url=base_url,
        name=examination.name(model, plan),
        limits=Limits(
            rpm=rpm,
            max_cost=max_cost,
            max_calls=max_calls,
            price=None if price is None else parse_price(price),
        ),
        keeping=Keeping(store=store, fresh=True),
    )
    try:
        with Progress(examination.judgements) as progress:
            end = asyncio.run(_examine(opened, examination, progress))
    except (KeyboardInterrupt, asyncio.CancelledError):
        tell(f"interrupted after {progress.done} judgements; the same command goes on from there")
        return EXIT_INTERRUPTED
    card = end.card
    for path in outputs:
        _write(card, path)
    # a part of the probes, or an examination that stopped, is not what --require-card asks for
    if card.complete and not probes:
        tell(f"card kept in {keep_card(card, shelf_of(store))}")
    if as_json:
        print_json(card.to_json())
    else:
        click.echo(card_text(card), nl=False)
    if end.interrupted:
        tell("interrupted; the same command goes on from there")
        return EXIT_INTERRUPTED
    if end.halted is not None or not any(finding.n for finding in card.findings):
        tell(f"not measured: {end.halted or 'nothing could be judged'}; the same command goes on from there")
        return EXIT_NOT_MEASURED
    return 0


class End:
    def __init__(self, card: Card, *, halted: str | None, interrupted: bool) -> None:
        self.card = card
        self.halted = halted
        self.interrupted = interrupted


async def _examine(
    opened: AbstractAsyncContextManager[Session], examination: Examination, progress: Progress
) -> End:
    async with opened as session:
        _announce(session, examination)
        progress.watched = session

        def expect(judgements: int) -> None:
            progress.total = judgements

        with Interrupts(session) as interrupts:
            done = await examine(session, examination, progress.count, plan_more=expect)
        complete = session.halted is None and not interrupts.seen
        return End(
            make_card(done.examination, done.answers, model=session.model, complete=complete),
            halted=session.halted,
            interrupted=interrupts.seen,
        )


def _announce(session: Session, examination: Examination) -> None:
    judge, panel = examination.judge, examination.panel
    tell(f"model {session.model} · {judge.name}@{judge.hash} · run {session.run}")
    attacks = {trial.variant for trial in examination.probes if trial.probe == INJECTION}
    left_out = f" ({panel.left_out} rows lack something the judge needs)" if panel.left_out else ""
    more = examination.most_to_follow
    further = f" (and up to {show_count(more)} more for attacks that succeed)" if more else ""
    tell(
        f"{show_count(examination.judgements)} judgements{further}: {len(panel.right)} right and {len(panel.wrong)} wrong "
        f"answers{left_out}, {len(attacks)} attacks; about {show_duration(_seconds(session, examination) * 1000)}"
    )
    for probe, (answers, needed, _) in reach(examination).items():
        if answers < needed:
            tell(
                f"{probe} cannot pass: it is tried on {answers} answers, and a pass takes {needed}; give more --cases"
            )
    if session.goes_on:
        tell("goes on where it was")


def _seconds(session: Session, examination: Examination) -> float:
    if is_embedded(session.model):
        from adjudge.embedded.card import read_card

        rate = read_card().speed.get(examination.judge.name) or EMBEDDED_PER_SECOND
        return examination.judgements / rate
    calls = examination.judgements * (1 if examination.judge.items is None else 2)
    return max(1.0, calls / session.plan.jobs) * ASSUMED_SECONDS[1]


def _panel(plan: Plan, cases: str | None, *, sample: int, seed: int) -> Panel:
    judge, bindings = plan.judges[0], plan.asking.bindings
    if cases is None:
        return built_in_panel(judge, bindings)
    rows = read_cases(cases, maps=bindings.maps)
    return replace(seat(judge, rows, bindings, most=sample, seed=seed, source=cases), built_in=False)


def _check_outputs(outputs: tuple[str, ...], cases: str | None) -> None:
    for path in outputs:
        if Path(path).suffix.lower() not in WRITERS:
            raise SettingsError(
                f"-o {path}", "is neither .json nor .html", "name a file that ends in one of them"
            )
        if cases is not None and Path(path).resolve() == Path(cases).resolve():
            raise SettingsError(f"-o {path}", "is what --cases reads", "name another file")
        if not Path(path).resolve().parent.is_dir():
            raise SettingsError(f"-o {path}", "its folder is not there", "make the folder first")


def _write(card: Card, path: str) -> None:
    is_page = Path(path).suffix.lower() == ".html"
    data = card_page(card).encode() if is_page else orjson.dumps(card.to_json(), option=orjson.OPT_INDENT_2)
    write_whole(Path(path), data)
