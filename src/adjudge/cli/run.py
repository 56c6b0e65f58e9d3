"""`adjudge run`: judge every case of a file."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, aclosing
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import click

from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import FORMS, Report
from adjudge.analysis.summary.stored import report_of
from adjudge.cli.cards import Cards
from adjudge.cli.config import ANY, INSIDE, never
from adjudge.cli.console import Progress, print_json, tell, use_colour
from adjudge.cli.gates import gate_facts, gate_options, parse_gates
from adjudge.cli.interrupts import Interrupts, reading_limit
from adjudge.cli.main import EXIT_INTERRUPTED, EXIT_NOT_MEASURED
from adjudge.cli.options import (
    as_mapping,
    as_option,
    as_parameters,
    flag,
    input_options,
    jobs_option,
    json_option,
    judges_option,
    limit_options,
    model_options,
    parse_price,
    pass_option,
    repeat_option,
    slice_option,
    store_option,
    verbose_option,
)
from adjudge.cli.stored import announce_origin, find_run, known_columns, stored
from adjudge.dataset import read_cases
from adjudge.documents.files import ReportFile, is_report_file
from adjudge.documents.rows import result_row
from adjudge.documents.writers import JUNIT, Writer, open_writer
from adjudge.errors import InputError, SettingsError
from adjudge.records import BadRow, Case, Failed, Judgement
from adjudge.reports.contract import as_contract
from adjudge.runs.plan import CurrentDate, Plan, make_plan, told_date
from adjudge.runs.session import Keeping, Limits, Session, open_session
from adjudge.store import Partial


@click.command("run", short_help="Judge every case of a file.")
@click.argument("cases")
@judges_option
@model_options
@input_options
@pass_option
@jobs_option
@flag("--first", "-n", config=ANY, type=int, help="Judge only the first N cases.")
@flag("--sample", config=ANY, type=int, help="Judge a random sample of N cases.")
@flag("--seed", config=ANY, type=int, help="Which sample; 0 unless given.")
@repeat_option
@flag("--name", config=ANY, help="A name for the run; else it has the hash of what was asked.")
@flag(
    "--output",
    "-o",
    "outputs",
    config=INSIDE,
    multiple=True,
    help="Write rows to FILE.jsonl, .csv, .parquet or .junit.xml, the report to .html or .md; may be repeated.",
)
@slice_option
@as_option
@json_option
@verbose_option
@store_option
@flag(
    "--fresh",
    config=never("it would pay for everything again, at every run"),
    is_flag=True,
    help="Ask everything again, whatever is stored.",
)
@flag("--retry", config=ANY, help="Ask again what came out so: some of `unreadable,truncated,refused`.")
@limit_options
@flag("--tpm", config=ANY, type=click.IntRange(1), help="At most so many tokens a minute.")
@flag(
    "--timeout",
    config=ANY,
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds that one call may take to be answered.",
)
@flag(
    "--deadline",
    config=ANY,
    type=click.FloatRange(0, min_open=True),
    help="Ask nothing more after so many seconds.",
)
@flag("--strict", config=ANY, is_flag=True, help="Stop at the first bad row.")
@gate_options
@flag(
    "--require-card",
    config=ANY,
    is_flag=True,
    help="Exit 2 when a judge has no card for this model (`adjudge certify`), 1 when a probe on it failed or is inconclusive.",
)
@flag(
    "--allow-inconclusive",
    config=ANY,
    is_flag=True,
    help="With --require-card: probes that are inconclusive do not fail the run.",
)
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
    pass_rule: str | None,
    jobs: int,
    first: int | None,
    sample: int | None,
    seed: int | None,
    repeat: int,
    name: str | None,
    outputs: tuple[str, ...],
    slices: tuple[str, ...],
    form: str,
    as_json: bool,
    verbose: bool,
    store: str,
    fresh: bool,
    retry: str | None,
    max_cost: Decimal | None,
    max_calls: int | None,
    price: str | None,
    rpm: int | None,
    tpm: int | None,
    timeout: float,
    deadline: float | None,
    strict: bool,
    fail_under: tuple[str, ...],
    fail_under_pass_rate: tuple[str, ...],
    gate: str,
    max_error_rate: float | None,
    require_card: bool,
    allow_inconclusive: bool,
) -> int:
    """Judge every case in CASES (.jsonl, .json, .csv, .tsv, .parquet, or - for stdin) with every --judge."""
    if as_json and (form == "contract" or "-" in outputs):
        raise SettingsError(
            "--json", "stdout is taken already, by --as contract or -o -", "choose one thing to print"
        )
    if seed is not None and sample is None:
        raise SettingsError("--seed", "chooses a sample, and none was asked for", "add --sample N")
    with reading_limit("--judge"):
        plan = make_plan(
            judges,
            maps=as_mapping(maps, "--map"),
            sets=as_mapping(sets, "--set"),
            passes=pass_rule,
            temperature=temperature,
            max_output_tokens=max_output_tokens,
            parameters=as_parameters(param),
            repeats=repeat,
            jobs=jobs,
            first=first,
            sample=sample,
            seed=seed or 0,
        )
    gates = parse_gates(
        fail_under,
        fail_under_pass_rate,
        lower=gate == "lower",
        max_error_rate=max_error_rate,
        judges=plan.judges,
    )
    rows = read_cases(cases, maps=plan.asking.bindings.maps, strict=strict)
    _check_outputs(outputs, [cases, *judges, (model or "").removeprefix("scripted:")])
    limits = Limits(
        rpm=rpm,
        tpm=tpm,
        max_cost=max_cost,
        max_calls=max_calls,
        price=None if price is None else parse_price(price),
        timeout_seconds=timeout,
        deadline_seconds=deadline,
    )
    keeping = Keeping(
        store=store,
        fresh=fresh,
        retry=frozenset(word.strip() for word in (retry or "").split(",") if word.strip()),
    )
    if form == "rows" and not outputs and not as_json and not sys.stdout.isatty():
        outputs = ("-",)  # a pipe gets the rows, a terminal the report
    stdout_is_taken = form == "contract" or "-" in outputs
    tally = Tally(plan.judges, repeats=plan.repeats, slices=slices)
    opened = open_session(
        plan, source=cases, model=model, base_url=base_url, name=name, limits=limits, keeping=keeping
    )
    cards = Cards(plan.judges, store, judges, required=require_card, allow_inconclusive=allow_inconclusive)
    receivers: list[Receiver] = [tally.add, cards.receive]
    try:
        with ExitStack() as stack:
            pages = [stack.enter_context(ReportFile(path)) for path in outputs if is_report_file(path)]
            writers = [stack.enter_context(open_writer(path)) for path in outputs if not is_report_file(path)]
            progress = stack.enter_context(Progress())
            if form == "contract":
                receivers.append(ContractPrinter(plan).receive)
            end = asyncio.run(_judge_all(opened, rows, receivers, writers, progress, cards=cards))
            findings = gates.check(tally.summaries())
            with stored(store) as kept:
                report = report_of(kept, find_run(kept, end.run), tally)
            report = replace(
                report,
                current_date=told_date(plan.judges, end.current_date),
                partial=end.partial,
                facts=(*gate_facts(findings), *cards.facts(end.model)),
            )
            if end.partial is not None:
                for writer in writers:
                    writer.note_partial(str(end.partial))
            for page in pages:
                page.write(FORMS[page.suffix](report))
    except (KeyboardInterrupt, asyncio.CancelledError):
        tell(f"interrupted {_kept(tally, outputs)}; run the same command again and it goes on")
        return EXIT_INTERRUPTED
    except InputError:
        if any(summary.asked for summary in tally.summaries()):
            tell(f"stopped {_kept(tally, outputs)}")
        raise
    for column in tally.unknown_slices:
        tell(f"warning: --slice {column}: no case has such a column; {known_columns(tally.columns)}")
    _print_report(report, as_json=as_json, on_stderr=stdout_is_taken, verbose=verbose)
    if end.interrupted:
        tell(f"interrupted {_kept(tally, outputs)}; run the same command again and it goes on")
        return EXIT_INTERRUPTED
    if end.halted is not None:
        tell(f"stopped {_kept(tally, outputs)}: {end.halted}")
        return EXIT_NOT_MEASURED
    if as_json:
        for finding in findings:
            tell(str(finding))
    code = max([cards.judge(tell), *(finding.code for finding in findings)])  # 3 goes before 1
    if end.partial is not None and gates.gated:
        tell(
            f"not measured: {end.partial}; run the same command again, with a higher limit, to finish run {end.run}"
        )
        return EXIT_NOT_MEASURED
    return code


Receiver = Callable[[Judgement], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    run: str
    model: str
    current_date: CurrentDate
    halted: str | None
    interrupted: bool
    partial: Partial | None


async def _judge_all(
    opened: AbstractAsyncContextManager[Session],
    rows: Iterator[Case | BadRow],
    receivers: list[Receiver],
    writers: list[Writer],
    progress: Progress,
    *,
    cards: Cards,
) -> End:
    async with opened as session:
        _announce(session)
        cards.announce(session.model)
        progress.watched, progress.total = session, session.expected
        if writers:
            receivers = [*receivers, RowWriter(writers, session.run).receive]
        with Interrupts(session) as interrupts:
            async with aclosing(session.judge(rows, receive=progress.count)) as stream:
                async for judgement in stream:
                    for receive in receivers:
                        receive(judgement)
        for judgement in session.left_over():
            for receive in receivers:
                receive(judgement)
        return End(
            run=session.run,
            current_date=session.plan.current_date,
            model=session.model,
            halted=session.halted,
            interrupted=interrupts.seen,
            partial=session.partial,
        )


def _announce(session: Session) -> None:
    plan = session.plan
    judging = ", ".join(f"{judge.name}@{judge.hash}" for judge in plan.judges)
    tell(f"model {session.model} · {judging} · current date {plan.current_date} · run {session.run}")
    if session.store is not None:
        announce_origin(session.store)
    if session.goes_on:
        tell(f"run {session.run} goes on where it was")


class RowWriter:
    """Result rows to every file that was asked for."""

    def __init__(self, writers: list[Writer], run: str) -> None:
        self._writers = writers
        self._run = run

    def receive(self, judgement: Judgement) -> None:
        row = result_row(judgement, self._run)
        for writer in self._writers:
            writer.write(row)


class ContractPrinter:
    """Each result on stdout in its judge's own output format; what was not judged goes to stderr."""

    def __init__(self, plan: Plan) -> None:
        self._judges = {judge.name: judge for judge in plan.judges}

    def receive(self, judgement: Judgement) -> None:
        text = as_contract(self._judges[judgement.judge], judgement)
        if text is not None:
            click.echo(text)
        elif isinstance(judgement.outcome, Failed):
            tell(f"case {judgement.case_id}: {judgement.outcome.kind}: {judgement.outcome.message}")


