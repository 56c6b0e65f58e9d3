"""The contracts that the tests of verdicts read replies with."""

import json
from pathlib import Path

from adjudge.records import Contract

FILE = Path(__file__).parents[1] / "unit" / "verdicts" / "contracts.json"
CONTRACTS = {
    name: Contract(**{**given, "needs": tuple(given["needs"])})
    for name, given in json.loads(FILE.read_text(encoding="utf-8")).items()
}
