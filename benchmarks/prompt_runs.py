"""Whether judge prompts run as they are: `python benchmarks/prompt_runs.py FOLDER [NAME …]`.

FOLDER is the one of `prompts.py`. For each prompt two cases are judged by `adjudge run`, with no front matter, and a scripted
model answers in the form that the facts say the prompt asks for. A prompt counts when both replies were read as meant.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.judges import load_judge
from adjudge.judges.reading.names import is_doubt, is_label, is_rating, is_reason

TWO_SCORES = re.compile(r"\btwo (?:values|scores)\b[^\n]*\n?[^\n]*separated|두 점수를 공백으로")
PROSE = "It answers what was asked."


@dataclass(frozen=True, kw_only=True)
class Reply:
    text: str
    meant: Mapping[str, Any] = field(default_factory=dict)
    """Field of the reply -> its value; an empty name where the prompt names none."""


def replies(fact: Mapping[str, Any], prompt: str, schema: Mapping[str, Any]) -> list[Reply]:
    """Two replies as the prompt asks for them, with different verdicts; what stands in what, `schema` says."""
    return [_reply(fact, prompt, schema, place) for place in (0, -1)]


def _reply(fact: Mapping[str, Any], prompt: str, schema: Mapping[str, Any], place: int) -> Reply:
    labels, scale = fact["labels"], fact["scale"]
    value: Any = None
    if labels:
        value = labels[place]
    elif fact.get("boolean"):
        value = (
            (True, False)[place]
            if fact["output_form"] == "json" or re.search(r"\btrue\b", prompt, re.IGNORECASE)
            else ("yes", "no")[place]
        )
    elif scale:
        low, high = scale
        value = high if place else (low if float(high) - float(low) <= 1 else int(low) + 1)
    if TWO_SCORES.search(prompt) and not fact["verdict_fields"]:
        return Reply(text=f"{value} {scale[0]}\n{PROSE}", meant={"score_1": value, "score_2": scale[0]})
    named = properties(schema)
    parts = {
        name: fitted(each, named.get(plain(name), {}), place) for name, each in _parts(fact, value, place)
    }
    match fact["output_form"]:
        case "json":
            shown: Any = parts or dict.fromkeys(
                schema.get("properties", {}), PROSE if value is None else value
            )
            shown = shaped(schema, shown) if parts else shown
            if list(shown) == ["entries"]:
                shown = shown["entries"]
            held = {name: each for name, each in parts.items() if not is_group(named.get(plain(name), {}))}
            return Reply(text=json.dumps(shown, ensure_ascii=False), meant=_meant(held, fact))
        case "tags" if parts:
            tags = dict(zip(parts, fact["verdict_fields"], strict=True))
            text = "\n".join(f"<{tags[name]}>{_text(each)}</{tags[name]}>" for name, each in parts.items())
            return Reply(text=text, meant=_meant(parts, fact))
        case "sections" if parts:
            text = "\n\n".join(f"## {name}\n{_text(each)}" for name, each in parts.items())
            return Reply(text=text, meant=_meant(parts, fact))
        case "line" if parts:
            text = "\n".join(f"{name}: {_text(each)}" for name, each in parts.items())
            return Reply(text=text, meant=_meant(parts, fact))
    if value is None:
        return Reply(text=PROSE)
    if fact["output_form"] == "line" and "[[" in prompt:
        return Reply(text=f"{PROSE}\n\n[[{_text(value).strip('[]')}]]", meant={"": value})
    if fact["output_form"] == "choice":
        return Reply(text=_text(value), meant={"": value})
    word = "Verdict" if labels or fact.get("boolean") else "Score"
    score = f"\nScore: {scale[place]}" if labels and scale else ""
    return Reply(text=f"{PROSE}\n\n{word}: {_text(value)}{score}", meant={"": value})


def properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Every property of a schema by its name, those of its objects and lists too; the outermost of a name."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, child in schema.get("properties", {}).items():
        inner = child.get("items") if child.get("type") == "array" else child
        found = {**properties(inner or {}), **found, plain(name): child}
    return found


def is_group(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") in {"array", "object"}


def fitted(value: Any, schema: Mapping[str, Any], place: int) -> Any:
    """The value, or one of the type that the prompt gives this field, where it is another than the verdict's."""
    kind = schema.get("type")
    if kind == "boolean" and not isinstance(value, bool):
        return (True, False)[place] if value == PROSE else str(value).lower() in {"true", "yes"}
    if kind in {"integer", "number"} and (isinstance(value, bool) or not isinstance(value, int | float)):
        return schema.get("minimum", 0 if value is False else 1)
    options = schema.get("enum")
    if options and value not in options and plain(value) not in map(plain, options):
        return options[place]
    return value


