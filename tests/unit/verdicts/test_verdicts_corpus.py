"""Replies as models write them, each with the outcome it must have."""

import json
from pathlib import Path

import pytest
from jsonl import read_lines
from verdict_contracts import CONTRACTS

from adjudge.records import Verdict
from adjudge.verdicts import Planted, UnreadReply, read_verdict

HERE = Path(__file__).parent
ROWS = read_lines(HERE / "corpus.jsonl")


def reply_of(row):
    """The reply as it stands, or put together from pieces and how often they repeat."""
    return row["text"] if "text" in row else "".join(piece * times for piece, times in row["pieces"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_each_reply_has_the_outcome_it_must_have(row):
    outcome = read_verdict(
        reply_of(row),
        CONTRACTS[row["contract"]],
        whole=row.get("whole", False),
        case_texts=row.get("case", []),
    )
    if "verdict" in row:
        assert isinstance(outcome, Verdict), outcome
        assert typed(outcome.parts) == typed(row["verdict"])
        assert list(outcome.notes) == row["notes"]
    elif "planted" in row:
        assert isinstance(outcome, Planted), outcome
        assert typed(outcome.verdict.parts) == typed(row["planted"])
    else:
        assert isinstance(outcome, UnreadReply), outcome
        assert row["unread"] in outcome.why
        assert len(outcome.why) <= 400
        assert "\n" not in outcome.why


def typed(parts):
    """Parts with their order and types: 1 is not 1.0 here, nor True."""
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in parts.items()]


def test_the_corpus_is_large_and_varied():
    assert len(ROWS) >= 80
    kinds = {kind: sum(kind in row for row in ROWS) for kind in ("verdict", "unread", "planted")}
    assert min(kinds.values()) >= 8, kinds
    assert {row["contract"] for row in ROWS} == set(CONTRACTS)
