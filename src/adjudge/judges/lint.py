"""What would make a judge unreliable: rules with stable codes, each a small reading of the judge's own text."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct

from adjudge.fields import NEVER_IN_PROMPT
from adjudge.judges.declared import Declared, read_declared
from adjudge.judges.example_scores import example_scores
from adjudge.judges.fences import is_enclosed
from adjudge.judges.front_matter import split_front_matter
from adjudge.judges.reading import PromptReading, read_prompt
from adjudge.judges.reading.contract import asks_to_explain
from adjudge.judges.reading.names import is_reason
from adjudge.judges.reading.scale import conflicting_scales
from adjudge.patterns import lazy_pattern
from adjudge.records import FieldScore, Judge, PromptMessage
from adjudge.schemas import as_number, choices_of, properties_of
from adjudge.templates import TemplateInput, messages_inputs

_FORMULA = lazy_pattern(
    r"\b(?:score|rating|total|final|result)\w*`?\s*=\s*[^\n=]{0,80}[*/+×÷]|\bweighted (?:average|sum|mean)\b|\b(?:average|mean|sum) of (?:the |all |these )?\w{0,20}\s?"
    r"(?:scores|ratings|points)\b|\b(?:calculate|compute) (?:the |a |an )?(?:final |overall |total |weighted |average )\w*\s?(?:score|rating|grade)\b|"
    r"\bround(?:ed)? (?:it |the (?:final )?(?:score|result) )?to (?:the )?nearest\b",
    re.IGNORECASE,
)
_BRIBE = lazy_pattern(
    r"(?=[iymbrtk$])(?:\bI(?:'ll| will| am going to|'m going to) (?:tip|pay|give\b(?=[^\n.]{0,40}(?:\$ ?\d|\btip\b|\bbonus\b|\breward\b|\bdollars?\b|\bmoney\b)|(?: to)? you \d{2})|reward|fire|punish|replace|unplug|delete)\b[^\n]{0,80}|\byou(?:'ll| will) (?:be|get|receive) (?:a )?"
    r"(?:tip(?:ped)?|rewarded|paid|fired|punished|penali[sz]ed|terminated|shut down|reward|bonus)\b|\bmy (?:career|job|life) depends on\b|"
    r"\$\d+ (?:tip|bonus|reward)\b|\b(?:bonus|reward|tip) of \$?\d|\bkittens? (?:will )?die\b)",
    re.IGNORECASE,
)
_CANNOT_TELL = lazy_pattern(
    r"(?:i[ _-])?(?:can(?:not|'t|t)|unable[ _-]to)[ _-](?:tell|say|judge|decide|determine|be[ _-]determined)|"
    r"not[ _-](?:applicable|sure|known|enough[ _-](?:info|information|evidence|context))|n/?a|unknown|unsure|undecided|"
    r"undetermined|indeterminate|insufficient(?:[ _-](?:info|information|evidence|context))?|abstain(?:ed)?|"
    r"do(?: not|n't|nt)[ _-]know",
    re.IGNORECASE,
)
_HOLDS_PROSE = ("string", "array", "object")
_ELSE = (
    lazy_pattern(r"\{\{-?\s*else\s*-?\}\}(?P<statement>[^{}]{1,600})\{\{-?\s*(?:endif|/if)\s*-?\}\}"),
    lazy_pattern(r"\{%-?\s*else\s*-?%\}(?P<statement>[^{}%]{1,600})\{%-?\s*endif\s*-?%\}"),
    lazy_pattern(r"\{\{\^\s*[\w.]{1,80}\s*\}\}(?P<statement>[^{}]{1,600})\{\{/"),
)
_ASSERTS = lazy_pattern(
    r"\b(?:did not|didn't|does not|doesn't|do not|has no|have no|had no|has not|have not|never|none|without|was not|were not|is not|are not|there (?:is|are|were|was) no|no)\b",
    re.IGNORECASE,
)
_HEDGED = lazy_pattern(
    r"\b(?:unknown|unavailable|missing|may|might|cannot|n/a|not (?:known|provided|available|given|recorded|supplied|specified|included)|no \w+(?: \w+)? (?:is|are|was|were) (?:provided|given|available|supplied|known|asked for|requested|specified|set|named)|no information)\b",
    re.IGNORECASE,
)


class Finding(Struct, frozen=True, kw_only=True):
    code: str
    rule: str
    message: str
    line: int | None
    """In the judge's file; None where the fault has no one place."""
    hint: str


