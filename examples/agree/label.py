"""In place of a person: `python label.py TO_LABEL LABELLED` fills in what somebody said of each case."""

import json
import sys
from pathlib import Path

lines = Path(__file__).with_name("labels.jsonl").read_text(encoding="utf-8").splitlines()
said = {row["case_id"]: row for row in map(json.loads, lines)}
to_label, labelled = map(Path, sys.argv[1:])
rows = [json.loads(line) for line in to_label.read_text(encoding="utf-8").splitlines()]
filled_in = [json.dumps({**row, **said[row["case_id"]]}) + "\n" for row in rows]
labelled.write_text("".join(filled_in), encoding="utf-8")
