"""What the named scorers gave when their version numbers were set.

A judge's hash holds `adjudge.versions.SCORER_VERSIONS`, so stored scores keep their meaning only as long as a scorer
with the same number gives the same results. When this test fails because results changed on purpose, raise the
scorer's number there, then run this file as a script to write the results down again.
"""

import json
from itertools import product
from pathlib import Path

import pytest

from adjudge.records import Scale, Verdict
from adjudge.scoring.correctness import CorrectnessScorer
from adjudge.scoring.coverage import CoverageScorer
from adjudge.scoring.groundedness import GroundednessScorer
from adjudge.scoring.rubric import RubricScorer
from adjudge.scoring.rules import RationaleScorer
from adjudge.scoring.scorer import Invalid
from adjudge.versions import SCORER_VERSIONS

GOLDEN = Path(__file__).parent / "scoring_golden.json"
PAIRS = [
    ("1", "1.04"), ("1", "1.041"), ("100", "96"), ("-5", "(5)"), ("4%", "0.04"), ("4%", "5%"), ("50 bps", "0.5%"),
    ("1,234.5", "1.234,5"), ("1,00,000", "100 000"), ("1,234", "1.234"), ("1234", "1.234"), ("1.5M", "1,500 thousand"),
    ("$5", "€5"), ("$5bn", "5 billion dollars"), ("6.02 × 10²³", "6.02e23"), ("½", "0.5"), ("two dozen", "24"),
    ("5-10 km", "7 km"), ("5-10", "5-10.5"), ("5-10", "11"), ("100", "98-102"), ("0", "0"), ("0", "0.1"),
    ("5 km", "5000 m"), ("5 km", "5 kg"), ("32 °F", "0 °C"), ("6 ft 2 in", "188 cm"), ("1 GB", "1000 MB"),
    ("60 mph", "97 km/h"), ("1998", "1999"), ("2000 people", "2040"), ("March 1, 2024", "1/3/2024"), ("1889", "May 1889"),
    ("3 pm", "15:00"), ("3rd", "third"), ("A-113", "a 113"), ("SKU 12345", "12346"), ("v2", "2.0"), ("3.11.2", "3.11.3"),
    ("Boeing 747", "Boeing 737"), ("555-1234", "555-1235"), ("1914-18", "1914–1918"), ("lots", "Lots"), ("16:9", "16:10"),
]  # fmt: skip
REFERENCE = "Basalt is an igneous rock. It forms from lava. Therefore it is common on the sea floor."
CHECKLIST = {
    "facts": [
        {"fact": "Basalt is igneous", "quote": "Basalt is an igneous rock"},
        {"fact": "It forms from lava", "quote": "forms from lava"},
        {"fact": "basalt is igneous.", "quote": "igneous"},
    ],
    "conclusions": [{"conclusion": "It is common on the sea floor", "quote": "common on the sea floor"}],
    "terms": [
        {"term": "igneous rocks", "quote": "igneous rock"},
        {"term": "lava", "quote": "lava"},
        {"term": "the", "quote": "the"},
    ],
}
OUTPUTS = [
    "Basalt, an igneous rock, cools from lava.",
    "Lava makes basalt. The sea floor is full of it.",
    "It is a stone.",
]
EVIDENCE = ["Basalt", "lava", "sea floor", "stone", None]
RATIONALES = [
    [f"Fact: {k} of {n} facts correctly matched.", f"Conclusion: {c} of 2 correctly matched.", f"Terminology: {t} of 3 terms correctly matched.", f"Organization: {o}", "Score: ?"]
    for k, n, c, t, o in [(2, 2, 2, 3, "matched"), (1, 5, 0, 1, "mismatched"), (0, 3, 2, 3, "matched"), (0, 0, 1, 0, "matched"), (3, 2, 0, 0, "matched")]
]  # fmt: skip


def shown(result):
    if isinstance(result, Invalid):
        return {"invalid": result.why}
    return {"value": result.value, "exact": result.exact, "notes": list(result.notes), "parts": result.parts}


def correctness_results():
    scorer = CorrectnessScorer(scale=Scale(low=0, high=1))
    for expected, response in PAIRS:
        for calculation in (False, True):
            verdict = {
                "reason": "The figures were compared with each other.",
                "contradicts": False,
                "misses_critical": False,
                "calculation": calculation,
                "numbers": [{"expected": expected, "response": response, "critical": True}],
            }
            fields = {
                "question": "How much?",
                "reference": f"It is {expected}.",
                "response": f"About {response}.",
            }
            yield scorer.score(Verdict(parts=verdict), fields, None)


