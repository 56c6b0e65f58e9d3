"""`adjudge report`: the figures of a stored run."""

import sys
from contextlib import ExitStack
from dataclasses import replace

import click

from adjudge.analysis.summary.report import FORMS
from adjudge.analysis.summary.stored import judges_of, report_of, tally_of
from adjudge.cli.config import INSIDE
from adjudge.cli.console import print_json, tell, use_colour
from adjudge.cli.gates import gate_facts, gate_options, parse_gates
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import flag, json_option, slice_option, store_option, verbose_option
from adjudge.cli.stored import find_run, known_columns, stored
from adjudge.documents.files import ReportFile, is_report_file
from adjudge.documents.rows import result_row
from adjudge.documents.writers import JUNIT, open_writer
from adjudge.errors import SettingsError


@click.command("report", short_help="Print the figures of a stored run.")
@click.argument("run", default="last")
@flag(
    "--output",
    "-o",
    "outputs",
    config=INSIDE,
    multiple=True,
    help="Write the report to FILE.html, .md or .junit.xml instead of printing it; may be repeated.",
)
@slice_option
@gate_options
@store_option
@json_option
@verbose_option
def command(
    *,
    run: str,
    outputs: tuple[str, ...],
    slices: tuple[str, ...],
    fail_under: tuple[str, ...],
    fail_under_pass_rate: tuple[str, ...],
    gate: str,
    max_error_rate: float | None,
    store: str,
    as_json: bool,
    verbose: bool,
) -> int:
    """Print the figures of RUN: a name, the start of an id, or `last`. With a gate, exit as `run` would."""
    check_report_files(outputs)
    with stored(store) as opened, ExitStack() as stack:
        record = find_run(opened, run)
        judges = judges_of(opened, record)
        gates = parse_gates(
            fail_under,
            fail_under_pass_rate,
            lower=gate == "lower",
            max_error_rate=max_error_rate,
            # a rule given with --pass is not in the judge's file; whether there is a pass rate, the rows say
            judges=[replace(judge, passes=judge.passes or "") for judge in judges],
        )
        pages = [stack.enter_context(ReportFile(path)) for path in outputs if is_report_file(path)]
        writers = [stack.enter_context(open_writer(path)) for path in outputs if not is_report_file(path)]
        tally = tally_of(record, judges, slices=slices)
        for judgement in opened.judgements(record.run_id):
            tally.add(judgement)
            for writer in writers:
                writer.write(result_row(judgement, record.run_id))
        if tally.unknown_slices:
            raise SettingsError(
                f"--slice {tally.unknown_slices[0]}",
                "no case has such a column",
                known_columns(tally.columns),
            )
        report = report_of(opened, record, tally)
        findings = gates.check(report.judges) if gates.gated else []
        report = replace(report, facts=gate_facts(findings))
        if report.partial is not None:
            for writer in writers:
                writer.note_partial(str(report.partial))
        for page in pages:
            page.write(FORMS[page.suffix](report))
    if as_json:
        print_json(report.to_json())
    elif not outputs:
        report.print(colour=use_colour(sys.stdout), verbose=verbose)
    if outputs:
        tell(f"wrote {', '.join(outputs)}")
    if as_json or outputs:
        for finding in findings:
            tell(str(finding))
    if not gates.gated:
        return 0
    if report.partial is not None:
        tell(f"not measured: {report.partial}; run the same command as before to finish run {record.run_id}")
        return EXIT_NOT_MEASURED
    return max((finding.code for finding in findings), default=0)


def check_report_files(outputs: tuple[str, ...]) -> None:
    for path in outputs:
        if not is_report_file(path) and not path.lower().endswith(JUNIT):
            raise SettingsError(
                f"-o {path}",
                "is no form of a report",
                "name a file that ends in .html, .md or .junit.xml; `adjudge export` writes the rows",
            )