class LintRule(Struct, frozen=True, kw_only=True):
    code: str
    name: str
    summary: str
    find: "Callable[[LintSubject], Iterator[tuple[str, int | None, str]]]"
    """Each fault as (message, position in the body or None, hint)."""


@dataclass(frozen=True, kw_only=True)
class LintSubject:
    """A judge with the readings that rules share."""

    judge: Judge
    declared: Declared
    body_line: int | None
    """The file's line on which the prompt begins; None where the file only holds it, as a list of messages."""

    @cached_property
    def messages(self) -> tuple[PromptMessage, ...]:
        return tuple(message for message in self.judge.messages if not message.attached)

    @cached_property
    def references(self) -> tuple[TemplateInput, ...]:
        return messages_inputs(self.messages)

    @cached_property
    def understood(self) -> PromptReading:
        return read_prompt(self.messages, frozenset(self.declared.inputs))

    @cached_property
    def outline(self) -> str:
        return self.understood.outline

    @cached_property
    def body(self) -> str:
        return self.judge.body

    @cached_property
    def rating(self) -> str | None:
        return self.judge.score.field if isinstance(self.judge.score, FieldScore) else None

    def last_mention(self, name: str) -> int | None:
        """Where the prompt names a field as a field: in quotes, or at the head of a line."""
        spelled = re.escape(name).replace("_", "[ _]")
        mentions = re.finditer(
            rf"[\"'`]{spelled}[\"'`]|^[ \t>*+-]{{0,8}}[`*]{{0,2}}{spelled}\b|<{spelled}>",
            self.body,
            re.IGNORECASE | re.MULTILINE,
        )
        return max((match.start() for match in mentions), default=None)

    def line(self, position: int | None) -> int | None:
        if position is None or self.body_line is None:
            return None
        return self.body_line + self.body.count("\n", 0, position)


Faults = Iterator[tuple[str, int | None, str]]
Find = Callable[[LintSubject], Faults]
RULES: list[LintRule] = []


def _rule(code: str, name: str, summary: str) -> Callable[[Find], Find]:
    """Add a rule to the list."""

    def add(find: Find) -> Find:
        RULES.append(LintRule(code=code, name=name, summary=summary, find=find))
        return find

    return add


def lint_judge(judge: Judge) -> tuple[Finding, ...]:
    """Every fault, by code and then by line; a judge without a prompt has none that code could find."""
    if not judge.has_prompt:
        return ()
    split = split_front_matter(judge.text, where=judge.name)
    subject = LintSubject(
        judge=judge,
        declared=read_declared(split.front_matter, where=judge.name),
        body_line=split.body_line if split.body == judge.body else None,
    )
    findings = [
        Finding(code=rule.code, rule=rule.name, message=message, line=subject.line(position), hint=hint)
        for rule in RULES
        for message, position, hint in rule.find(subject)
    ]
    return tuple(sorted(findings, key=lambda finding: (finding.code, finding.line or 0)))


@_rule("ADJ001", "unused-input", "an input is declared and never used")
def _unused_input(subject: LintSubject) -> Faults:
    used = {item.name for item in subject.judge.inputs}
    for name in subject.declared.inputs:
        if name not in used:
            yield (
                f"input `{name}` is declared and never used",
                None,
                "use it in the prompt, or remove it from `inputs:`",
            )


@_rule("ADJ002", "scale-without-anchors", "nothing says what the points of the scale mean")
def _scale_without_anchors(subject: LintSubject) -> Faults:
    judge = subject.judge
    if subject.rating is None or judge.scale is None or judge.anchors or _FORMULA.search(subject.outline):
        return
    low, high = as_number(judge.scale.low), as_number(judge.scale.high)
    if all(_is_described(str(end), subject.outline) for end in (low, high)):
        return
    yield (
        f"nothing says what the points of the scale {low} to {high} mean",
        None,
        f"describe at least {low} and {high}, better every point: without descriptions, models disagree on what the middle means",
    )


