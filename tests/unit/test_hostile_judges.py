"""A judge file from anywhere can be opened: it is read or refused, within bounds of time and memory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "support" / "hostile_judges.py"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits on a process to set")
@pytest.mark.parametrize("part", range(4))
def test_hostile_judge_files_are_bounded_in_time_and_memory(part):
    done = subprocess.run([sys.executable, PROGRAM, f"{part}/4"], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"{lines[-1]}: {done.stderr[-500:]}"
    outcomes = {line["name"]: line["outcome"] for line in lines if "name" in line}
    assert {name: found for name, found in outcomes.items() if found not in {"ended", "refused"}} == {}
    assert len(outcomes) > 50
