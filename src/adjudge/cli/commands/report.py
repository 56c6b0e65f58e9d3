"""`adjudge report`: the figures of a stored run."""

import sys
from contextlib import ExitStack
from dataclasses import replace

from msgspec import structs

from adjudge.analysis.summary.report import FORMS
from adjudge.analysis.summary.stored import judges_of, report_of, tally_of
from adjudge.cli.console import print_json, print_message, use_colour
from adjudge.cli.gates import Gates, gate_facts
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import GateOptions, RunOutput
from adjudge.cli.stored import find_run, known_columns, stored
from adjudge.documents.files import ReportFile, is_report_file
from adjudge.documents.rows import result_row
from adjudge.documents.writers import JUNIT, open_writer
from adjudge.errors import SettingsError
from adjudge.records import CombineScore, is_vote
from adjudge.store import has_jury


def command(*, run: str, store: str, output: RunOutput, gates: GateOptions) -> int:
    outputs = output.outputs
    validate_report_files(outputs)
    with stored(store) as opened, ExitStack() as stack:
        record = find_run(opened, run)
        judges = judges_of(opened, record)
        # a rule given with --pass is not in the judge's file; whether there is a pass rate, the rows say
        ruled = [structs.replace(judge, passes=judge.passes or "") for judge in judges]
        parts = {
            part.hash
            for judge in judges
            if isinstance(judge.score, CombineScore)
            for part in judge.score.parts.values()
        }
        checked = Gates.of(gates, ruled, [judge for judge in ruled if judge.hash not in parts])
        pages = [stack.enter_context(ReportFile(path)) for path in outputs if is_report_file(path)]
        writers = [stack.enter_context(open_writer(path)) for path in outputs if not is_report_file(path)]
        tally = tally_of(record, judges, slices=output.slices)
        for judgement in opened.judgements(record.run_id):
            tally.add(judgement)
            for writer in writers if not has_jury(record.plan) or not is_vote(judgement.model) else ():
                writer.write(result_row(judgement, record.run_id))
        if tally.unknown_slices:
            raise SettingsError(
                f"--slice {tally.unknown_slices[0]}",
                "no case has such a column",
                known_columns(tally.columns),
            )
        report = report_of(opened, record, tally)
        findings = checked.check(report.judges, complete=report.partial is None) if checked.gated else []
        report = replace(report, facts=gate_facts(findings))
        if report.partial is not None:
            for writer in writers:
                writer.note_partial(str(report.partial))
        for page in pages:
            page.write(FORMS[page.suffix](report))
    if output.as_json:
        print_json(report.to_json())
    elif not outputs:
        report.print(colour=use_colour(sys.stdout), verbose=output.verbose)
    if outputs:
        print_message(f"wrote {', '.join(outputs)}")
    if output.as_json or outputs:
        for finding in findings:
            print_message(str(finding))
    if not checked.gated:
        return 0
    if report.partial is not None:
        print_message(
            f"not measured: {report.partial}; run the same command as before to finish run {record.run_id}"
        )
        return EXIT_NOT_MEASURED
    return max((finding.code for finding in findings), default=0)


def validate_report_files(outputs: tuple[str, ...]) -> None:
    for path in outputs:
        if not is_report_file(path) and not path.lower().endswith(JUNIT):
            raise SettingsError(
                f"-o {path}",
                "is not a report format",
                "name a file that ends in .html, .md or .junit.xml; `adjudge export` writes the rows",
            )
