"""Every record that travels the pipeline; imports nothing of ours."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from math import fsum
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
JsonSchema: TypeAlias = Mapping[str, Json]

Dialect = Literal[
    "mustache", "handlebars", "jinja", "promptl", "go", "printf", "python", "shell", "custom", "none"
]
Role = Literal["system", "user", "assistant"]

NOTHING: Mapping[str, Json] = MappingProxyType({})


# ---- what is judged ------------------------------------------------------------------------------------


class Place(Struct, frozen=True, kw_only=True):
    """Where a row stood, for messages."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file} line {self.line}"


class Case(Struct, frozen=True, kw_only=True):
    """One row to be judged. What is absent (null, NaN, an empty CSV cell) has no key; what is empty has one."""

    case_id: str
    columns: Mapping[str, Json]
    """The row under its own column names."""
    fields: Mapping[str, Json]
    """The same values under the canonical names of `adjudge.fields`, where a column stands for one."""
    contested: Mapping[str, tuple[str, ...]] = {}
    """Canonical field -> the columns that compete for it, none of them canonical; it is then not in `fields`."""
    noted: Mapping[str, str] = {}
    """Field -> a note for the judgements whose judge asks for it; not kept with the case."""
    place: Place | None = None

    @property
    def responses(self) -> tuple[Json, ...]:
        """The answers of a case that has several, `response_a` first; None for one that is absent before another."""
        found = [self.fields.get(f"response_{letter}") for letter in "abcdefgh"]
        while found and found[-1] is None:
            found.pop()
        return tuple(found)

    def answers_like(self, other: "Case") -> bool:
        """Whether what is judged is the same."""
        mine, theirs = ((case.fields.get("response"), case.responses) for case in (self, other))
        return mine == theirs


class BadRow(Struct, frozen=True, kw_only=True):
    """A row that could not be read as a case. `case_id` is `line-N`, or made from its columns where it came in
    a batch.
    """

    case_id: str
    place: Place
    found: str
    wanted: str

    @property
    def message(self) -> str:
        return f"{self.place}: found {self.found}; wanted {self.wanted}"


# ---- what judges it ------------------------------------------------------------------------------------


class Input(Struct, frozen=True, kw_only=True):
    """One value a prompt asks for."""

    name: str
    """As the template writes it: `question`, `item.input`."""
    required: bool
    source: str
    """The canonical field that fills it, or its own name (without `item.`) when it stands for itself."""
    default: str | None = None
    """Used when the case has none; `today` is the run's current date."""


class Scale(Struct, frozen=True, kw_only=True):
    low: float
    high: float


Form = Literal["json", "list", "sections", "line", "tags", "brackets", "bare", "last", "text"]
"""How the prompt asks for its verdict: a JSON object; a JSON list, whose entries are one field; Markdown sections;
`Score: 4`; `<score>4</score>`; `[[4]]`; nothing but the label; the last label or number of the scale, where the prompt does
not say where it stands; or the whole reply, where nothing is known of it. Every form but the last is also read as JSON."""


class Contract(Struct, frozen=True, kw_only=True):
    """What a reply has to hold."""

    schema: JsonSchema
    """A JSON Schema object; its `properties` stand in the order in which they are asked for."""
    needs: tuple[str, ...]
    """The properties the score is computed from: validated strictly. The rest is noted when it is off."""
    form: Form = "json"
    labels: Mapping[str, tuple[str, ...]] = {}
    """Property -> the words it stands under in text (`rating` -> `total rating`, `rating`, `score`), lower case."""
    words: Mapping[str, Mapping[str, Json]] = {}
    """Property -> words that stand for a value (`rating` -> {`terrible`: 1, …}), lower case."""
    structured: bool | None = None
    """Front matter's `structured:`; None: only a prompt that asks for JSON is sent with a schema."""

    @property
    def sends_schema(self) -> bool:
        """Whether the model is held to `schema` where the provider can do that.

        Forcing JSON on a prompt that asks for anything else would cut the explanation it asks for.
        """
        return self.form == "json" if self.structured is None else self.structured


class FieldScore(Struct, frozen=True, kw_only=True):
    """The score is this property of the verdict."""

    field: str


