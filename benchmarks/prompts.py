"""How judge prompts are read: `python benchmarks/prompts.py FOLDER [--ablate] [NAME …]`.

FOLDER holds `NAME.txt` files and `facts.json`, which says what is true of each; `better`, whether a higher or a lower score is the
better one, may be left out. Every reading is right, wrong or missing; what is
marked as a guess is counted apart. With `--ablate` everything is read again once for each recogniser, without it.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.judges import describe_judge, load_judge
from adjudge.judges.reading import RECOGNISERS, read_prompt, without

ALIKE = {
    "python": {"python"},
    "shell": {"shell"},
    "jinja": {"jinja"},
    "mustache": {"mustache", "handlebars", "go"},
    "promptl": {"promptl"},
    "printf": {"printf"},
    "none": {"none", "custom"},
    "other": {"custom", "none"},
}
"""What a fact calls a dialect -> what it may be called here."""
OWN_NAMES = frozenset(
    [
        "score",
        "score_1",
        "score_2",
        "rating",
        "verdict",
        "label",
        "choice",
        "answer",
        "grade",
        "stars",
        "reason",
        "explanation",
        "reasoning",
        "rationale",
        "feedback",
    ]
)
"""Given to a part of a reply that the prompt asks for and does not name."""
ASPECTS = ("dialect", "input", "scale", "better", "labels", "field")
CHECKS = ("dialect", "inputs", "scale", "labels", "fields")


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """One thing that a reading says of a prompt, or fails to say."""

    aspect: str
    outcome: str
    """`right`, `wrong` or `missing`."""
    guess: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    name: str
    checks: Mapping[str, bool]
    statements: tuple[Statement, ...]
    seen: Mapping[str, Any]

    @property
    def understood(self) -> bool:
        return self.checks["dialect"] and self.checks["inputs"] and self.checks["scale"]


def score(folder: Path, fact: Mapping[str, Any]) -> Scored:
    asked = ["dialect", "inputs", "scale"]
    asked += ["labels"] if fact["labels"] else []
    asked += ["fields"] if fact["verdict_fields"] else []
    try:
        shown = describe_judge(load_judge(str(folder / f"{fact['name']}.txt")))
    except InputError as error:
        lost = tuple(Statement(aspect=each, outcome="missing") for each in ASPECTS)
        return Scored(
            name=fact["name"], checks=dict.fromkeys(asked, False), statements=lost, seen={"error": str(error)}
        )
    keys: dict[str, tuple[str, ...]] = {}
    labels: set[str] = set()
    collect(shown["verdict"], keys, labels, ())
    if isinstance(shown["score"], dict):
        labels.update(shown["score"])
    seen = {
        "dialect": shown["dialect"],
        "inputs": [item["name"] for item in shown["inputs"]],
        "scale": reply_scale(shown),
        "better": shown["better"] if shown["score"] is not None else None,
        "labels": sorted(labels),
        "fields": list(keys),
        "inside": keys,
        "reading": {name: value for name, value in shown.items() if name not in {"judge", "hash"}},
    }
    right = {
        "dialect": dialect_right(fact, seen["dialect"]),
        "inputs": inputs_right(fact, seen["inputs"]),
        "scale": scale_right(fact, seen["scale"]),
        "labels": labels_right(fact, labels),
        "fields": fields_right(fact, list(keys)),
    }
    guesses = set(shown.get("guesses", ()))
    return Scored(
        name=fact["name"],
        checks={each: right[each] for each in asked},
        statements=tuple(statements(fact, seen, right, guesses)),
        seen=seen,
    )


def collect(schema: Any, keys: dict[str, tuple[str, ...]], labels: set[str], inside: tuple[str, ...]) -> None:
    """The names of the fields, each with those it stands in, and the labels of all."""
    if not isinstance(schema, dict):
        return
    for name, child in schema.get("properties", {}).items():
        keys.setdefault(name, inside)
        collect(child, keys, labels, (*inside, name))
    collect(schema.get("items"), keys, labels, inside)
    labels.update(str(option) for option in schema.get("enum", ()))


def root(name: str) -> str:
    return re.split(r"[.\[]", name.lstrip("."), maxsplit=1)[0]


def same_input(one: str, other: str) -> bool:
    return one == other or root(one) == other or one == root(other)


def dialect_right(fact: Mapping[str, Any], seen: str) -> bool:
    return any(seen in ALIKE.get(name, {name}) for name in (fact["dialect"], *fact.get("dialect_also", ())))


def inputs_right(fact: Mapping[str, Any], seen: Sequence[str]) -> bool:
    required = fact["inputs_required"]
    if fact.get("names_free") and len(set(seen)) == len(required):
        return True
    allowed = [*required, *fact["inputs_optional"]]
    return all(any(same_input(each, name) for each in seen) for name in required) and all(
        any(same_input(each, name) for name in allowed) for each in seen
    )


def reply_scale(shown: Mapping[str, Any]) -> Any:
    """The scale of the score; of a comparison by two ratings, theirs."""
    fields = ((shown["verdict"] or {}).get("properties") or {}).values()
    ends = [[each["minimum"], each["maximum"]] for each in fields if {"minimum", "maximum"} <= each.keys()]
    compared = shown.get("pair") is not None and len(ends) == 2 and ends[0] == ends[1]
    return ends[0] if compared else shown["scale"]


def scale_right(fact: Mapping[str, Any], seen: Any) -> bool:
    fine = [fact["scale"], *fact.get("scale_also", ())]
    if fact["scale"] is None and (fact["labels"] or fact.get("boolean")):
        fine.append([0, 1])
    return any(
        (seen is None and each is None)
        or (seen is not None and each is not None and [*map(float, seen)] == [*map(float, each)])
        for each in fine
    )


def labels_right(fact: Mapping[str, Any], seen: set[str]) -> bool:
    def folded(label: str) -> str:
        return label if fact.get("labels_case") else label.strip("[]\"' ").casefold().replace("_", " ")

    have = {folded(label) for label in seen}
    return any(
        each and {folded(x) for x in each} <= have for each in (fact["labels"], fact.get("labels_also"))
    )


def plain(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_").casefold()


def fields_right(fact: Mapping[str, Any], seen: Sequence[str]) -> bool:
    have = set(map(plain, seen))
    return any(
        each and set(map(plain, each)) <= have
        for each in (fact["verdict_fields"], fact.get("verdict_fields_also"))
    )


def statements(
    fact: Mapping[str, Any], seen: Mapping[str, Any], right: Mapping[str, bool], guesses: set[str]
) -> Iterator[Statement]:
    def said(aspect: str, outcome: str, *keys: str) -> Statement:
        return Statement(aspect=aspect, outcome=outcome, guess=not guesses.isdisjoint(keys))

    yield said("dialect", "right" if right["dialect"] else "wrong", "dialect")
    allowed = [*fact["inputs_required"], *fact["inputs_optional"]]
    for name in seen["inputs"]:
        fine = right["inputs"] or any(same_input(name, each) for each in allowed)
        yield said("input", "right" if fine else "wrong", f"inputs.{name}", "inputs", "dialect")
    for name in fact["inputs_required"]:
        if not right["inputs"] and not any(same_input(each, name) for each in seen["inputs"]):
            yield said("input", "missing")
    if seen["scale"] is not None:
        yield said("scale", "right" if right["scale"] else "wrong", "scale")
    elif not right["scale"]:
        yield said("scale", "missing")
    if seen["better"] is not None and "better" in fact:
        yield said("better", "right" if seen["better"] == fact["better"] else "wrong", "better")
    if fact["labels"]:
        partly = {str(each).casefold() for each in fact["labels"]} & {
            each.casefold() for each in seen["labels"]
        }
        yield said("labels", "right" if right["labels"] else "wrong" if partly else "missing", "labels")
    named = {plain(name) for name in (*fact["verdict_fields"], *(fact.get("verdict_fields_also") or ()))}
    for name, inside in seen["inside"].items():
        if plain(name) in named:
            yield said("field", "right", "fields")
        elif plain(name) not in OWN_NAMES and named.isdisjoint(map(plain, inside)):
            yield said("field", "wrong", "fields")
    if not right["fields"]:
        for name in fact["verdict_fields"]:
            if plain(name) not in set(map(plain, seen["fields"])):
                yield said("field", "missing")


def summary(found: Sequence[Scored]) -> dict[str, tuple[int, int]]:
    figures = {"understood": (sum(each.understood for each in found), len(found))}
    for check in CHECKS:
        asked = [each.checks[check] for each in found if check in each.checks]
        figures[check] = (sum(asked), len(asked))
    return figures


def show(found: Sequence[Scored], facts: Mapping[str, Mapping[str, Any]]) -> None:
    wanted = {"inputs": "inputs_required", "fields": "verdict_fields"}
    for each in found:
        wrong = [check for check, right in each.checks.items() if not right]
        if "error" in each.seen:
            print(f"{each.name}: {each.seen['error'].splitlines()[0][-150:]}")
        elif wrong:
            fact = facts[each.name]
            told = (
                f"{check} {str(each.seen[check])[:90]} not {str(fact[wanted.get(check, check)])[:90]}"
                for check in wrong
            )
            print(f"{each.name}: {'; '.join(told)}")
    print()
    for name, (right, of) in summary(found).items():
        print(f"{name:<12}{right:>5} of {of:>4}  {100 * right / of:5.1f} %")
    print(f"\n{'stated':<12}{'right':>7}{'wrong':>7}{'':>9}{'missing':>9}{'guesses':>9}{'wrong':>7}")
    total: Counter[str] = Counter()
    for aspect in (*ASPECTS, "all"):
        counts = Counter(
            ("guess " if each.guess else "") + each.outcome
            for one in found
            for each in one.statements
            if each.aspect == aspect
        )
        counts = total if aspect == "all" else counts
        total.update({} if aspect == "all" else counts)
        certain = counts["right"] + counts["wrong"]
        share = f"{100 * counts['wrong'] / certain:.1f} %" if certain else ""
        print(
            f"{aspect:<12}{counts['right']:>7}{counts['wrong']:>7}{share:>9}{counts['missing']:>9}"
            f"{counts['guess right'] + counts['guess wrong']:>9}{counts['guess wrong']:>7}"
        )


def ablate(folder: Path, facts: Sequence[Mapping[str, Any]], whole: Sequence[Scored]) -> None:
    """The score without each recogniser, and how many prompts are read otherwise; one whose loss changes nothing is not needed."""
    base = summary(whole)
    print(f"\n{'without':<28}" + "".join(f"{name:>12}" for name in base) + f"{'otherwise':>12}")
    for recogniser in RECOGNISERS:
        with without(recogniser):
            read_prompt.cache_clear()
            found = [score(folder, fact) for fact in facts]
        figures = summary(found)
        otherwise = sum(one.seen != other.seen for one, other in zip(whole, found, strict=True))
        changes = "".join(
            f"{figures[name][0] - base[name][0]:>+12}" if figures[name] != base[name] else f"{'·':>12}"
            for name in base
        )
        print(f"{recogniser:<28}{changes}{otherwise or '·':>12}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these prompts")
    parser.add_argument("--ablate", action="store_true", help="read again without each recogniser")
    asked = parser.parse_args()
    facts = json.loads((asked.folder / "facts.json").read_text(encoding="utf-8"))
    chosen = [fact for fact in facts if not asked.names or fact["name"] in asked.names]
    found = [score(asked.folder, fact) for fact in chosen]
    show(found, {fact["name"]: fact for fact in facts})
    if asked.ablate:
        ablate(asked.folder, chosen, found)


if __name__ == "__main__":
    main()