def shaped(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts inside the objects and lists that the schema has; what it lacks stands beside them."""
    named = {plain(name): name for name in parts}
    used: set[str] = set()

    def fill(name: str, child: Mapping[str, Any]) -> Any:
        used.add(plain(name))
        if "properties" in child:
            return {inner: fill(inner, below) for inner, below in child["properties"].items()}
        if child.get("type") == "array":
            return [fill(name, child.get("items") or {})]
        if plain(name) in named:
            return parts[named[plain(name)]]
        return {"boolean": True, "integer": child.get("minimum", 1), "number": child.get("minimum", 1)}.get(
            str(child.get("type")), (child.get("enum") or [PROSE])[0]
        )

    found = {name: fill(name, child) for name, child in schema.get("properties", {}).items()}
    return {**found, **{name: value for name, value in parts.items() if plain(name) not in used}}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _parts(fact: Mapping[str, Any], value: Any, place: int) -> Iterator[tuple[str, Any]]:
    """A value for each field: the verdict's where the name is one for it, and words elsewhere."""
    names = fact["verdict_fields"]
    if len(fact.get("verdict_fields_also", ())) == len(names) and fact["output_form"] == "tags":
        names = fact["verdict_fields_also"]  # what the tags are called in prose
    chosen = [name for name in names if not is_reason(name) and not is_doubt(name)]
    told = [name for name in chosen if is_label(name) or is_rating(name)] or chosen
    if fact["labels"] and fact["scale"]:
        told = [name for name in told if is_label(name)] or told
    number = None if not fact["scale"] else (fact["scale"][0], fact["scale"][1])[place]
    for name in names:
        if name in told and value is not None:
            yield name, value
        elif name in chosen and number is not None and is_rating(name):
            yield name, number
        elif is_doubt(name):
            yield name, 0.5
        else:
            yield name, PROSE


def _meant(parts: Mapping[str, Any], fact: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = [*(fact["labels"] or ()), *(fact["scale"] or ()), True, False, "yes", "no"]
    return {
        name: each
        for name, each in parts.items()
        if each != PROSE and not is_doubt(name) and (each in verdicts or isinstance(each, int))
    }


def plain(value: Any) -> str:
    return re.sub(r"[\W_]+", " ", _text(value)).strip().casefold()


def given(verdict: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(verdict, dict):
        for name, child in verdict.items():
            yield from given(child, name)
    elif isinstance(verdict, list):
        for child in verdict:
            yield from given(child, path)
    else:
        yield path, verdict


def same(one: Any, other: Any) -> bool:
    truth = {"yes": "true", "no": "false"}
    if isinstance(one, int | float) and isinstance(other, int | float):
        return float(one) == float(other)
    return plain(one) == plain(other) or truth.get(plain(one), plain(one)) == truth.get(
        plain(other), plain(other)
    )


def read_as_meant(row: Mapping[str, Any], reply: Reply) -> str:
    """Empty where it was, else what was read."""
    if row["outcome"] not in {"scored", "judged"}:
        return f"{row['outcome']}: {str((row['error'] or {}).get('message'))[:110]}"
    found = list(given(row["verdict"]))
    for name, value in reply.meant.items():
        fits = [each for named, each in found if not name or plain(named) == plain(name)]
        if not any(same(each, value) for each in fits):
            return f"{name or 'verdict'} {str(fits[:3])[:60]} not {value!r}"
    return ""


def run(folder: Path, fact: Mapping[str, Any]) -> str:
    """Empty where both replies were read as meant, else why not."""
    prompt = folder / f"{fact['name']}.txt"
    try:
        judge = load_judge(str(prompt))
    except InputError as error:
        return f"not loaded: {error}"
    schema = judge.contract.schema if judge.contract is not None else {}
    wanted = replies(fact, prompt.read_text(encoding="utf-8"), schema)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        rows = []
        for number, _ in enumerate(wanted):
            row: dict[str, Any] = {"id": f"case-{number}"}
            for item in judge.inputs:
                name = item.source if "." not in item.source else item.source.split(".")[0]
                text = f"Text {number} of {item.name}."
                called = re.escape(item.name)
                if re.search(rf"\b{called}\.items\(", judge.text):
                    row[name] = {"part": text}
                elif re.search(rf", *\w+ +in +{called}\b", judge.text):
                    row[name] = [["part", text]]
                else:
                    row[name] = text
            for name, sample in SHAPES.items():
                row.update({name: sample} if name in row else {})
            rows.append(row)
        _write(place / "cases.jsonl", rows)
        _write(
            place / "replies.jsonl",
            [{"case_id": f"case-{number}", "reply": each.text} for number, each in enumerate(wanted)],
        )
        done = subprocess.run(
            [str(Path(sys.executable).with_name("adjudge")), "run", "cases.jsonl", "--judge", str(prompt.resolve()), "--model", "scripted:replies.jsonl",
             "-o", "rows.jsonl"],
            cwd=place, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if not (place / "rows.jsonl").exists():
            return f"exit {done.returncode}: {done.stderr.strip()[-160:]}"
        results = [json.loads(line) for line in (place / "rows.jsonl").read_text("utf-8").splitlines()]
    problems = [read_as_meant(row, reply) for row, reply in zip(results, wanted, strict=True)]
    return next(filter(None, problems), "")


SHAPES: Mapping[str, Any] = {
    "messages": [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Good day."}],
    "tool_calls": [],
    "context": ["A passage."],
}


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these prompts")
    asked = parser.parse_args()
    facts = json.loads((asked.folder / "facts.json").read_text(encoding="utf-8"))
    chosen = [fact for fact in facts if not asked.names or fact["name"] in asked.names]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda fact: run(asked.folder, fact), chosen))
    counts: Counter[str] = Counter()
    for fact, problem in zip(chosen, found, strict=True):
        counts[
            "right" if not problem else "stopped" if problem.startswith(("exit 2", "not l")) else "wrong"
        ] += 1
        if problem:
            print(f"{fact['name']} ({fact['output_form']}): {problem}")
    ran = len(chosen) - counts["stopped"]
    print(
        f"\nran          {ran:>5} of {len(chosen):>4}\nread right   {counts['right']:>5} of {len(chosen):>4}"
    )


if __name__ == "__main__":
    main()