def coverage_results():
    scorer = CoverageScorer(scale=Scale(low=0, high=5))
    for output in OUTPUTS:
        fields = {"reference": REFERENCE, "response": output}
        items = scorer.validate_items(CHECKLIST, fields)
        asked = scorer.items_to_ask(items, fields)
        for evidence in EVIDENCE:
            for organization in ("matched", "mismatched"):
                answers = {
                    name: [
                        {"id": row["id"], "why": "w", "matched": True, "evidence": evidence}
                        for row in asked[name]
                    ]
                    for name in ("facts", "conclusions", "terms")
                }
                yield scorer.score(Verdict(parts={**answers, "organization": organization}), fields, items)
    for wrong in ({}, {"facts": [{"fact": "x", "quote": "granite"}]}):
        yield scorer.validate_items(wrong, {"reference": REFERENCE})


def rationale_results():
    scorer = RationaleScorer(scale=Scale(low=0, high=5))
    for lines in RATIONALES:
        yield scorer.score(Verdict(parts={"score": 3, "rationale": lines}), {}, None)


def rubric_results():
    scorer = RubricScorer(scale=Scale(low=0, high=1))
    for points in ([5, 3, -4], [1, 1, 1], [0.1, 0.2, -0.3], [2, -1, -7]):
        items = {
            "criteria": [
                {"id": number, "criterion": f"Criterion {number}", "points": each}
                for number, each in enumerate(points, 1)
            ]
        }
        for met in product((True, False), repeat=3):
            answers = [{"id": number, "reason": "w", "met": each} for number, each in enumerate(met, 1)]
            yield scorer.score(Verdict(parts={"criteria": answers[::-1]}), {}, items)
        for wrong in (
            answers[:2],
            [*answers, {**answers[0], "met": True}],
            [*answers, {**answers[0], "id": 9}],
        ):
            yield scorer.score(Verdict(parts={"criteria": wrong}), {}, items)
    for passed in (True, False, None):
        yield scorer.score(Verdict(parts={"reason": "w", "passed": passed}), {}, None)


def groundedness_results():
    scorer = GroundednessScorer(scale=Scale(low=0, high=1))
    fields = {
        "context": [REFERENCE, {"title": "Lava", "text": "Lava is molten rock."}],
        "response": OUTPUTS[0],
    }
    listed = [
        {"claim": "Basalt is igneous.", "quote": "an igneous rock"},
        {"claim": "It cools from lava.", "quote": "cools from lava"},
        {"claim": "basalt is IGNEOUS", "quote": "igneous"},
    ]
    items = scorer.validate_items({"claims": listed}, fields)
    yield from (
        scorer.validate_items({"claims": wrong}, fields) for wrong in ([{"claim": "x", "quote": "y"}], [3])
    )
    for first, second in product(("supported", "contradicted", "not_found"), repeat=2):
        for passage in ("an igneous rock", "Lava: molten rock", None):
            answers = [
                {"id": "c1", "passage": passage, "why": "w", "verdict": first},
                {"id": "C2", "passage": "forms from lava", "why": "w", "verdict": second},
            ]
            yield scorer.score(Verdict(parts={"claims": answers[::-1]}), fields, items)
    for wrong in (answers[:1], [*answers, answers[0]], [*answers, {**answers[0], "id": "C9"}]):
        yield scorer.score(Verdict(parts={"claims": wrong}), fields, items)


RESULTS = {
    "correctness": correctness_results,
    "coverage": coverage_results,
    "coverage_rationale": rationale_results,
    "rubric": rubric_results,
    "groundedness": groundedness_results,
}


def now(name):
    return {"version": SCORER_VERSIONS[name], "results": [shown(result) for result in RESULTS[name]()]}


def test_every_versioned_scorer_has_a_golden_table():
    assert RESULTS.keys() == SCORER_VERSIONS.keys()


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_results_change_only_with_the_version_number(name):
    kept, found = json.loads(GOLDEN.read_text(encoding="utf-8"))[name], now(name)
    assert kept["version"] == found["version"], (
        f"the version of `{name}` was raised: run {Path(__file__).name} as a script"
    )
    assert json.loads(json.dumps(found["results"])) == kept["results"], (
        f"the results of `{name}` changed: raise its number in adjudge.versions.SCORER_VERSIONS, "
        f"then run {Path(__file__).name} as a script"
    )


def written(tables):
    """JSON with one result a line, so that a change shows which."""
    rows = {
        name: ",\n".join(json.dumps(row, ensure_ascii=False) for row in table["results"])
        for name, table in tables.items()
    }
    parts = [
        f'"{name}": {{"version": {tables[name]["version"]}, "results": [\n{rows[name]}\n]}}'
        for name in sorted(tables)
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    GOLDEN.write_text(written({name: now(name) for name in RESULTS}), encoding="utf-8")
