"""`adjudge agree`: how far a judge agrees with people, what they would say on average, and what to label next."""

from pathlib import Path

import click

from adjudge.cli.commands.agree_both import write_next_of_both
from adjudge.cli.commands.agree_next import Next, write_next
from adjudge.cli.console import plain, print_json, tell
from adjudge.cli.labels import find_labels
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import AgreeOptions, DrawOptions
from adjudge.cli.stored import find_run, stored
from adjudge.errors import SettingsError
from adjudge.reports.agree import Asked
from adjudge.reports.agree_given import judged_in, report_on
from adjudge.reports.agree_json import agree_json
from adjudge.reports.agree_text import agree_text


def command(*, run: str, labels: str | None, options: AgreeOptions, draw: DrawOptions) -> int:
    _check(run, labels, options, draw)
    with stored(options.store) as opened:
        record = find_run(opened, run)
        judged = judged_in(
            opened, record, judge=options.only, label_map=options.label_map, slices=options.slices
        )
        verdicts, reading = judged
        if options.forget:
            count = opened.remove_labels(record.run_id, verdicts.judge, options.annotator)
            tell(f"removed {count} labels of {verdicts.judge}")
            return 0
        if draw.count is not None:
            drawing = Next(
                count=draw.count,
                path=draw.to_label,
                uniform_share=draw.uniform,
                seed=options.seed,
                as_json=options.as_json,
            )
            if draw.other is None:
                write_next(opened, record.run_id, verdicts, reading, drawing)
            else:
                write_next_of_both(opened, record.run_id, verdicts, reading, drawing, other=draw.other)
            return 0
        given = find_labels(
            opened,
            record.run_id,
            judged,
            path=labels,
            annotator=options.annotator,
            keep=not options.no_keep,
        )
        asked = Asked(
            slices=options.slices,
            disagreements=options.disagreements,
            random_sample=options.random_sample,
            epsilon=options.epsilon,
            adjudicators=options.adjudicators,
            seed=options.seed,
        )
        report = report_on(opened, record.run_id, judged, given, asked)
    if options.as_json:
        print_json(agree_json(report))
    else:
        click.echo(plain(agree_text(report)), nl=False)
    if not report.labelled:
        tell("no case has both a verdict and a label: agreement could not be measured")
        return EXIT_NOT_MEASURED
    return 0


def _check(run: str, labels: str | None, options: AgreeOptions, draw: DrawOptions) -> None:
    if labels is None and Path(run).suffix and Path(run).is_file():
        raise SettingsError(
            f"adjudge agree {run}", "names a file where the run should stand", f"adjudge agree last {run}"
        )
    if draw.count is not None and (labels is not None or options.forget):
        raise SettingsError(
            "--next",
            "draws cases and reads no labels",
            "give LABELS in a call of its own, before or after the draw",
        )
    if draw.other is not None and draw.count is None:
        raise SettingsError(
            "--with", "is about a draw for two runs", "say how many cases: --next 100 --with RUN"
        )
    if options.forget and labels is not None:
        raise SettingsError("--forget", "removes labels and reads none", "leave out LABELS")
    if options.no_keep and labels is None:
        raise SettingsError("--no-keep", "is about the labels of a file", "name the file: RUN LABELS")