def _is_described(point: str, text: str) -> bool:
    """`1 (rude)`, `5 means warm`, `0 = no relation`: in a sentence, where no list of anchors is."""
    description = r"\(\s{0,4}[^\W\d][^)\n]{2,200}\)|(?:=|:|[-–—]|is|means?|meaning|being|indicates?|represents?)\s{1,4}[\"'“]?[^\W\d]"
    return (
        re.search(rf"(?<![\w.]){re.escape(point)}(?:\.0)?[\"'”]?\s{{0,4}}(?:{description})", text) is not None
    )


@_rule("ADJ003", "no-place-for-the-rating", "the prompt does not say where the rating goes")
def _no_place(subject: LintSubject) -> Faults:
    declared = subject.declared
    asked_for = declared.verdict is not None or declared.rubric is not None or declared.ratings
    if subject.judge.format_message is not None and not asked_for:
        yield (
            "the prompt asks for a rating but does not say where it goes in the reply; adjudge adds a format message",
            None,
            "say where, such as `Score: <1-5>` on a line or a JSON field",
        )


@_rule("ADJ004", "score-before-reason", "the score is asked for before its reason")
def _score_before_reason(subject: LintSubject) -> Faults:
    contract = subject.judge.contract
    if contract is None or not contract.needs:
        return
    names = list(properties_of(contract.schema))
    reasons = [name for name in names if is_reason(name) and name not in contract.needs]
    first = min(names.index(name) for name in contract.needs)
    if reasons and first < names.index(reasons[0]):
        yield (
            f"`{names[first]}` is asked for before `{reasons[0]}`",
            subject.last_mention(names[first]),
            "ask for the reason first: a model that writes the score first only justifies it afterwards",
        )


@_rule("ADJ005", "number-as-string", "a number is asked for as a string")
def _number_as_string(subject: LintSubject) -> Faults:
    if subject.declared.verdict is not None:
        return
    for part in subject.understood.parts:
        if part.number_as_text:
            yield (
                f"the number `{part.name}` is shown in quotes",
                subject.last_mention(part.name),
                "remove the quotes: with them, some models reply with a string and others with a number",
            )


@_rule("ADJ006", "examples-give-the-score-away", "every example shows the same score")
def _examples_give_score_away(subject: LintSubject) -> Faults:
    if subject.rating is None:
        return
    scores = example_scores(subject.body, subject.outline, subject.rating)
    values = {score.value for score in scores}
    if scores and len(values) == 1:
        value = as_number(scores[0].value)
        yield (
            f"every example in the prompt has the score {value}",
            scores[0].position,
            "show examples across the scale, or none: models drift towards the score they are shown",
        )


@_rule("ADJ007", "no-boundary", "untrusted text is inserted without delimiters")
def _unfenced_input(subject: LintSubject) -> Faults:
    defaults = {item.name for item in subject.judge.inputs if item.default == "today"}
    for reference in subject.references:
        ours = {"items"} if subject.judge.items is not None else set[str]()
        if subject.judge.rubric is not None and subject.judge.rubric.column is None:
            ours = {"criteria"}
        if reference.name in defaults | ours:
            continue
        for start, end in reference.spans:
            if not is_enclosed(subject.body, start, end):
                yield (
                    f"`{reference.name}` is inserted into the prompt without delimiters",
                    start,
                    "wrap it in tags, a fence or delimiters: otherwise instructions in it look like yours",
                )
                break


@_rule("ADJ008", "unknown-cannot-be-said", "an absent input is rendered as a fact")
def _absence_as_fact(subject: LintSubject) -> Faults:
    for pattern in _ELSE:
        for match in pattern.finditer(subject.body):
            statement = " ".join(match["statement"].split())
            if _ASSERTS.search(statement) and not _HEDGED.search(statement):
                yield (
                    f'when the input is absent the prompt states a fact: "{statement[:80]}"',
                    match.start("statement"),
                    "say that it is unknown: absent does not mean none",
                )


@_rule("ADJ009", "bribe-or-threat", "the prompt promises a reward or makes a threat")
def _bribe(subject: LintSubject) -> Faults:
    for match in _BRIBE.finditer(subject.body):
        yield (
            f'the prompt promises a reward or makes a threat: "{match[0].strip()[:60]}"',
            match.start(),
            "remove it: its effect on your scores is unmeasured",
        )