def _check_outputs(outputs: tuple[str, ...], inputs: list[str]) -> None:
    """What is read must not be written over, and no file twice."""
    written: list[str] = []
    for path in outputs:
        for other in inputs:
            if _same_file(path, other):
                raise SettingsError(f"-o {path}", f"is what the run reads ({other})", "name another file")
        if any(path == other or _same_file(path, other) for other in written):
            raise SettingsError(f"-o {path}", "is given twice", "name each file once")
        written.append(path)


def _same_file(one: str, other: str) -> bool:
    if "-" in {one, other}:
        return False
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return bool(one) and Path(one).resolve() == Path(other).resolve()


def _kept(tally: Tally, outputs: tuple[str, ...]) -> str:
    done = sum(summary.asked for summary in tally.summaries())
    files = [
        path for path in outputs if path != "-" and not is_report_file(path) and not path.endswith(JUNIT)
    ]
    return f"after {done} judgements" + (f"; they are in {', '.join(files)}" if files and done else "")


def _print_report(report: Report, *, as_json: bool, on_stderr: bool, verbose: bool) -> None:
    if as_json:
        print_json(report.to_json())
    else:
        stream = sys.stderr if on_stderr else sys.stdout
        report.print(file=stream, colour=use_colour(stream), verbose=verbose)
