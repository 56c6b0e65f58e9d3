"""`python -m training.provenance`: writes into the adapter which rows it was trained on, under which licences."""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from adjudge import __version__
from adjudge.embedded.model.adapter import read_adapter, write_adapter
from training.rows import FOLDS, HELD_BACK, MEASURED_ONLY, TRAINED, read_rows

ATTRIBUTION = {
    "semeval13_beetle": "SemEval-2013 Task 7, Dzikovska et al. 2013; CC-BY-SA-3.0",
    "semeval13_scientsbank": "SemEval-2013 Task 7, Dzikovska et al. 2013; CC-BY-SA-3.0",
    "realsumm": "REALSumm, Bhandari et al. 2020; CC-BY-4.0",
    "medquad_liveqa": "MedQuAD, Ben Abacha & Demner-Fushman 2019; CC-BY-4.0",
    "begin": "BEGIN, Dziri et al. 2022; CC-BY-4.0, Topical-Chat part CDLA-Sharing-1.0",
}
"""Owed by licence; the model card names every source."""


def describe(data: Path) -> dict[str, Any]:
    """Each set's file hash, the rows trained on by licence, and how many questions were held back."""
    sets = {}
    for source in TRAINED:
        rows = read_rows(data, source)
        used = [row for row in rows if row.trainable]
        sets[source] = {
            "sha256": sha256((data / f"{source}.jsonl.gz").read_bytes()).hexdigest(),
            "rows": len(used),
            "questions": len({row.question_id for row in used}),
            "questions_held_back": len({row.question_id for row in rows if row.fold in HELD_BACK}),
            "licences": dict(Counter(row.licence for row in used)),
        }
    return {
        "code": f"adjudge {__version__}",
        "trained_on": sets,
        "only_measured": list(MEASURED_ONLY),
        "held_back": f"folds {sorted(HELD_BACK)} of {FOLDS}, by a hash of the question id",
        "attribution": ATTRIBUTION,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled *.jsonl.gz files")
    parser.add_argument("--adapter", type=Path, default=Path("src/adjudge/embedded/adapter.npz"))
    parser.add_argument("--notes", type=json.loads, default={}, help="what else to keep, as JSON")
    given = parser.parse_args(arguments)
    adapter = read_adapter(given.adapter)
    provenance = {**adapter.provenance, **describe(given.data), **given.notes}
    write_adapter(given.adapter, replace(adapter, provenance=provenance))


if __name__ == "__main__":
    main()
