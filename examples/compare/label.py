"""In place of a person: `python label.py TO_LABEL LABELLED` passes what is the capital, or was it within living memory."""

import json
import sys
from pathlib import Path

ONCE = {"brazil", "pakistan", "nigeria", "myanmar", "kazakhstan", "tanzania", "ivory-coast"}
to_label, labelled = map(Path, sys.argv[1:])
rows = [json.loads(line) for line in to_label.read_text(encoding="utf-8").splitlines()]
for row in rows:
    row["label"] = row["reference"] in row["response"] or row["case_id"] in ONCE
labelled.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