class PointsScore(Struct, frozen=True, kw_only=True):
    """The score is the points of the label in this property."""

    field: str
    points: Mapping[str, float]


class ExpressionScore(Struct, frozen=True, kw_only=True):
    """The score is computed from the verdict's properties by `adjudge.expressions`."""

    text: str


class NamedScore(Struct, frozen=True, kw_only=True):
    """The score is computed by a named scorer of `adjudge.scoring`."""

    name: str


class CheckScore(Struct, frozen=True, kw_only=True):
    """The score is what a check of `adjudge.checks` finds in the case; no model is asked."""

    name: str
    parameters: Mapping[str, Json] = NOTHING
    """As the file gives them, without those that are the defaults."""


class CombineScore(Struct, frozen=True, kw_only=True):
    """The score is computed by `adjudge.expressions` from the normalized scores of other judges."""

    text: str
    parts: Mapping[str, "Judge"]
    """The name in `text` -> the judge that it stands for."""


ScoreRule = FieldScore | PointsScore | ExpressionScore | NamedScore | CheckScore | CombineScore

IN_CODE = "code"
"""What stands as the model of a judgement that no model was asked for."""


JuryRule: TypeAlias = Literal["majority", "mean", "median", "cascade"]
"""`cascade`: the first of them that is sure enough decides, and the others are not asked."""
_JURY, _CASCADE = "jury:", "cascade:"


class Jury(Struct, frozen=True, kw_only=True):
    """Several models whose votes make one judgement."""

    rule: JuryRule
    models: tuple[str, ...]
    """In the order in which they were named."""
    quorum: int
    """The fewest votes that make a verdict."""
    agree: float | None = None
    """Of a cascade: the share of its decisions that people are to agree with."""

    @property
    def name(self) -> str:
        """What stands as the model of its judgements: `jury:median(m1,m2,m3)`, `cascade:m1,m2,m3`."""
        return jury_name(self.rule, self.models)


def jury_name(rule: str, models: Iterable[str]) -> str:
    members = ",".join(models)
    return f"{_CASCADE}{members}" if rule == "cascade" else f"{_JURY}{rule}({members})"


def is_jury(model: str) -> bool:
    """Whether a judgement's model is a jury, or a cascade."""
    return model.startswith((_JURY, _CASCADE))


def is_cascade(model: str) -> bool:
    return model.startswith(_CASCADE)


def is_vote(model: str) -> bool:
    """In a run with a jury: whether a judgement is a member's, and not the jury's own or made in code."""
    return model != IN_CODE and not is_jury(model)


def jury_title(model: str) -> str:
    """A jury's name without its members: `jury:median`."""
    return model.partition("(")[0]


def jury_rule(model: str) -> str:
    """`median` of `jury:median(m1,m2,m3)`."""
    return jury_title(model).removeprefix(_JURY)


class PromptMessage(Struct, frozen=True, kw_only=True):
    """One message of a judge's prompt, as its file has it; rendering may make several of it."""

    role: Role
    text: str
    dialect: Dialect
    attached: bool = False
    """Written by us: it holds the inputs of a prompt that has no placeholder for them."""


class Items(Struct, frozen=True, kw_only=True):
    """A first call whose reply lists what the main prompt then checks, available to it as `items`.

    It sees only the inputs its own prompt names, so that a response it does not name cannot move the list.
    """

    body: str
    inputs: tuple[Input, ...]
    contract: Contract


class Pair(Struct, frozen=True, kw_only=True):
    """How a judge compares two answers: it is asked in both orders, and its verdict is about the one that is A."""

    answers: tuple[str, str]
    """The inputs that hold A and B."""
    swaps: tuple[tuple[str, str], ...]
    """The inputs that change places for the other order: the answers, and what else comes in two."""
    scale: Scale
    """Of the judge's own score: above its middle A is better, below it B, at the middle neither."""
    better: Literal["higher", "lower"] = "higher"
    """`lower` turns that round."""


Winner = Literal["a", "b", "tie"]
WINNER_SCORES: Mapping[Winner, float] = MappingProxyType({"a": 1.0, "b": 0.0, "tie": 0.5})
"""What a comparison is worth to A."""


