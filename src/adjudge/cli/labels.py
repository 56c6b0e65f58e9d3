"""Where `agree` takes people's labels from: a file, the store, or the cases themselves."""

from adjudge.cli.console import tell
from adjudge.dataset.labels import read_labels
from adjudge.reports.agree import Given
from adjudge.reports.agree_given import Judged, labels_of_file, store_labels, stored_labels
from adjudge.store import Store


def find_labels(
    store: Store, run_id: str, judged: Judged, *, path: str | None, annotator: str | None, keep: bool
) -> Given:
    """Those of the file are stored, unless `keep` is off; then all that is stored for the run's cases counts."""
    if path is None:
        return stored_labels(store, run_id, judged)
    rows = read_labels(path)
    if keep and store.read_only:
        tell(f"{store.where} is read-only: the labels of {path} are not stored, and counted alone")
        keep = False
    if not keep:
        return labels_of_file(store, run_id, judged, rows, file=path, annotator=annotator, say=tell)
    stored = store_labels(store, run_id, judged, rows, file=path, annotator=annotator, say=tell)
    source = "the store"
    if stored.labels:
        source = f"{path} and the store" if stored.older else path
    return stored_labels(store, run_id, judged, source=source, elsewhere=stored.elsewhere)
