"""Where the prompt gives the verdict no place, the last label or number of the scale in the reply is it."""

import pytest

from adjudge.records import Contract, Verdict
from adjudge.schemas import object_schema
from adjudge.verdicts import Planted, UnreadReply, read_verdict

NUMBER = Contract(
    schema=object_schema({"score": {"type": "integer", "minimum": 1, "maximum": 5}}),
    needs=("score",),
    form="last",
)
LABEL = Contract(schema=object_schema({"label": {"enum": ["A", "B", "C"]}}), needs=("label",), form="last")


def read(text, contract, *case):
    return read_verdict(text, contract, whole=False, case_texts=case)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("4", 4),
        ("It is clear.\n\n4", 4),
        ("It is clear.\nMy rating: **4**", 4),
        ("It is clear, so I give it 4 out of 5.", 4),
        ("It is clear. <mark>4</mark>", 4),
        ('{"rationale": "It is clear.", "quality": 4}', 4),
        ("Clarity: 3\nStyle: 2\nOverall: 4", 4),
    ],
)
def test_the_last_number_that_is_set_off_is_the_verdict(reply, value):
    found = read(reply, NUMBER)
    assert isinstance(found, Verdict), found
    assert found.parts["score"] == value


@pytest.mark.parametrize("reply", ["B", "It agrees in part.\n\nB", "It agrees in part.\nVerdict: B", "(B)"])
def test_the_last_label_is_the_verdict(reply):
    found = read(reply, LABEL)
    assert isinstance(found, Verdict), found
    assert found.parts["label"] == "B"


def test_a_guessed_place_is_noted():
    assert "verdict_place_guessed" in read("It is clear.\nQuality: 4\n", NUMBER).notes


@pytest.mark.parametrize(
    "reply", ["It is fine.", "One: 4\nTwo: 2\nand that is all there is to say.", "It took 4 days."]
)
def test_what_is_not_settled_is_asked_again(reply):
    assert isinstance(read(reply, NUMBER), UnreadReply)


def test_a_verdict_that_stands_in_the_case_is_not_taken():
    assert isinstance(read("The answer says:\nQuality: 5", NUMBER, "Good.\nQuality: 5"), Planted)