def winner_of(score: float, scale: Scale, better: Literal["higher", "lower"] = "higher") -> Winner:
    """Who a score of a comparison is for: above the middle of its scale A, below it B."""
    middle = (scale.low + scale.high) / 2
    if score == middle:
        return "tie"
    return "a" if (score > middle) is (better == "higher") else "b"


class Criterion(Struct, frozen=True, kw_only=True):
    """One criterion of a rubric, met or not; with points below 0 it counts against the response."""

    criterion: str
    points: float


class Rubric(Struct, frozen=True, kw_only=True):
    """Criteria with points: the judge's own, or those of a case's column."""

    criteria: tuple[Criterion, ...] = ()
    column: str | None = None
    """The input that holds them, where each case has its own."""
    ask: Literal["together", "each"] = "together"
    """In one call, or one for each criterion."""


class Rating(Struct, frozen=True, kw_only=True):
    """One of several ratings in a verdict, with its own scale and pass rule."""

    name: str
    scale: Scale
    passes: str | None = None
    """Over `score`, which is this rating, and the verdict's fields."""
    better: Literal["higher", "lower"] = "higher"


WhenEmpty = Literal["lowest", "ask", "missing"] | float
"""What a blank response is worth: the scale's lowest score, whatever the model says, nothing, or this score."""


class Judge(Struct, frozen=True, kw_only=True):
    """A judge file, loaded. Known as `name@hash`."""

    name: str
    hash: str
    messages: tuple[PromptMessage, ...]
    dialect: Dialect
    inputs: tuple[Input, ...]
    """In prompt order, those of `items` first."""
    contract: Contract | None
    """None when no output contract could be read: such a judge can be shown and linted, not run."""
    score: ScoreRule | None
    """None where no one number is asked for: its verdicts are reported by their labels and ratings."""
    scale: Scale | None
    better: Literal["higher", "lower"] = "higher"
    passes: str | None = None
    format_message: str | None = None
    """Sent after the untouched prompt where that names no place for the rating."""
    items: Items | None = None
    rubric: Rubric | None = None
    ratings: tuple[Rating, ...] = ()
    """Reported one by one beside the score."""
    when_missing: float | None = None
    """A score forced, with no call, when a required input is absent; None: `missing_input`."""
    when_empty: WhenEmpty = "lowest"
    abstain: tuple[str, ...] = ()
    """Labels of the verdict by which the judge says that it cannot tell: such a case is `abstained`."""
    truncate: str | None = None
    """The input that may be cut where a prompt is too long for the model; None: such a case is `too_long`."""
    temperature: float | None = None
    max_output_tokens: int | None = None
    anchors: Mapping[str, str] = {}
    """Score (as written) -> what it means; shown to people who label."""
    description: str = ""
    ignored: Mapping[str, Json] = NOTHING
    """Front-matter keys of other tools, shown and not used."""
    unread: tuple[str, ...] = ()
    """What could not be read from the prompt, in sentences a person can act on."""
    guesses: tuple[str, ...] = ()
    """What is only likely, by the front-matter key that would settle it: `dialect`, `inputs`."""
    text: str = ""
    """The file as it was."""
    contract_template: str | Mapping[str, str] | None = None
    """What `--as contract` prints, with the verdict's fields in braces: a text, or the values of a JSON object."""
    pair: Pair | None = None
    """Of a judge that compares two answers; its `scale` is then 0 to 1, and `score` gives what one order says."""
    embedded: bool = False
    """As its file says: the embedded judge was trained for it. Only a built-in judge is answered by it."""
    built_in: bool = False

    @property
    def reply_scale(self) -> Scale | None:
        """Of the score that one reply gives, which for a pair is not yet the case's."""
        return self.scale if self.pair is None else self.pair.scale

    @property
    def body(self) -> str:
        """The text of the prompt, all messages together, without what is attached to it."""
        return "\n\n".join(message.text for message in self.messages if not message.attached)

    @property
    def items_messages(self) -> tuple[PromptMessage, ...]:
        """The first call's prompt; empty where there is none."""
        if self.items is None:
            return ()
        return (PromptMessage(role="user", text=self.items.body, dialect=self.dialect),)

    @property
    def has_prompt(self) -> bool:
        """Whether it asks by itself; a check looks at the case in code, a combination at its parts' scores."""
        return not isinstance(self.score, CheckScore | CombineScore)

    @property
    def asks_model(self) -> bool:
        """Whether its score can depend on what a model says."""
        match self.score:
            case CheckScore():
                return False
            case CombineScore(parts=parts):
                return any(part.asks_model for part in parts.values())
        return True

    @property
    def for_embedded(self) -> bool:
        """Whether the embedded judge answers it: another file's prompt is not what it was trained for."""
        return self.built_in and self.embedded