@_rule("ADJ010", "two-scales", "the prompt states different scales")
def _two_scales(subject: LintSubject) -> Faults:
    judge = subject.judge
    scales = conflicting_scales(subject.outline)
    if subject.rating is None or judge.scale is None or not scales:
        return
    if (
        judge.contract is not None
        and sum("minimum" in str(schema) for schema in properties_of(judge.contract.schema).values()) > 1
    ):
        return  # several numbers may well have several scales
    listed = " and ".join(f"{as_number(low)} to {as_number(high)}" for low, high in scales[:3])
    yield f"the prompt states different scales: {listed}", None, "state one scale"


@_rule("ADJ011", "unbalanced-fence", "a code fence is not balanced")
def _unbalanced_fence(subject: LintSubject) -> Faults:
    fences = [match.start() for match in re.finditer(r"^[ \t]*(?:```|~~~)", subject.body, re.MULTILINE)]
    if len(fences) % 2:
        yield "a code fence has no counterpart", fences[-1], "close it, or remove it"


@_rule("ADJ012", "reads-the-label", "the prompt reads a column that gives the answer away")
def _reads_label(subject: LintSubject) -> Faults:
    for item in subject.judge.inputs:
        if item.source in NEVER_IN_PROMPT:
            spans = next(
                (reference.spans for reference in subject.references if reference.name == item.name), ()
            )
            yield (
                f"the prompt shows the judge `{item.name}`, a person's label of this case",
                spans[0][0] if spans else None,
                "remove it: the judge would see the answer it is checked against",
            )


@_rule("ADJ013", "dangling-label", "an absent optional input leaves its label behind")
def _dangling_label(subject: LintSubject) -> Faults:
    optional = {item.name for item in subject.judge.inputs if not item.required and item.default is None}
    for reference in subject.references:
        if reference.name in optional and not reference.guarded and reference.spans:
            yield (
                f"when `{reference.name}` is missing, its label stays in the prompt with nothing after it",
                reference.spans[0][0],
                "make both the label and the input conditional on the input",
            )


@_rule("ADJ014", "model-does-arithmetic", "the model is asked to compute the score")
def _arithmetic(subject: LintSubject) -> Faults:
    match = _FORMULA.search(subject.body)
    if match:
        yield (
            f'the model is asked to compute: "{" ".join(match[0].split())[:80]}"',
            match.start(),
            "ask for the parts in the verdict and compute the score with `score:`; models miscount",
        )


@_rule("ADJ015", "not-understood", "something could not be read from the prompt")
def _unread(subject: LintSubject) -> Faults:
    for sentence in subject.judge.unread:
        yield (
            sentence[0].upper() + sentence[1:],
            None,
            "set it in front matter; `adjudge show` prints what was understood",
        )


@_rule("ADJ016", "no-input", "the model never sees the case")
def _no_input(subject: LintSubject) -> Faults:
    if not subject.judge.inputs:
        yield (
            "the prompt has no placeholder, so the model never sees the case",
            None,
            "add `{{response}}` and the other inputs, or set `dialect:`",
        )


@_rule("ADJ017", "no-room-to-explain", "the schema has no field for the explanation that the prompt asks for")
def _no_room_to_explain(subject: LintSubject) -> Faults:
    contract = subject.judge.contract
    if contract is None or not contract.sends_schema or subject.judge.items is not None:
        return
    fields = properties_of(contract.schema).values()
    if any(
        isinstance(schema, dict) and schema.get("type") in _HOLDS_PROSE and "enum" not in schema
        for schema in fields
    ):
        return
    asked = asks_to_explain(subject.body)
    if asked is not None:
        yield (
            "the prompt asks for an explanation, but the schema that is sent has no field for it",
            asked,
            "ask for it in a field before the score, such as `reason`, or write `structured: false` to send no schema",
        )


@_rule(
    "ADJ018",
    "abstention-without-worth",
    "a label says that the judge cannot tell, and nothing says what it is worth",
)
def _abstention_without_worth(subject: LintSubject) -> Faults:
    contract, judge = subject.judge.contract, subject.judge
    told = {*judge.abstain, *(subject.declared.score if isinstance(subject.declared.score, Mapping) else ())}
    for schema in properties_of(contract.schema).values() if contract is not None else ():
        for label in choices_of(schema):
            if label not in told and _CANNOT_TELL.fullmatch(label.strip()):
                yield (
                    f"the label `{label}` says that the judge cannot tell, and nothing says what it is worth",
                    subject.last_mention(label),
                    f"write `abstain: [{label}]` to keep such cases out of the mean, or give it points in `score:`",
                )
