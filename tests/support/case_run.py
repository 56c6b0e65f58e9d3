"""A store with runs that a case page has something to tell about."""

from jsonl import write_lines

import adjudge

MARKDOWN = "# Reset\n\nYou can **reset** it in *three* steps:\n\n1. Open [the page](https://help.example/reset)\n2. Wait 30 minutes\n"
JUDGE = """---
adjudge: 1
name: support
inputs: {question: required, response: required, context: optional, tool_calls: optional, messages: optional}
verdict:
  reason: string
  points: {type: array, items: {type: object, properties: {name: {type: string}, met: {type: boolean}, evidence: {type: string}}, required: [name, met]}}
score: round(4 * count(points, met) / count(points) + 1)
scale: [1, 5]
passes: score >= 4
---
Rate it.
{{question}}
{{response}}
{{context}}
{{tool_calls}}
{{messages}}
"""
POINTS = [{"name": "steps", "met": True, "evidence": "three steps"}, {"name": "contact", "met": False}]
CASES = (
    {
        "id": "md",
        "question": "How do I reset my password?",
        "answer": MARKDOWN,
        "context": [{"title": "Help", "text": "Links expire."}, "A second passage."],
        "tool_calls": [{"name": "search", "arguments": {"q": "reset"}, "result": [1]}],
        "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": MARKDOWN}],
        "topic": "accounts",
        "label": 4,
    },
    {"id": "long", "question": "Sum it up.", "answer": "word " * 40_000 + "three steps", "topic": "texts"},
    {"id": "silent", "question": "Hello?", "answer": "", "topic": "texts"},
    {"id": "gone", "question": "Hello?", "answer": "Yes.", "topic": "texts"},
)
COVERED = {
    "id": "tower",
    "question": "Where is it, and since when?",
    "reference": "The Eiffel Tower is in Paris. It was completed in 1889.",
    "response": "The  EIFFEL Tower, built in\n1889, is located in Paris.",
}
CHECKLIST = {
    "facts": [
        {"fact": "It is in Paris.", "quote": "The Eiffel Tower is in Paris"},
        {"fact": "It was completed in 1889.", "quote": "It was completed in 1889"},
    ],
    "conclusions": [],
    "terms": [{"term": "Eiffel Tower", "quote": "Eiffel Tower"}],
}
MATCHED = {
    "facts": [
        {"id": "F1", "why": "says so", "matched": True, "evidence": "is located in paris"},
        {"id": "F2", "why": "no year", "matched": False, "evidence": None},
    ],
    "conclusions": [],
    "terms": [],
    "organization": "matched",
}


def make_cases(folder):
    """Runs `support` (a judge file, twice each), `before` and `after` (coverage), into the store that is returned."""
    (folder / "support.md").write_text(JUDGE)
    write_lines(folder / "support.jsonl", CASES)
    with (folder / "support.jsonl").open("a") as file:
        file.write("{broken\n")
    reply = {"reason": "Steps are there.", "points": POINTS}
    write_lines(
        folder / "replies.jsonl",
        [
            *({"case_id": each, "judge": "support", "reply": reply} for each in ("md", "long")),
            {"case_id": "gone", "judge": "support", "reply": "I would rather not.", "finish": "refusal"},
            {"case_id": "tower", "judge": "coverage", "replies": [CHECKLIST, MATCHED]},
        ],
    )
    write_lines(folder / "before.jsonl", [COVERED])
    write_lines(folder / "after.jsonl", [{**COVERED, "response": "It is located in Paris. Eiffel Tower!"}])
    keep = {"store": folder / ".adjudge", "model": f"scripted:{folder / 'replies.jsonl'}"}
    adjudge.evaluate(folder / "support.jsonl", folder / "support.md", name="support", repeat=2, **keep)
    adjudge.evaluate(folder / "before.jsonl", "coverage", name="before", passes="score >= 4", **keep)
    adjudge.evaluate(folder / "after.jsonl", "coverage", name="after", **keep)
    return folder / ".adjudge"