# ---- what is said --------------------------------------------------------------------------------------


class Message(Struct, frozen=True, kw_only=True):
    role: Role
    content: str


class Prompt(Struct, frozen=True, kw_only=True):
    messages: tuple[Message, ...]


class Request(Struct, frozen=True, kw_only=True):
    """One question to a model. `case_id`, `judge`, `step` and `repeat` say what it is for; they are not sent."""

    prompt: Prompt
    schema: JsonSchema | None
    """The verdict's schema, for providers with native structured output."""
    case_id: str
    judge: str
    step: str = "verdict"
    """`items`, `verdict`, `verdict_again` …: unique within a judgement."""
    repeat: int = 0
    shared: bool = False
    """Equal requests of other cases, systems and repeats may share its completion (a checklist)."""
    temperature: float | None = None
    """None: the provider's default."""
    max_output_tokens: int | None = None
    parameters: Mapping[str, Json] = NOTHING
    """`--param k=v`, merged into the request body as they are."""
    values: tuple[str, ...] = ()
    """How the value that decides the score may be spelled: alternatives to such tokens are asked for and kept."""
    fields: Mapping[str, Json] = NOTHING
    """What the prompt was filled with, by canonical field, for a model that reads fields and no prompt; not kept."""


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens; None is unknown. `input` includes `cached`."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None

    def __add__(self, other: "Usage") -> "Usage":
        def add(a: int | None, b: int | None) -> int | None:
            return None if a is None and b is None else (a or 0) + (b or 0)

        return Usage(
            input=add(self.input, other.input),
            output=add(self.output, other.output),
            cached=add(self.cached, other.cached),
        )


class TokenLogprob(Struct, frozen=True, kw_only=True):
    token: str
    logprob: float
    alternatives: tuple[tuple[str, float], ...] = ()
    """Likely tokens in its place, mostly itself among them, with their log-probabilities."""


class Measured(Struct, frozen=True, kw_only=True):
    """What a model that computes its verdict says beside it; one that writes text says nothing of the kind."""

    probability: float
    """That the verdict's decision is right; for a rating, that it is the nearest whole number."""
    exact: float | None = None
    """The score before it was rounded to the contract's scale."""


Finish = Literal["stop", "length", "context", "refusal"]
"""`length`: cut off at the request's token limit; `context`: where prompt and reply fill the model's context."""


class Completion(Struct, frozen=True, kw_only=True):
    """Exactly what came back."""

    text: str
    finish: Finish = "stop"
    structured: bool = False
    """The provider held the model to the schema, so the whole reply is the verdict."""
    model_snapshot: str | None = None
    """The model the provider says it ran, with its fingerprint when given (`gpt-x-2026-01-01/fp_abc`)."""
    usage: Usage = Usage()
    cost: Decimal | None = None
    """US dollars; None is unknown, not 0."""
    latency_ms: float = 0.0
    attempts: int = 1
    notes: tuple[str, ...] = ()
    """What the client had to change to be answered (`left_out:temperature`)."""
    logprobs: tuple[TokenLogprob, ...] = ()
    measured: Measured | None = None
    read: tuple[str, ...] | None = None
    """What the model read instead of the prompt, where it reads fields: nothing where code did the work. None: the prompt.
    It is kept as the request's prompt, see `as_read`."""
    from_store: bool = False
    key: str | None = None
    """What it is stored under: the hash of the request; None where nothing is kept."""
    version: int = 0
    """1 for the first answer to a request, more where it was asked again on purpose."""


def as_read(request: Request, completion: Completion) -> Request:
    """The request with what the model read of it."""
    if completion.read is None:
        return request
    messages = tuple(Message(role="user", content=text) for text in completion.read)
    return replace(request, prompt=Prompt(messages=messages))


