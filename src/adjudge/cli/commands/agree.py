"""`adjudge agree`: how far a judge agrees with people, what they would say on average, and what to label next."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from adjudge.analysis.agreement.document import agreement_document, note_text, task_notes
from adjudge.analysis.agreement.figures import AgreementOptions, agreement_of
from adjudge.analysis.agreement.label_files import find_labels
from adjudge.analysis.agreement.labelling_task import LabellingTask, next_to_label
from adjudge.analysis.agreement.verdicts import ScaledVerdicts, judged_in
from adjudge.cli.console import print_document, print_json, print_message
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import AgreeOptions, DrawOptions
from adjudge.cli.stored import find_run, stored
from adjudge.documents.writers import csv_table, json_line
from adjudge.errors import InputError, SettingsError, StoreError
from adjudge.labels.blank_rows import TO_FILL_IN
from adjudge.labels.draws import DrawRequest
from adjudge.labels.parts import wanted_label
from adjudge.records import Json

_FORMS = (".jsonl", ".csv")


def command(*, run: str, labels: str | None, options: AgreeOptions, draw: DrawOptions) -> int:
    if labels is None and Path(run).suffix and Path(run).is_file():
        raise SettingsError(
            f"adjudge agree {run}", "names a file where the run is expected", f"adjudge agree last {run}"
        )
    with stored(options.store) as opened:
        record = find_run(opened, run)
        judged = judged_in(
            opened,
            record,
            judge=options.only,
            model=options.model,
            label_map=options.label_map,
            slices=options.slices,
        )
        if options.forget:
            count = opened.remove_labels(record.run_id, judged.verdicts.judge, annotator=options.annotator)
            print_message(f"removed {count} labels of {judged.verdicts.judge}")
            return 0
        _validate_scored(run, judged)
        if draw.count is not None:
            _validate_path(draw.to_label)
            request = DrawRequest(
                count=draw.count, uniform_share=draw.uniform, seed=options.seed, at=datetime.now(UTC)
            )
            task = next_to_label(opened, record.run_id, judged.verdicts, request)
            _write_task(task, judged, draw.to_label, as_json=options.as_json)
            return 0
        found = find_labels(
            opened, record.run_id, judged, path=labels, annotator=options.annotator, keep=not options.no_keep
        )
        for note in found.notes:
            print_message(note_text(note, labels or ""))
        asked = AgreementOptions(
            slices=options.slices,
            disagreements=options.disagreements,
            random_sample=options.random_sample,
            epsilon=options.epsilon,
            adjudicators=options.adjudicators,
            seed=options.seed,
        )
        report = agreement_of(opened, record.run_id, judged, found.labels, asked)
    if options.as_json:
        print_json(report)
    else:
        print_document(agreement_document(report), verbose=options.verbose)
    if not (report.labelled or report.criteria or report.ratings):
        print_message("no case has both a verdict and a label: agreement could not be measured")
        return EXIT_NOT_MEASURED
    return 0


# ---- --next --------------------------------------------------------------------------------------------------


def _validate_scored(run: str, judged: ScaledVerdicts) -> None:
    """Before labels are drawn or stored: they are held against scores."""
    source = judged.verdicts.source
    if source is not None and source.has_prompt and source.score is None:
        raise InputError(
            f"run {run}",
            f"{source.name} has no score, and labels are compared with scores",
            "add `score:` to its front matter, such as the points of each label, and run it again",
        )


def _write_task(task: LabellingTask, judged: ScaledVerdicts, path: str, *, as_json: bool) -> None:
    for note in task_notes(task):
        print_message(note)
    _write_rows(path, task.rows)
    in_parts = any(row["label"] is not None for row in task.rows)
    print_message(f"label: {wanted_label(judged.verdicts.source, judged.scale, in_parts=in_parts)}")
    if path == "-":
        return
    print_message(f"fill in `label` in {path}; then: adjudge agree {task.run_id} {path}")
    if as_json:
        print_json(
            {
                "run": task.run_id,
                "judge": task.judge,
                "file": path,
                "rows": len(task.rows),
                "cases": task.cases,
                "sampling_probabilities": task.chances,
            }
        )


def _validate_path(path: str) -> None:
    if path == "-":
        return
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMS:
        raise SettingsError(
            path, f"`{suffix}` is not a format to label in", f"name a file that ends in {', '.join(_FORMS)}"
        )
    if Path(path).exists():  # it may hold an hour of somebody's work
        raise SettingsError(path, "already exists", "name another file with -o, or move it away")


def _write_rows(path: str, rows: Sequence[Mapping[str, Json]]) -> None:
    if path.lower().endswith(".csv"):  # with what is filled in last, whatever the rows have in between
        names = dict.fromkeys(name for row in rows for name in row if name not in TO_FILL_IN)
        data = csv_table([*names, *TO_FILL_IN], rows)
    else:
        data = b"".join(json_line(dict(row)) for row in rows)
    if path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        with Path(path).open("xb") as file:
            file.write(data)
    except OSError as error:
        raise StoreError(
            path,
            f"could not be written ({error.strerror})",
            "the draw is stored: `--next 0 -o FILE` writes it elsewhere",
        ) from None
