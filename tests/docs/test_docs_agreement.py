"""The README's table of agreement with people is the embedded judge's card."""

import json
import os
from pathlib import Path

import adjudge

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))
BEGIN, END = "<!-- from the card -->\n", "<!-- to here -->"
SHOWN = {
    ("correctness", "evouna_nq"): ("accuracy", "kappa"),
    ("correctness", "evouna_tq"): ("accuracy", "kappa"),
    ("correctness", "truthfulqa"): ("accuracy", "kappa"),
    ("correctness", "financebench"): ("accuracy", "kappa"),
    ("correctness", "nq301"): ("accuracy", "kappa"),
    ("helpfulness", "feedbackqa"): ("spearman",),
    ("coverage", "mohler"): ("pearson",),
}


def table():
    card = json.loads((Path(adjudge.__file__).parent / "embedded" / "card.json").read_text(encoding="utf-8"))
    found = {(each["judge"], each["dataset"], each["measure"]): each for each in card["agreements"]}
    lines = ["| judge | answers | n (questions) | agreement with people [95 %] |", "|---|---|---|---|"]
    for (judge, dataset), measures in SHOWN.items():
        rows = [found[judge, dataset, measure] for measure in measures]
        figures = ", ".join(
            f"{each['measure']} {each['value']:.2f} [{each['low']:.2f}, {each['high']:.2f}]" for each in rows
        )
        unseen = "" if rows[0]["trained_on"] else ", a set never trained on"
        lines.append(
            f"| `{judge}` | {dataset}{unseen} | {rows[0]['rows']} ({rows[0]['questions']}) | {figures} |"
        )
    return "\n".join(lines) + "\n"


def test_the_readme_shows_the_card():
    text = README.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    made = head + BEGIN + table() + END + tail
    if UPDATE:
        README.write_text(made, encoding="utf-8")
    assert README.read_text(encoding="utf-8") == made, "run with ADJUDGE_UPDATE_DOCS=1 to renew it"