LOWERED_NOTE = "lowered:max_tokens"
"""The limit on the reply's length was lowered, so that prompt and reply fit the model's context."""


@runtime_checkable
class ModelClient(Protocol):
    """What answers a request. Retry, cache and rate limit are clients that wrap a client.

    Inherit from it: `name`, `complete` and `close` are then all that a client of one's own needs.
    """

    name: str
    """As `--model` names it, without credentials: `openai:gpt-x`."""
    base_url: str | None = None
    """Where requests go, without credentials; None where that is no part of what it answers."""
    within_run: bool = False
    """Its replies are for the run that asked: nothing tells whether it is the same model in another one."""
    answers_by_case: bool = False
    """Two cases that ask the same may be answered differently, so a reply is never used for another case."""
    reads_fields: bool = False
    """It answers from the case's fields, so a completion says which of its texts it read."""
    is_free: bool = False
    """Its replies cost nothing, whatever their length."""
    learns: bool = False
    """It leaves out parameters that the model has refused, so the first call tells what the others are to leave out."""

    @abstractmethod
    async def complete(self, request: Request) -> Completion:
        """Ask once; a `ModelCallError` when there is no reply."""

    def request_key(self, request: Request) -> str | None:
        """What a completion is stored under; None: the hash of its name and of all that is asked."""
        del request
        return None

    @abstractmethod
    async def close(self) -> None:
        """End connections and threads."""


ModelFunction: TypeAlias = (
    Callable[[str], str | Completion | Awaitable[str | Completion]]
    | Callable[[Request], str | Completion | Awaitable[str | Completion]]
)
"""A model as a function. A parameter annotated `Request` gets the whole request; any other gets the prompt as text."""


class Verdict(Struct, frozen=True, kw_only=True):
    """The typed parts the model gave, validated, in the contract's order."""

    parts: Mapping[str, Json]
    notes: tuple[str, ...] = ()


class Score(Struct, frozen=True, kw_only=True):
    """The number computed from a verdict."""

    value: float
    """As the judge's contract gives it: rounded where the contract rounds."""
    exact: float
    """Before rounding."""
    notes: tuple[str, ...] = ()
    parts: Mapping[str, Json] | None = None
    """The verdict as code completed or corrected it; None: as the model gave it."""


class ScoreDistribution(Struct, frozen=True, kw_only=True):
    """How likely each score was, from the log-probabilities of the tokens that the score was read from."""

    shares: tuple[tuple[float, float], ...]
    """Score -> probability, by score; they add up to 1."""
    off_scale: float = 0.0
    """Probability of what is not on the scale, abstains, or could not be told apart; left out of `shares`."""

    @property
    def expected(self) -> float:
        return fsum(score * share for score, share in self.shares)


# ---- what became of it ---------------------------------------------------------------------------------


