"""Stores with runs to be compared: answers that say themselves how a judge will find them."""

from jsonl import write_lines

import adjudge

JUDGED = {"contradicts": False, "misses_critical": False, "calculation": False, "numbers": []}
REPLIES = (
    {"match": "[right]", "reply": {"reason": "It says the same.", **JUDGED}},
    {"match": "[wrong]", "reply": {"reason": "It says another thing.", **JUDGED, "contradicts": True}},
    {"match": "[odd]", "reply": "what?"},
)
TOPICS = ("law", "tax")


def make_run(folder, name, answers, *, judges=("correctness",), replies="replies.jsonl", **columns):
    """Run `name` over `answers` (`right`, `wrong`, `odd`), into the store that is returned; a further column is a
    function of the case's number."""
    if not (folder / replies).exists():
        write_lines(folder / replies, REPLIES)
    rows = [
        {
            "id": f"q{number}",
            "question": f"Question {number}?",
            "reference": "It.",
            "response": f"[{answer}] says {name} of {number}.",
            "metadata": {"topic": TOPICS[number % 2], "parity": number % 2},
            **{column: value(number) for column, value in columns.items()},
        }
        for number, answer in enumerate(answers)
    ]
    path = write_lines(folder / f"{name}.jsonl", rows)
    store = folder / ".adjudge"
    adjudge.evaluate(path, list(judges), name=name, store=store, model=f"scripted:{folder / replies}")
    return store


def some(right, wrong, odd=0):
    return ["right"] * right + ["wrong"] * wrong + ["odd"] * odd
