"""Files of JSON lines, written and read."""

import json
from pathlib import Path


def write_lines(path, rows):
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_lines(path):
    return parse_lines(Path(path).read_text(encoding="utf-8"))


def parse_lines(text):
    return [json.loads(line) for line in text.splitlines()]