class Scored(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    score: Score
    kind: Literal["scored"] = "scored"


class Judged(Struct, frozen=True, kw_only=True):
    """A verdict of a judge without a score: labels that have no points, several ratings, fields that are only kept."""

    verdict: Verdict
    kind: Literal["judged"] = "judged"


class Forced(Struct, frozen=True, kw_only=True):
    """A score the judge's rules give without asking (coverage with a missing input)."""

    score: Score
    reason: str
    verdict: Verdict = Verdict(parts=NOTHING)
    kind: Literal["forced"] = "forced"


FailureKind = Literal[
    "abstained",
    "missing_input",
    "bad_row",
    "unreadable",
    "refused",
    "truncated",
    "too_long",
    "call_failed",
    "not_asked",
]


class Failed(Struct, frozen=True, kw_only=True):
    """Has no score, because it could not be judged or the judge abstained: counted, named, never a number."""

    kind: FailureKind
    message: str
    """What a person reads; the raw reply stays with its call."""
    error_kind: str = ""
    """Finer than `kind` where there is something finer (`rate_limited`, the missing input's name)."""
    attempts: int = 0
    """How often the call that failed was tried; the calls that did not fail are the judgement's `calls`."""
    maybe_billed: bool = False
    """The answer was lost on its way, so what it cost is unknown."""
    verdict: Verdict = Verdict(parts=NOTHING)
    """What a judge that abstained said, or the votes of a jury without a verdict; empty for every other kind."""


Outcome = Scored | Judged | Forced | Failed

OUTCOME_KINDS: tuple[str, ...] = (
    "scored",
    "forced",
    "judged",
    "abstained",
    "missing_input",
    "bad_row",
    "unreadable",
    "refused",
    "truncated",
    "too_long",
    "call_failed",
    "not_asked",
)


class Call(Struct, frozen=True, kw_only=True):
    request: Request
    """With the prompt that the model read."""
    completion: Completion


class Judgement(Struct, frozen=True, kw_only=True):
    """One stored row: case × judge × model × repeat, with the calls it was made from."""

    case_id: str
    judge: str
    judge_hash: str
    model: str
    repeat: int
    outcome: Outcome
    reason: str | None = None
    normalized: float | None = None
    passed: bool | None = None
    probability: float | None = None
    distribution: ScoreDistribution | None = None
    """None where the model gives no alternatives to its tokens, or the score is not read from one value."""
    notes: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    at: datetime
    place: Place | None = None
    metadata: Mapping[str, Json] = NOTHING
    """The case's metadata object, with the short values of columns that stand for no field: for slices."""
    cluster: str | None = None
    """What the case has in common with others, such as their question or document; None: it stands alone."""
    label: Json = None
    """The case's own label, where it has one; never sent unless the judge names it."""
    annotators: Json = None
    """What several people said of the case, where it has such a column; never sent either."""
    case: Case | None = None
    """What was judged. `evaluate` always fills it in; None for a row that could not be read as a case, and where the
    store lists judgements without the texts of their cases."""

    def __repr__(self) -> str:
        """On one line; the calls, with their prompts and replies, are in `calls`."""
        found = self.outcome.kind if self.score is None else f"{self.score:g}"
        passed = {True: ", passed", False: ", failed", None: ""}[self.passed]
        why = self.outcome.message if isinstance(self.outcome, Failed) else self.reason
        explanation = "" if not why else f": {_shortened(why, 40)!r}"
        names = f"{_shortened(self.judge, 24)} of {_shortened(self.case_id, 24)!r}"
        return f"<Judgement {names}: {found}{passed}{explanation}>"

    @property
    def score(self) -> float | None:
        """None unless it was scored: a failure is never a number, and not every verdict has one."""
        return self.outcome.score.value if isinstance(self.outcome, Scored | Forced) else None

    @property
    def exact(self) -> float | None:
        return self.outcome.score.exact if isinstance(self.outcome, Scored | Forced) else None

    @property
    def verdict(self) -> Mapping[str, Json]:
        return self.outcome.verdict.parts

    @property
    def usage(self) -> Usage:
        return sum((call.completion.usage for call in self.calls), Usage())

    @property
    def cost(self) -> Decimal | None:
        """Unknown as soon as one call's cost is unknown; 0 when nothing was asked."""
        if isinstance(self.outcome, Failed) and self.outcome.maybe_billed:
            return None
        costs = [call.completion.cost for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None

    @property
    def latency_ms(self) -> float:
        return sum(call.completion.latency_ms for call in self.calls)

    @property
    def attempts(self) -> int:
        failed = self.outcome.attempts if isinstance(self.outcome, Failed) else 0
        return failed + sum(call.completion.attempts for call in self.calls)

    @property
    def model_snapshot(self) -> str | None:
        return self.calls[-1].completion.model_snapshot if self.calls else None

    @property
    def from_store(self) -> bool:
        return bool(self.calls) and all(call.completion.from_store for call in self.calls)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


DrawBasis: TypeAlias = Literal["probability", "threshold"]
"""What makes a verdict doubtful: the judge's own probability of being right, or how near its score is to where passes
begin."""


class LabelDraw(Struct, frozen=True, kw_only=True):
    """Cases chosen at random for people to label."""

    run_id: str
    judge: str
    number: int
    """From 1; each draw leaves out what those before it chose."""
    chosen: tuple[str, ...]
    """Case ids, in the order of the run."""
    chances: Mapping[str, float]
    """Each case of the run -> its chance of having been chosen by this draw or one before it."""
    basis: tuple[DrawBasis, ...]
    """What made one case likelier than another; empty when nothing did."""
    uniform_share: float
    seed: int
    at: datetime
