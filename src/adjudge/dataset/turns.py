"""Cases with a conversation -> the cases that are judged: its last turn, each of its turns, or all of it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from adjudge.dataset.conversations import (
    Said,
    Transcript,
    Turn,
    answer_text,
    find_turns,
    read_conversation,
    transcript,
    turn_calls,
)
from adjudge.dataset.ids import Ids
from adjudge.dataset.rows import refuse, repeated_id
from adjudge.fields import CANONICAL, NO_TURN
from adjudge.json_values import UnusableError
from adjudge.options import Turns
from adjudge.records import BadRow, Case, Json, Place
from adjudge.text import as_text, utf8_size

MAX_TRANSCRIPT_TOKENS = 32_000
"""What a prompt has of a conversation; half of the model's context where that is less."""
BYTES_PER_TOKEN = 3
SHORT_TOKENS = 4_000
"""Half of the smallest context that a model has: shorter transcripts fit any of them."""
_OF_THE_WHOLE = ("label", "annotators")
"""What people said of a conversation says nothing of one turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRules:
    turns: Turns
    needs: Collection[str]
    """The fields that the run's judges ask for."""
    context_tokens: Callable[[], int | None]
    """How many tokens the model takes; asked for only where a transcript is long."""
    strict: bool = False

    def transcript(self, said: tuple[Said, ...]) -> Transcript:
        found = transcript(said, MAX_TRANSCRIPT_TOKENS * BYTES_PER_TOKEN)
        if utf8_size(found.text) < SHORT_TOKENS * BYTES_PER_TOKEN:
            return found
        known = self.context_tokens()
        if known is None or known // 2 >= MAX_TRANSCRIPT_TOKENS:
            return found
        return transcript(said, known // 2 * BYTES_PER_TOKEN)


def turn_cases(rows: Iterable[Case | BadRow], rules: TurnRules) -> Iterator[Case | BadRow]:
    """Rows without messages as they are. What is no conversation is a bad row, unless the case has a response anyway."""
    ids = Ids()
    for number, row in enumerate(rows, start=1):
        if isinstance(row, BadRow):
            yield row  # `line-7`, which no turn is called
            continue
        line = _place(row).line or number
        for case in _judged(row, rules):
            earlier = ids.claim(case.case_id, line) if rules.turns == "each" else None
            if earlier is None:
                yield case
            else:
                yield _bad_row(
                    row,
                    ids.next_free(f"{case.case_id}-again", line),
                    repeated_id(case.case_id, earlier),
                    rules,
                )


def _judged(row: Case, rules: TurnRules) -> list[Case | BadRow]:
    if not isinstance(row.fields.get("messages"), list | dict):
        return [row]
    try:
        return [*_cases(row, rules)]
    except UnusableError as error:
        if rules.turns == "last" and "response" in row.fields:
            return [row]
        return [_bad_row(row, row.case_id, error, rules)]


def _place(row: Case) -> Place:
    return row.place or Place(file="the cases")


def _bad_row(row: Case, case_id: str, error: UnusableError, rules: TurnRules) -> BadRow:
    bad = BadRow(case_id=case_id, place=_place(row), found=error.found, wanted=error.wanted)
    if rules.strict:
        raise refuse(bad)
    return bad


def _cases(row: Case, rules: TurnRules) -> Iterator[Case]:
    said = _with_response(row, read_conversation(row.fields["messages"]))
    turns = find_turns(said)
    if not turns:
        without = ("messages",) if rules.turns == "each" else ()
        noted = dict.fromkeys(("response", "transcript", "messages"), NO_TURN)
        asked = dict.fromkeys({"question", "history"} - row.fields.keys(), rules.transcript(said).text)
        yield _changed(row, asked if said else {}, noted=noted, without=without)
    elif rules.turns == "all":
        yield _whole(row, said, rules)
    elif rules.turns == "last":
        yield _turn_case(row, said, turns[-1], rules)
    else:
        for number, turn in enumerate(turns, start=1):
            one = replace(row, case_id=f"{row.case_id}/turn-{number}")
            yield _turn_case(one, said, turn, rules, conversation=row.case_id)


def _with_response(row: Case, said: tuple[Said, ...]) -> tuple[Said, ...]:
    """A response of its own is the last thing that was said, unless the messages end with it."""
    response = row.fields.get("response")
    if response is None:
        return said
    text = as_text(response)
    if said and said[-1].speaker == "assistant" and said[-1].text.strip() == text.strip():
        return said
    return (*said, Said("assistant", text, position=said[-1].position + 1 if said else 0))


def _turn_case(
    row: Case, said: tuple[Said, ...], turn: Turn, rules: TurnRules, *, conversation: str | None = None
) -> Case:
    own = conversation is None  # the case's own columns are about its last turn
    before = rules.transcript(said[: turn.answer])
    values: dict[str, Json] = {}
    noted: dict[str, str] = {}
    asked = _question(said[: turn.answer], before, rules)
    if asked is not None and not (own and ("question" in row.fields or "question" in row.contested)):
        values["question"] = asked
    if not (own and "response" in row.fields):
        values["response"] = answer_text(said, turn)
    if "history" in rules.needs and not (own and "history" in row.fields):
        values["history"] = before.text
    if before.note is not None:
        noted |= dict.fromkeys({"question", "history"} & values.keys(), before.note)
    if "transcript" in rules.needs and not (own and "transcript" in row.fields):
        whole = rules.transcript(said[: turn.end])
        values["transcript"] = whole.text
        noted |= {} if whole.note is None else {"transcript": whole.note}
    if any(each.calls for each in said) and not (own and "tool_calls" in row.fields):
        values["tool_calls"] = turn_calls(said[turn.start : turn.end])
    if own:
        return _changed(row, values, noted=noted)
    if "cluster" not in row.fields:
        values["cluster"] = conversation
    if "messages" in rules.needs:
        messages = row.fields["messages"]
        assert isinstance(messages, list)
        values["messages"] = messages[: said[turn.end - 1].position + 1]
    return _changed(row, values, noted=noted, without=("messages", *_OF_THE_WHOLE))


def _question(before: tuple[Said, ...], shown: Transcript, rules: TurnRules) -> str | None:
    """The conversation, for judges that know of no other place for it; else what the user said last, for reports."""
    if {"question", "parameters"} & set(rules.needs):
        return shown.text if before else None
    return next((each.text for each in reversed(before) if each.speaker == "user"), None)


def _whole(row: Case, said: tuple[Said, ...], rules: TurnRules) -> Case:
    whole = rules.transcript(said)
    values: dict[str, Json] = dict.fromkeys(("response", "history", "transcript"), whole.text)
    first = next((each.text for each in said if each.speaker == "user"), None)
    if first is not None and "question" not in row.fields:
        values["question"] = first
    calls = turn_calls(said)
    if calls and "tool_calls" not in row.fields:
        values["tool_calls"] = calls
    noted = {} if whole.note is None else dict.fromkeys(("response", "history", "transcript"), whole.note)
    return _changed(row, values, noted=noted)


def _changed(
    row: Case, values: Mapping[str, Json], *, noted: Mapping[str, str], without: Collection[str] = ()
) -> Case:
    """The case with other values for these fields, whatever its columns for them are called."""
    gone = {*values, *without}
    columns = {name: value for name, value in row.columns.items() if CANONICAL.get(name) not in gone}
    fields = {name: value for name, value in row.fields.items() if name not in gone}
    contested = {name: rivals for name, rivals in row.contested.items() if name not in gone}
    return replace(row, columns=columns, fields={**fields, **values}, contested=contested, noted=noted)
