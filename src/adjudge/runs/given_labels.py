"""What `--labels` gives a run: the rows of its file, or nothing where the labels stand in the cases themselves."""

from collections.abc import Mapping
from os import PathLike

from adjudge.dataset.read import read_table
from adjudge.labels.case_labels import OWN_LABELS, CaseLabels, labels_by_case
from adjudge.labels.label_rows import LabelRow, read_labels


def given_labels(source: str | PathLike[str] | None) -> list[LabelRow] | None:
    """None where there is no file."""
    return None if source is None or str(source) == OWN_LABELS else read_labels(*read_table(source))


def read_case_labels(source: str | PathLike[str] | None) -> Mapping[str, CaseLabels] | None:
    """The same by case."""
    rows = given_labels(source)
    return None if rows is None else labels_by_case(rows)
