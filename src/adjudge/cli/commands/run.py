"""`adjudge run`: judge every case of a file."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from adjudge.analysis.contract import as_contract
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import FORMS, Report
from adjudge.analysis.summary.stored import report_of
from adjudge.cli.cards import Cards
from adjudge.cli.console import print_json, print_message, use_colour
from adjudge.cli.gates import Gates, gate_facts
from adjudge.cli.interrupts import Interrupts, plan_judges
from adjudge.cli.main import EXIT_INTERRUPTED, EXIT_NOT_MEASURED, TYPED
from adjudge.cli.options import CardOptions, GateOptions, RunOutput
from adjudge.cli.progress import ProgressLine
from adjudge.cli.stored import announce_origin, find_run, known_columns, stored
from adjudge.documents.files import ReportFile, is_report_file
from adjudge.documents.rows import result_row
from adjudge.documents.writers import JUNIT, Writer, open_writer
from adjudge.errors import InputError, SettingsError
from adjudge.models.secrets import URL_CREDENTIALS
from adjudge.options import RunOptions
from adjudge.records import BadRow, Case, Failed, Judgement, is_vote
from adjudge.runs.against import describe_unpaired, open_cases
from adjudge.runs.batch_api.queue import DETACHED
from adjudge.runs.plan import CurrentDate, Plan, reported_date
from adjudge.runs.session import Receiver, Session, open_session
from adjudge.store import BatchRecord, Partial


def command(
    *,
    cases: str,
    judges: tuple[str, ...],
    options: RunOptions,
    output: RunOutput,
    gates: GateOptions,
    cards: CardOptions,
) -> int:
    outputs = output.outputs
    if output.as_json and (output.form == "contract" or "-" in outputs):
        raise SettingsError(
            "--json", "stdout is already used by --as contract or -o -", "choose one thing to print"
        )
    if options.seed is not None and options.sample is None:
        raise SettingsError("--seed", "has no effect without --sample", "add --sample N")
    plan = plan_judges(judges, options)
    checked = Gates.of(gates, plan.judges, plan.named)
    if options.shard is not None and checked.gated:
        raise SettingsError(
            f"--shard {options.shard}",
            "a shard has a part of the cases, and gates are for all of them",
            f"leave out the gates here; when all shards are done, give them to `adjudge report {options.name}`",
        )
    opened_cases = open_cases(cases, plan)
    plan, rows = opened_cases.plan, opened_cases.rows
    files = [judge[:end] for judge in judges for end in (len(judge), judge.find("#")) if end > 0]
    _check_outputs(
        outputs,
        [
            cases,
            str(options.against or ""),
            *files,
            *(str(model).removeprefix("scripted:") for model in options.model),
        ],
    )
    if output.form == "rows" and not outputs and not output.as_json and not sys.stdout.isatty():
        outputs = ("-",)  # a pipe gets the rows, a terminal the report
    stdout_is_taken = output.form == "contract" or "-" in outputs
    tally = Tally(plan.judges, repeats=options.repeat, slices=output.slices, candidate=options.candidate)
    known = Cards(plan.named, str(options.store), judges, cards)
    receivers: list[Receiver] = [tally.add, known.receive]
    try:
        with ExitStack() as stack:
            pages = [stack.enter_context(ReportFile(path)) for path in outputs if is_report_file(path)]
            writers = [stack.enter_context(open_writer(path)) for path in outputs if not is_report_file(path)]
            progress = stack.enter_context(ProgressLine())
            results: list[Receiver] = []
            if output.form == "contract":
                results.append(ContractPrinter(plan).receive)
            opened = _opened(open_session(plan, cases), known)
            end = asyncio.run(_judge_all(opened, rows, receivers, results, writers, progress=progress))
            findings = checked.check(tally.summaries(), complete=end.partial is None)
            with stored(str(options.store)) as kept:
                where = kept.where
                report = report_of(kept, find_run(kept, end.run), tally)
            report = replace(
                report,
                current_date=reported_date(plan.judges, end.current_date),
                partial=end.partial,
                shard=options.shard,
                facts=(*gate_facts(findings), *known.facts()),
            )
            if end.partial is not None:
                for writer in writers:
                    writer.note_partial(str(end.partial))
            for page in pages:
                page.write(FORMS[page.suffix](report))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print_message(f"interrupted {_kept(tally, outputs)}; run the same command again to resume")
        return EXIT_INTERRUPTED
    except InputError:
        if tally.added:
            print_message(f"stopped {_kept(tally, outputs)}")
        raise
    for column in tally.unknown_slices:
        print_message(f"warning: --slice {column}: no case has such a column; {known_columns(tally.columns)}")
    is_left = bool(end.batches) and end.halted is not None
    if not is_left or tally.added or output.as_json:
        _print_report(report, output, on_stderr=stdout_is_taken)
    if end.overrun is not None:
        print_message(f"warning: {end.overrun}")
    if is_left:
        _print_batches(end.batches, store=str(options.store), shown=where)
    if end.interrupted:
        print_message(f"interrupted {_kept(tally, outputs)}; run the same command again to resume")
        return EXIT_INTERRUPTED
    if end.halted == DETACHED:
        return EXIT_NOT_MEASURED if checked.gated else known.judge(print_message)
    if end.halted is not None:
        print_message(f"stopped {_kept(tally, outputs)}: {end.halted}")
        return EXIT_NOT_MEASURED
    if output.as_json:
        for finding in findings:
            print_message(str(finding))
    code = max([known.judge(print_message), *(finding.code for finding in findings)])  # 3 goes before 1
    if end.partial is not None and checked.gated:
        limit = "a higher limit" if end.overrun is None else "--max-calls and without --max-cost"
        print_message(
            f"not measured: {end.partial}; run the same command again, with {limit}, to finish run {end.run}"
        )
        return EXIT_NOT_MEASURED
    return code


@asynccontextmanager
async def _opened(opening: AbstractAsyncContextManager[Session], cards: Cards) -> AsyncIterator[Session]:
    async with opening as session:
        _announce(session)
        cards.announce(session.models)
        yield session


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    run: str
    current_date: CurrentDate
    halted: str | None
    interrupted: bool
    partial: Partial | None
    batches: Sequence[BatchRecord]
    """With a provider, and not collected."""
    overrun: str | None
    """That a reply cost more than was reserved for it."""


async def _judge_all(
    opened: AbstractAsyncContextManager[Session],
    rows: Iterator[Case | BadRow],
    receivers: list[Receiver],
    results: list[Receiver],
    writers: list[Writer],
    *,
    progress: ProgressLine,
) -> End:
    """`receivers` get every judgement; `results` and the files those that are the run's result, without a jury's votes."""
    async with opened as session:
        progress.watched, progress.total = session, session.expected
        if session.limits.batch_queue is not None:
            session.limits.batch_queue.tell = progress.tell
        if writers:
            results = [*results, RowWriter(writers, session.run_id).receive]
        has_jury = session.context.jury is not None

        def take(judgement: Judgement) -> None:
            for receive in receivers:
                receive(judgement)
            for receive in results if not has_jury or not is_vote(judgement.model) else ():
                receive(judgement)

        with Interrupts(session) as interrupts:
            await session.run(rows, take, made=progress.count)
        return End(
            run=session.run_id,
            current_date=session.plan.current_date,
            halted=session.halted,
            interrupted=interrupts.seen,
            partial=session.partial,
            batches=session.batches,
            overrun=session.overrun,
        )


def _print_batches(batches: Sequence[BatchRecord], *, store: str, shown: str) -> None:
    """`shown`: the store without a password."""
    for batch in batches:
        left = len(batch.content.keys) - len(batch.collected)
        name = batch.provider_id or f"{batch.batch_id}, which may not have been sent"
        print_message(f"under way: batch {name} of {batch.model}, {left:,} requests")
    typed = [part for part in click.get_current_context().meta[TYPED] if part != "--detach"]
    if "://" in store:
        typed = [part.replace(store, shown) for part in typed]
    typed = [URL_CREDENTIALS.sub("://…@", part) for part in typed]
    print_message(f"collect with: {shlex.join(['adjudge', *typed])}")


def _announce(session: Session) -> None:
    plan = session.plan
    judging = ", ".join(f"{judge.name}@{judge.hash}" for judge in plan.judges)
    date = reported_date(plan.judges, plan.current_date)
    day = f" · current date {date}" if date else ""
    asked = (
        f"model{'s' if len(session.models) > 1 else ''} {session.model}"
        if plan.asks_model
        else "no model is asked"
    )
    print_message(f"{asked} · {judging}{day} · run {session.run_id}")
    if plan.pairing is not None:
        unpaired = describe_unpaired(plan.pairing)
        print_message(f"{plan.pairing.paired:,} cases in both files" + (f"; {unpaired}" if unpaired else ""))
    if session.store is not None:
        announce_origin(session.store)
    if session.limits.budget.warning is not None:
        print_message(session.limits.budget.warning)
    if session.resumes:
        print_message(f"resuming run {session.run_id}")


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
            print_message(f"case {judgement.case_id}: {judgement.outcome.kind}: {judgement.outcome.message}")


def _check_outputs(outputs: tuple[str, ...], inputs: list[str]) -> None:
    """What is read must not be written over, and no file twice."""
    written: list[str] = []
    for path in outputs:
        for other in inputs:
            if _same_file(path, other):
                raise SettingsError(f"-o {path}", f"is an input of the run ({other})", "name another file")
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
    done = tally.added
    files = [
        path for path in outputs if path != "-" and not is_report_file(path) and not path.endswith(JUNIT)
    ]
    return f"after {done} judgements" + (f"; they are in {', '.join(files)}" if files and done else "")


def _print_report(report: Report, output: RunOutput, *, on_stderr: bool) -> None:
    if output.as_json:
        print_json(report.to_json())
    else:
        stream = sys.stderr if on_stderr else sys.stdout
        report.print(file=stream, colour=use_colour(stream), verbose=output.verbose)
