"""What a judge file's front matter declares, checked key by key with line numbers."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, TypeVar

from msgspec import Struct

from adjudge.errors import JudgeFileError
from adjudge.judges.front_matter import KEYS, Located
from adjudge.judges.picoschema import schema_inputs, schema_verdict
from adjudge.judges.schema import MAX_NUMBER, read_verdict, too_large
from adjudge.patterns import lazy_pattern
from adjudge.records import WINNER_SCORES, Dialect, Json, Rating, Rubric, Scale, WhenEmpty
from adjudge.rubrics import RubricError, read_criteria
from adjudge.templates import DIALECTS
from adjudge.text import did_you_mean, is_finite

FORMAT = 1
WINNERS: Mapping[str, float] = {str(winner): points for winner, points in WINNER_SCORES.items()}
MIN_SCALE = 1e-6
OURS = frozenset({"contract", "embedded"})
"""Keys that mean something only in files with `adjudge: 1`: other tools use these words too."""
CONTRACT_FIELD = lazy_pattern(r"\{(?P<field>[A-Za-z_]\w*)(?::\.(?P<decimals>[0-9])f)?\}")
"""A field of the verdict in `contract:`, or `score`, which may say how many decimals it has: `{score:.1f}`."""
_RATING_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")


class DeclaredInput(Struct, frozen=True, kw_only=True):
    required: bool
    default: str | None
    line: int


class DeclaredItems(Struct, frozen=True, kw_only=True):
    prompt: str
    verdict: Mapping[str, Json]
    line: int


class Declared(Struct, frozen=True, kw_only=True):
    """Front matter, checked; None where it says nothing."""

    where: str = ""
    lines: Mapping[str, int] = {}
    name: str | None = None
    description: str = ""
    inputs: Mapping[str, DeclaredInput] = {}
    verdict: Mapping[str, Json] | None = None
    score: str | Mapping[str, float] | None = None
    names_winners: bool = False
    """Whether `score` says which answer each label is for: `{A: a, B: b, C: tie}`."""
    scale: Scale | None = None
    better: Literal["higher", "lower"] = "higher"
    passes: str | None = None
    dialect: Dialect | None = None
    when_missing: float | None = None
    when_empty: WhenEmpty = "lowest"
    truncate: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    items: DeclaredItems | None = None
    anchors: Mapping[str, str] | None = None
    structured: bool | None = None
    abstain: tuple[str, ...] = ()
    rubric: Rubric | None = None
    ratings: tuple[Rating, ...] = ()
    contract: str | Mapping[str, str] | None = None
    embedded: bool = False
    check: Located | None = None
    combine: Located | None = None
    ignored: Mapping[str, Json] = {}

    def error(self, key: str, problem: str, hint: str) -> JudgeFileError:
        """An error at the line of a key."""
        return JudgeFileError(f"{self.where} line {self.lines.get(key, 1)}", problem, hint)


def read_declared(front_matter: Located | None, *, where: str) -> Declared:
    """Check what front matter says; with `adjudge: 1` an unknown key is an error, without it it is ignored and shown."""
    if front_matter is None:
        return Declared(where=where)
    return _KeyReader(front_matter, where).read()


T = TypeVar("T")


class _KeyReader:
    def __init__(self, front_matter: Located, where: str) -> None:
        self.entries = front_matter.entries
        self.lines = front_matter.key_lines
        self.where = where
        self.ours = "adjudge" in self.entries

    def error(self, line: int, problem: str, hint: str) -> JudgeFileError:
        return JudgeFileError(f"{self.where} line {line}", problem, hint)

    def read(self) -> Declared:
        self.format()
        ignored = self.foreign()
        inputs = self.dotprompt_inputs(ignored) | self.inputs(ignored)
        verdict: Mapping[str, Json] | None = self.optional("verdict", partial(read_verdict, where=self.where))
        if verdict is None:
            verdict = self.dotprompt_verdict(ignored)
        passes = self.text("passes")
        return Declared(
            where=self.where,
            lines=self.lines,
            name=self.name(),
            description=self.text("description") or "",
            inputs=inputs,
            verdict=verdict,
            score=self.optional("score", self.score),
            names_winners=self.names_winners(),
            scale=self.optional("scale", self.scale),
            better="lower" if self.word("better", ("higher", "lower")) == "lower" else "higher",
            passes=None if passes is None else passes.strip(),
            dialect=self.dialect(),
            when_missing=self.optional("when_missing", self.when_missing),
            when_empty=self.when_empty(),
            truncate=self.truncate(),
            temperature=self.optional("temperature", self.temperature),
            max_output_tokens=self.optional("max_output_tokens", self.max_output_tokens),
            items=self.optional("items", self.items),
            anchors=self.optional("anchors", self.anchors),
            structured=self.flag("structured", "sends the verdict's schema", "sends none"),
            abstain=self.optional("abstain", self.abstain) or (),
            rubric=self.optional("rubric", self.rubric),
            ratings=self.optional("ratings", self.ratings) or (),
            contract=self.contract(),
            embedded=self.flag("embedded", "the embedded judge was trained for it", "it was not") or False,
            check=self.entries.get("check"),
            combine=self.entries.get("combine"),
            ignored=ignored,
        )

    def optional(self, key: str, read: Callable[[Located], T]) -> T | None:
        """What the reader of a key makes of it; None where the file does not have it."""
        entry = self.entries.get(key)
        return None if entry is None else read(entry)

    # ---- the file as a whole

    def format(self) -> None:
        entry = self.entries.get("adjudge")
        if entry is not None and (entry.value != FORMAT or isinstance(entry.value, bool)):
            raise self.error(
                entry.line,
                f"the file is in format `adjudge: {entry.written}`; this version reads format {FORMAT}",
                f"write `adjudge: {FORMAT}`, or install a version of adjudge that reads the other format",
            )

    def foreign(self) -> dict[str, Json]:
        ignored: dict[str, Json] = {}
        for key, entry in self.entries.items():
            if key in KEYS and (self.ours or key not in OURS):
                continue
            if self.ours:
                raise self.error(
                    self.lines[key],
                    f"`{key}` is not a judge file key",
                    did_you_mean(key, KEYS, f"known keys: {', '.join(KEYS)}"),
                )
            ignored[key] = entry.value
        return ignored

    # ---- Dotprompt and PromptL

    def dotprompt_inputs(self, ignored: dict[str, Json]) -> dict[str, DeclaredInput]:
        """The inputs of `input.schema`, with what `input.default` gives them."""
        entry = self.entries.get("input")
        if entry is None or self.ours:
            return {}
        schema, defaults = entry.entries.get("schema"), entry.entries.get("default")
        found = schema_inputs(schema) if schema is not None else None
        given = {
            name: value
            for name, value in (defaults.entries if defaults is not None else {}).items()
            if not isinstance(value.value, list | dict) and value.value is not None
        }
        used = {"schema"} if found is not None else set()
        if defaults is not None and given.keys() == defaults.entries.keys():
            used.add("default")
        self.use("input", used, ignored)
        inputs = {
            name: DeclaredInput(required=item.required, default=None, line=item.line)
            for name, item in (found or {}).items()
        }
        return inputs | {
            name: DeclaredInput(required=False, default=value.written, line=value.line)
            for name, value in given.items()
        }

    def dotprompt_verdict(self, ignored: dict[str, Json]) -> Mapping[str, Json] | None:
        """The verdict that `output.schema` describes, or Latitude's `schema`."""
        if not self.ours and "schema" in self.entries:
            verdict = schema_verdict(self.entries["schema"])
            ignored.pop("schema" if verdict is not None else "", None)
            return verdict
        entry = self.entries.get("output")
        if entry is None or self.ours or "schema" not in entry.entries:
            return None
        verdict = schema_verdict(entry.entries["schema"])
        if verdict is not None:
            self.use("output", {"schema", "format"}, ignored)
        return verdict

    def use(self, key: str, used: set[str], ignored: dict[str, Json]) -> None:
        """Count only the rest of another tool's key as ignored."""
        rest: dict[str, Json] = {
            name: entry.value for name, entry in self.entries[key].entries.items() if name not in used
        }
        if rest:
            ignored[key] = rest
        elif used:
            ignored.pop(key, None)

    # ---- words and numbers

    def text(self, key: str) -> str | None:
        entry = self.entries.get(key)
        if entry is None:
            return None
        if isinstance(entry.value, list | dict) or entry.value is None:
            raise self.error(entry.line, f"`{key}` is not text", f"write `{key}: some words`")
        return entry.written

    def word(self, key: str, known: tuple[str, ...]) -> str | None:
        entry = self.entries.get(key)
        if entry is None:
            return None
        if entry.written not in known:
            raise self.error(
                entry.line,
                f"`{key}: {_written(entry)}` is not one of {', '.join(known)}",
                _did_you_mean(entry.written, known),
            )
        return entry.written

    def number(self, entry: Located, what: str) -> float:
        value = entry.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value):
            raise self.error(
                entry.line, f"{what} is `{_written(entry)}`, not a number", "write a number, such as 0 or 0.5"
            )
        if abs(value) > MAX_NUMBER:
            raise too_large(self.where, entry, what)
        return value

    # ---- one key each

    def name(self) -> str | None:
        name = self.text("name")
        if name is None or _NAME.fullmatch(name):
            return name
        cleaned = clean_name(name)
        if not self.ours:
            return cleaned
        raise self.error(
            self.entries["name"].line,
            f"`name: {name}` cannot be used in `name@hash` or in a file name",
            f"use letters, digits, `-`, `_` and `.`, such as `{cleaned}`",
        )

    def inputs(self, ignored: dict[str, Json]) -> dict[str, DeclaredInput]:
        entry = self.entries.get("inputs")
        if entry is None:
            return {}
        try:
            if not entry.entries:
                raise self.error(
                    entry.line,
                    "`inputs` is not a list of `name: required` lines",
                    "write `inputs: {question: required}`",
                )
            return {name: self.one_input(name, value) for name, value in entry.entries.items()}
        except JudgeFileError:
            if self.ours:
                raise
            ignored["inputs"] = entry.value  # another tool's notion of inputs; the template still names them
            return {}

    def one_input(self, name: str, entry: Located) -> DeclaredInput:
        known = ("required", "optional")
        if not entry.entries:
            if entry.written not in known or isinstance(entry.value, list):
                raise self.error(
                    entry.line,
                    f"input `{name}` is `{_written(entry)}`, not `required`, `optional` or `{{default: …}}`",
                    _did_you_mean(entry.written, known),
                )
            return DeclaredInput(required=entry.written == "required", default=None, line=entry.line)
        default: str | None = None
        required = True
        for key, value in entry.entries.items():
            if key == "default" and not isinstance(value.value, list | dict) and value.value is not None:
                default, required = value.written, False
            elif key in known and isinstance(value.value, bool):
                required = value.value is (key == "required")
            else:
                raise self.error(
                    value.line,
                    f"input `{name}` has `{key}: {_written(value)}`",
                    f"{_did_you_mean(key, ('default', *known))}; write {{default: text}}, {{optional: true}} or {{required: true}}",
                )
        return DeclaredInput(required=required and default is None, default=default, line=entry.line)

    def names_winners(self) -> bool:
        entry = self.entries.get("score")
        return entry is not None and any(each.written.lower() in WINNERS for each in entry.entries.values())

    def score(self, entry: Located) -> str | Mapping[str, float]:
        if self.names_winners():
            return {label: self.winner(label, name) for label, name in entry.entries.items()}
        if entry.entries:
            return {
                label: self.number(points, f"the points of `{label}`")
                for label, points in entry.entries.items()
            }
        if not isinstance(entry.value, str) or not entry.value.strip():
            raise self.error(
                entry.line,
                f"`score` is `{_written(entry)}`",
                "name a field of the verdict, write a map {label: points}, an expression, or a named scorer",
            )
        return entry.value.strip()

    def winner(self, label: str, entry: Located) -> float:
        points = WINNERS.get(entry.written.lower())
        if points is None:
            raise self.error(
                entry.line,
                f"`{label}` stands for `{_written(entry)}`, not for `a`, `b` or `tie`",
                "say for every label which answer it prefers: `score: {A: a, B: b, C: tie}`",
            )
        return points

    def scale(self, entry: Located) -> Scale:
        if len(entry.elements) != 2:
            raise self.error(
                entry.line,
                f"`scale: {_written(entry)}` is not a list of two numbers",
                "write `scale: [0, 5]`",
            )
        low, high = (self.number(element, "an end of the scale") for element in entry.elements)
        if high - low < MIN_SCALE:
            problem = f"the scale's low end {low} is not below its high end {high}"
            if low < high:
                problem = f"the scale from {low} to {high} is shorter than {MIN_SCALE}"
            raise self.error(entry.line, problem, "write `[lo, hi]`, such as [0, 5]")
        return Scale(low=low, high=high)

    def dialect(self) -> Dialect | None:
        word = self.word("dialect", DIALECTS)
        return next((dialect for dialect in DIALECTS if dialect == word), None)

    def when_missing(self, entry: Located) -> float:
        if set(entry.entries) != {"score"}:
            raise self.error(
                entry.line,
                f"`when_missing: {_written(entry)}` is not a score",
                "write `when_missing: {score: 0}`",
            )
        return float(self.number(entry.entries["score"], "the score of `when_missing`"))

    def when_empty(self) -> WhenEmpty:
        entry = self.entries.get("when_empty")
        if entry is None:
            return "lowest"
        if set(entry.entries) == {"score"}:
            return float(self.number(entry.entries["score"], "the score of `when_empty`"))
        match entry.written:
            case "ask":
                return "ask"
            case "missing":
                return "missing"
            case "lowest":
                return "lowest"
        known = ("ask", "missing", "lowest")
        raise self.error(
            entry.line,
            f"`when_empty: {_written(entry)}` is not one of {', '.join(known)} or {{score: N}}",
            _did_you_mean(entry.written, known),
        )

    def truncate(self) -> str | None:
        entry = self.entries.get("too_long")
        if entry is None or entry.value == "fail":
            return None
        if set(entry.entries) == {"truncate"} and isinstance(entry.entries["truncate"].value, str):
            return str(entry.entries["truncate"].value)
        raise self.error(
            entry.line,
            f"`too_long: {_written(entry)}` is neither `fail` nor an input to cut",
            "write `too_long: fail`, or `too_long: {truncate: context}`",
        )

    def temperature(self, entry: Located) -> float:
        value = float(self.number(entry, "`temperature`"))
        if not 0 <= value <= 2:
            raise self.error(
                entry.line,
                f"`temperature: {entry.written}` is not between 0 and 2",
                "use 0 for repeatable verdicts",
            )
        return value

    def max_output_tokens(self, entry: Located) -> int:
        if isinstance(entry.value, bool) or not isinstance(entry.value, int) or entry.value < 1:
            raise self.error(
                entry.line,
                f"`max_output_tokens: {_written(entry)}` is not a whole number above 0",
                "write, say, 1024",
            )
        if entry.value > MAX_NUMBER:
            raise too_large(self.where, entry, "`max_output_tokens`")
        return entry.value

    def flag(self, key: str, if_true: str, if_false: str) -> bool | None:
        entry = self.entries.get(key)
        if entry is None or (key in OURS and not self.ours):
            return None
        if isinstance(entry.value, bool):
            return entry.value
        raise self.error(
            entry.line,
            f"`{key}: {_written(entry)}` is neither true nor false",
            f"`{key}: true` {if_true}, `{key}: false` {if_false}",
        )

    def contract(self) -> str | Mapping[str, str] | None:
        entry = self.entries.get("contract")
        if entry is None or not self.ours:
            return None
        texts = entry.entries or {"contract": entry}
        for name, text in texts.items():
            if not isinstance(text.value, str):
                raise self.error(
                    text.line,
                    f"`{name}` of `contract` is `{_written(text)}`, not a text",
                    'write `contract: {score: "{score}", reason: "{reason}"}`, or the text to print',
                )
        return {name: text.written for name, text in texts.items()} if entry.entries else entry.written

    def items(self, entry: Located) -> DeclaredItems:
        for key in entry.entries:
            if key not in {"prompt", "verdict"}:
                raise self.error(
                    entry.key_lines[key], f"`items` has `{key}`", _did_you_mean(key, ("prompt", "verdict"))
                )
        prompt, verdict = entry.entries.get("prompt"), entry.entries.get("verdict")
        if prompt is None or verdict is None or not isinstance(prompt.value, str) or not prompt.value.strip():
            raise self.error(
                entry.line,
                "`items` needs a `prompt` and a `verdict`",
                "write `items: {prompt: |…, verdict: {…}}`",
            )
        return DeclaredItems(
            prompt=prompt.value, verdict=read_verdict(verdict, where=self.where), line=entry.line
        )

    def abstain(self, entry: Located) -> tuple[str, ...]:
        labels = entry.elements or (entry,)
        for label in labels:
            if isinstance(label.value, list | dict) or (label.value is None and not label.written):
                raise self.error(
                    label.line,
                    f"`abstain: {_written(entry)}` is not a list of labels",
                    "write `abstain: [cannot_tell, not_applicable]`, labels that the verdict has",
                )
        return tuple(dict.fromkeys(label.written for label in labels))

    def rubric(self, entry: Located) -> Rubric:
        """A list of criteria, or what names them and how they are asked."""
        known = ("criteria", "column", "ask")
        for key in entry.entries:
            if key not in known:
                raise self.error(entry.key_lines[key], f"`rubric` has `{key}`", _did_you_mean(key, known))
        listed = entry.entries.get("criteria") if entry.entries else entry
        column, ask = entry.entries.get("column"), entry.entries.get("ask")
        if ask is not None and ask.written not in {"together", "each"}:
            raise self.error(ask.line, f"`ask: {_written(ask)}` of `rubric`", "write `together` or `each`")
        if (listed is None) is (column is None):
            raise self.error(
                entry.line,
                "`rubric` needs either `criteria` or `column`",
                "write `rubric: [{criterion: …, points: 1}]`, or `rubric: {column: rubric}` for each case's own",
            )
        try:
            criteria = () if listed is None else read_criteria(listed.value)
        except RubricError as error:
            at = entry if listed is None else listed
            line = at.line if error.place is None else at.elements[error.place].line
            raise self.error(
                line, f"`rubric`: {error}", "write `- {criterion: Names a next step, points: 2}`"
            ) from None
        each = ask is not None and ask.written == "each"
        return Rubric(
            criteria=criteria,
            column=None if column is None else column.written,
            ask="each" if each else "together",
        )

    def ratings(self, entry: Located) -> tuple[Rating, ...]:
        if len(entry.entries) < 2:
            raise self.error(
                entry.line,
                "`ratings` is not a list of two ratings or more",
                "write one line each, such as `clarity: {scale: [1, 5], passes: score >= 4}`; one alone is a `score:`",
            )
        return tuple(self.rating(name, each) for name, each in entry.entries.items())

    def rating(self, name: str, entry: Located) -> Rating:
        known = ("scale", "passes", "better")
        if not _RATING_NAME.fullmatch(name) or name in {"score", "exact", "reason"}:
            raise self.error(
                entry.line,
                f"a rating cannot be called `{name}`",
                "use a word such as `clarity` or `next_step`",
            )
        for key in entry.entries:
            if key not in known:
                raise self.error(
                    entry.key_lines[key], f"the rating `{name}` has `{key}`", _did_you_mean(key, known)
                )
        if "scale" not in entry.entries:
            raise self.error(entry.line, f"the rating `{name}` has no scale", "write `scale: [1, 5]`")
        passes, better = entry.entries.get("passes"), entry.entries.get("better")
        if better is not None and better.written not in {"higher", "lower"}:
            raise self.error(better.line, f"`better: {_written(better)}`", "write `higher` or `lower`")
        return Rating(
            name=name,
            scale=self.scale(entry.entries["scale"]),
            passes=None if passes is None else passes.written.strip(),
            better="lower" if better is not None and better.written == "lower" else "higher",
        )

    def anchors(self, entry: Located) -> Mapping[str, str]:
        if not entry.entries:
            raise self.error(
                entry.line,
                "`anchors` is not a list of `score: what it means` lines",
                'write `anchors: {0: "wrong", 1: "right"}`',
            )
        for score, meaning in entry.entries.items():
            if isinstance(meaning.value, list | dict) or meaning.value is None:
                raise self.error(meaning.line, f"the anchor of {score} is not text", "quote it")
        return {score: meaning.written for score, meaning in entry.entries.items()}


def clean_name(name: str) -> str:
    """A name that can stand in `name@hash` and in a file name on every system."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:100].rstrip("-._")
    return cleaned or "judge"


def _written(entry: Located) -> str:
    return entry.written if not isinstance(entry.value, list | dict) else str(entry.value)


def _did_you_mean(word: str, known: tuple[str, ...]) -> str:
    return did_you_mean(word, known) or f"write one of {', '.join(known)}"
