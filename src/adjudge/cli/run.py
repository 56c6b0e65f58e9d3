"""`adjudge run`: judge every case of a file."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing
from pathlib import Path

import click
import orjson

from adjudge.api import find_model
from adjudge.cli.console import Progress, tell, use_colour
from adjudge.cli.gates import parse_gates
from adjudge.cli.main import EXIT_INTERRUPTED
from adjudge.cli.options import (
    as_mapping,
    as_option,
    as_parameters,
    flag,
    input_options,
    json_option,
    model_options,
    pass_option,
)
from adjudge.dataset import read_cases
from adjudge.errors import InputError, SettingsError
from adjudge.records import BadRow, Case, Failed, Judgement, ModelClient
from adjudge.reports.contract import as_contract
from adjudge.reports.report import Report
from adjudge.reports.rows import result_row
from adjudge.reports.summary import Tally
from adjudge.reports.writers import Writer, open_writer
from adjudge.runs.plan import Plan, make_plan, name_run, told_date


@click.command("run", short_help="Judge every case of a file.")
@click.argument("cases")
@flag(
    "--judge", "-J", "judges", multiple=True, help="A built-in judge's name or a judge file; may be repeated."
)
@model_options
@input_options
@pass_option
@flag("--jobs", "-j", type=int, default=64, show_default=True, help="Calls in flight.")
@flag("--first", "-n", type=int, help="Judge only the first N cases.")
@flag("--sample", type=int, help="Judge a random sample of N cases.")
@flag("--seed", type=int, help="Which sample; 0 unless given.")
@flag("--repeat", type=int, default=1, show_default=True, help="Judge each case this often.")
@flag("--name", help="A name for the run; else it has the hash of what was asked.")
@flag(
    "--output",
    "-o",
    "outputs",
    multiple=True,
    help="Write rows to FILE.jsonl, .csv or .parquet; may be repeated.",
)
@as_option
@json_option
@flag("--strict", is_flag=True, help="Stop at the first bad row.")
@flag("--fail-under", multiple=True, metavar="[JUDGE=]X", help="Exit 1 when a judge's mean is under X.")
@flag(
    "--fail-under-pass-rate",
    multiple=True,
    metavar="[JUDGE=]X",
    help="Exit 1 when the pass rate is under X (0 to 1).",
)
@flag(
    "--gate",
    type=click.Choice(["point", "lower"]),
    default="point",
    show_default=True,
    help="Compare the mean itself, or the lower end of its 95 % interval.",
)
@flag(
    "--max-error-rate",
    type=click.FloatRange(0, 1),
    help="Exit 3 when more than this share was not judged; 0.05 when a gate is set, else off.",
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
    form: str,
    as_json: bool,
    strict: bool,
    fail_under: tuple[str, ...],
    fail_under_pass_rate: tuple[str, ...],
    gate: str,
    max_error_rate: float | None,
) -> int:
    """Judge every case in CASES (.jsonl, .json, .csv, .tsv, .parquet, or - for stdin) with every --judge."""
    if as_json and (form == "contract" or "-" in outputs):
        raise SettingsError(
            "--json", "stdout is taken already, by --as contract or -o -", "choose one thing to print"
        )
    if seed is not None and sample is None:
        raise SettingsError("--seed", "chooses a sample, and none was asked for", "add --sample N")
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
    client = find_model(model, plan.judges, base_url=base_url, jobs=jobs)
    run = name_run(cases, plan, name=name, model=client.name, base_url=base_url)
    judging = ", ".join(f"{judge.name}@{judge.hash}" for judge in plan.judges)
    tell(f"model {client.name} · {judging} · current date {plan.current_date} · run {run}")

    if form == "rows" and not outputs and not as_json and not sys.stdout.isatty():
        outputs = ("-",)  # a pipe gets the rows, a terminal the report
    stdout_is_taken = form == "contract" or "-" in outputs
    tally = Tally(plan.judges)
    try:
        with ExitStack() as stack:
            writers = [stack.enter_context(open_writer(path)) for path in outputs]
            progress = stack.enter_context(Progress())
            receivers: list[Receiver] = [tally.add]
            if writers:
                receivers.append(RowWriter(writers, run).receive)
            if form == "contract":
                receivers.append(ContractPrinter(plan).receive)
            receivers.append(progress.count)
            asyncio.run(_judge_all(plan, rows, client, receivers, in_order=form == "contract"))
    except KeyboardInterrupt:
        tell(f"interrupted {_kept(tally, outputs)}")
        return EXIT_INTERRUPTED
    except InputError:
        if any(summary.asked for summary in tally.summaries()):
            tell(f"stopped {_kept(tally, outputs)}")
        raise
    report = Report(summaries=tally.summaries(), current_date=told_date(plan.judges, plan.current_date))
    _print_report(report, as_json=as_json, on_stderr=stdout_is_taken)
    return gates.judge(report.summaries, tell)


Receiver = Callable[[Judgement], None]


async def _judge_all(
    plan: Plan,
    rows: Iterator[Case | BadRow],
    client: ModelClient,
    receivers: list[Receiver],
    *,
    in_order: bool,
) -> None:
    try:
        async with aclosing(plan.judge(rows, client, in_order=in_order)) as stream:
            async for judgement in stream:
                for receive in receivers:
                    receive(judgement)
    finally:
        await client.close()


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
    files = [path for path in outputs if path != "-"]
    return f"after {done} judgements" + (f"; they are in {', '.join(files)}" if files and done else "")


def _print_report(report: Report, *, as_json: bool, on_stderr: bool) -> None:
    if as_json:
        click.echo(orjson.dumps(report.to_json(), option=orjson.OPT_INDENT_2))
    else:
        stream = sys.stderr if on_stderr else sys.stdout
        report.print(file=stream, colour=use_colour(stream))
