"""How replies are read is part of a judge's hash: results may not change while READER_VERSION does not.

`python tests/unit/verdicts/test_verdicts_golden.py` records the outcomes of new replies, and of all of them once
READER_VERSION has been raised; it never changes what was recorded under the same version.
"""

import json
from hashlib import sha256
from pathlib import Path

from adjudge.records import Contract, Verdict
from adjudge.verdicts import Planted, UnreadReply, read_verdict
from adjudge.versions import READER_VERSION

HERE = Path(__file__).parent
GOLDEN = HERE / "golden.json"


def digest(value) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:16]


def shown(outcome: Verdict | UnreadReply | Planted):
    match outcome:
        case Verdict(parts=parts, notes=notes):
            return ["verdict", list(parts.items()), notes]
        case Planted(verdict=verdict):
            return ["planted", list(verdict.parts.items())]
        case UnreadReply():
            return ["unread"]  # its wording may be improved


def outcomes() -> dict[str, dict[str, str]]:
    """Reply -> a hash of what goes in and of what comes out."""
    given = json.loads((HERE / "contracts.json").read_text(encoding="utf-8"))
    found = {}
    for line in (HERE / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "text" not in row:
            continue
        contract = given[row["contract"]]
        outcome = read_verdict(
            row["text"],
            Contract(**{**contract, "needs": tuple(contract["needs"])}),
            whole=row.get("whole", False),
            case_texts=row.get("case", []),
        )
        goes_in = [row["text"], contract, row.get("whole", False), row.get("case", [])]
        found[row["id"]] = {"in": digest(goes_in), "out": digest(shown(outcome))}
    return found


def changed(recorded: dict[str, dict[str, str]], found: dict[str, dict[str, str]]) -> list[str]:
    """Replies that are as they were and no longer read as they were."""
    return sorted(
        name
        for name, hashes in found.items()
        if name in recorded
        and recorded[name]["in"] == hashes["in"]
        and recorded[name]["out"] != hashes["out"]
    )


def test_results_do_not_change_while_the_reader_version_does_not():
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = outcomes()
    if golden["reader_version"] == READER_VERSION:
        names = changed(golden["outcomes"], found)
        assert not names, f"raise READER_VERSION: these replies are read differently now: {', '.join(names)}"
    assert golden == {"reader_version": READER_VERSION, "outcomes": found}, (
        "run this file to record the outcomes"
    )


def test_a_changed_result_is_noticed_and_a_changed_reply_is_not_taken_for_one():
    recorded = {"a": {"in": "1", "out": "1"}, "b": {"in": "1", "out": "1"}}
    assert changed(
        recorded, {"a": {"in": "1", "out": "2"}, "b": {"in": "2", "out": "2"}, "c": {"in": "1", "out": "1"}}
    ) == ["a"]


if __name__ == "__main__":
    new = outcomes()
    if GOLDEN.exists():
        old = json.loads(GOLDEN.read_text(encoding="utf-8"))
        if old["reader_version"] == READER_VERSION and (names := changed(old["outcomes"], new)):
            raise SystemExit(
                f"raise READER_VERSION: these replies are read differently now: {', '.join(names)}"
            )
    GOLDEN.write_text(
        json.dumps({"reader_version": READER_VERSION, "outcomes": new}, indent=1) + "\n", encoding="utf-8"
    )
