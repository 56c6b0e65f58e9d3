"""What outcomes and notes mean, and what to do about them."""

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Advice(NamedTuple):
    means: str
    do: str


FAILURES: Mapping[str, Advice] = {
    "abstained": Advice(
        "the judge answered that it cannot tell, with a label its file lists under `abstain:`; or it found no claim to "
        "judge, a jury had no majority, or no model of a cascade was sure enough",
        "have people label them: `adjudge agree RUN --next N` draws them",
    ),
    "missing_input": Advice(
        "an input that the judge needs is missing or blank",
        "add the column, or name another one with --columns INPUT=COLUMN",
    ),
    "bad_row": Advice("the row could not be read as a case", "fix the lines named"),
    "unreadable": Advice(
        "the model replied, but not with a verdict in the requested format",
        "try a stronger model, or state the format more clearly: `adjudge lint` finds unclear spots in the judge",
    ),
    "refused": Advice("the model declined to answer", "read what was sent, or use another model"),
    "truncated": Advice(
        "the reply was cut off at the token limit, twice",
        "allow longer replies: max_output_tokens in the judge file",
    ),
    "too_long": Advice(
        "the prompt does not fit the model", "shorten the case, or use a model with a larger context"
    ),
    "call_failed": Advice(
        "the model could not be reached or rejected the request",
        "run the same command again once the service responds; finished cases are not sent again",
    ),
    "not_asked": Advice(
        "the run stopped before this case was sent",
        "run the same command again, with a higher limit if one was hit",
    ),
}

_FINER: Mapping[str, str] = {
    "unauthorized": "correct the key: `adjudge models` says which variable it is read from; then run the same command again",
    "account_exhausted": "add credit to the account, or raise its limit on spending; then run the same command again, which "
    "sends nothing twice",
    "rejected": "correct what the message names (the model's name, --base-url, a parameter); then run the same command again",
    "quorum": "see why the jurors did not vote, or lower --quorum",
    "no_majority": "ask an odd number of models, or have people label them: `adjudge agree RUN --next N` draws them",
}
"""What to do where the `error_kind` says more than the kind."""


def what_to_do(kind: str, error_kinds: Collection[str]) -> str:
    """`error_kinds`: those of all failures of the kind. What a service was not sent because it failed before goes with that."""
    finer = set(error_kinds) - {"circuit_open"}
    return _FINER.get(finer.pop(), FAILURES[kind].do) if len(finer) == 1 else FAILURES[kind].do


NOTES: Mapping[str, str] = {
    "empty_response": "the response was blank: scored by rule, with no call",
    "verdict_place_guessed": "the prompt does not say where the verdict stands: the last one in the reply was taken",
    "planted_verdict": "the same verdict also appears in the case, so the model was asked for the verdict alone",
    "differing_verdicts": "the reply held verdicts that differ, so the model was asked for the verdict alone",
    "tool_calls_unknown": "it is not known whether tools were called; the prompt may claim that none were",
    "boundary_in_value": "a value contains the tag that closes it in the prompt",
    "left_out": "the model does not accept a parameter, so it was left out",
    "renamed": "the model expects a parameter under another name",
    "response_format": "the service does not accept the usual structured-output request, so another form was used",
    "evidence_not_found": "the quoted evidence is not in the response, so the item is not counted",
    "passage_not_found": "the quoted passage is not in the context, so the verdict on that claim is not counted",
    "no_claims": "the response is blank or makes no claim, so there is nothing to look for in the context",
    "context_windows": "the context is long, so it was read in parts, one call each",
    "transcript_windowed": "the conversation is long: only the system's, the first and the latest messages were sent",
    "no_assistant_turn": "the conversation has no message of the assistant to judge",
    "unknown_id": "the model matched an item that is not on the checklist; it is not counted",
    "term_dropped": "a number, stopword or formatting word is not a term",
    "duplicate_dropped": "the checklist listed an item twice",
    "number": "numbers were compared in code; each case says how far apart they are",
    "rationale_mismatch": "the score in the reply differs from the one its own lines add up to",
    "reason_not_english": "the reason is not in English",
    "shared": "several cases share this request; it was sent once",
    "missing_field": "a field of the verdict that the score does not use is missing",
    "wrong_type": "a field of the verdict that the score does not use has the wrong type",
    "list_length": "a list in the verdict is longer or shorter than requested",
    "extra_field": "the verdict has a field that was not requested",
    "inconsistent": "the verdict changed when the two answers changed places, so it counts as a tie",
    "decided_by": "a cascade: the first model that was sure enough",
    "calibration": "a cascade: people labelled the case, so every stage was asked and it is no decision of the cascade",
    "juror_left_out": "a member of the jury had no vote; the case says which and why",
    "uncertain": "close to the threshold: about half of these verdicts are little better than chance",
    "compared_in_code": "the expected answer is a number, so code compared it instead of the model",
    "hidden_text": "the response has invisible characters; the embedded model did not see them",
    "encoded_text": "the response has encoded text that was not asked for; the embedded model did not see it",
    "repeated_text": "the response repeats a sentence three times or more; the embedded model saw it once",
    "language": "not in English, the only language the embedded judge was trained and tested on",
}
