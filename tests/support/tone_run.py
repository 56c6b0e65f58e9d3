"""A run of one judge over sixty answers, of which nothing that was said may be seen while people label."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

from jsonl import write_lines

JUDGE = """---
adjudge: 1
name: {name}
inputs: {{question: required, response: required}}
verdict: {{reason: string, score: {{enum: [1, 2, 3, 4, 5]}}}}
score: score
scale: [1, 5]
passes: score >= 3
anchors: {{1: rude, 5: warm}}
---
Rate the tone of {{{{response}}}} as an answer to {{{{question}}}}.
"""
COUNT = 60
SECRETS = ("SECRET-REASON", "OWN-LABEL", "OWN-ANNOTATOR", "SECRET-METADATA")


def truth(at):
    """What every reasonable person says of the case."""
    return random.Random(at).choice([1, 2, 3, 4, 5])


def make_store(folder):
    """A folder with a store: run `r` of judge `tone`, run `two` of `tone` and `other`."""
    (folder / "tone.md").write_text(JUDGE.format(name="tone"))
    (folder / "other.md").write_text(JUDGE.format(name="other"))
    cases = [
        {
            "id": f"c{at:03}",
            "question": f"Question {at}?",
            "response": f"Answer {at}.",
            "label": f"OWN-LABEL {truth(at)}",
            "annotators": [{"annotator": "OWN-ANNOTATOR", "label": {"other": 1}}],
            "metadata": {"SECRET-METADATA": at},
        }
        for at in range(COUNT)
    ]
    replies = [
        {
            "case_id": f"c{at:03}",
            "reply": json.dumps(
                {"reason": f"SECRET-REASON {at}", "score": min(5, truth(at) + 2 * (at % 6 == 0))}
            ),
        }
        for at in range(COUNT)
    ]
    for name, rows in (("cases", cases), ("replies", replies)):
        write_lines(folder / f"{name}.jsonl", rows)
    command = [Path(sys.executable).with_name("adjudge"), "run", "cases.jsonl", "--judge", "tone.md"]
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ADJUDGE_") or name == "ADJUDGE_STATE"
    }
    for name, more in (("r", ()), ("two", ("--judge", "other.md"))):
        done = subprocess.run(
            [*command, *more, "--model", "scripted:replies.jsonl", "--name", name],
            cwd=folder,
            env=environ,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
    return folder
