"""What outcomes and notes mean, and what to do about them."""

from collections.abc import Mapping
from typing import NamedTuple


class Advice(NamedTuple):
    means: str
    do: str


FAILURES: Mapping[str, Advice] = {
    "missing_input": Advice(
        "something the judge needs is absent or blank",
        "fill the column, or map the input to another one",
    ),
    "bad_row": Advice("the row could not be read as a case", "mend the lines named"),
    "unreadable": Advice(
        "the model replied, but with no verdict of the form asked for",
        "try a stronger model, or ask for the form more plainly: `adjudge lint` on the judge says where",
    ),
    "refused": Advice("the model declined to answer", "read what was sent, or use another model"),
    "truncated": Advice(
        "the reply was cut off, twice", "allow longer replies: max_output_tokens in the judge file"
    ),
    "too_long": Advice(
        "the prompt does not fit the model", "shorten the case, or use a model with a larger context"
    ),
    "call_failed": Advice(
        "the model could not be reached or would not take the request",
        "see the message; when it is about the service, run the same command again",
    ),
    "not_asked": Advice(
        "the run stopped before its turn", "run the same command again, with a higher limit if one was hit"
    ),
}

NOTES: Mapping[str, str] = {
    "empty_response": "the response was blank: scored by rule, with no call",
    "planted_verdict": "the verdict also stood in the case, so the model was asked for it again, alone",
    "tool_calls_unknown": "whether tools were called is not known; the prompt may say that none were",
    "boundary_in_value": "a value holds the tag that ends it in the prompt",
    "left_out": "the model refuses a parameter, so it was not sent",
    "renamed": "the model wants a parameter under another name",
    "response_format": "the service refuses the usual way of asking for the form, so another was used",
    "evidence_not_found": "what was quoted does not stand in the response, so the item does not count",
    "unknown_id": "the model matched an item that is not on the checklist; it does not count",
    "term_dropped": "a number, stopword or formatting word is not a term",
    "duplicate_dropped": "an item stood on the checklist twice",
    "number": "numbers were compared in code; each case says how far apart they are",
    "rationale_mismatch": "the score given is not the one the reply's own lines add up to",
    "reason_not_english": "the reason is not in English",
    "shared": "a request that several cases have in common was sent once",
    "missing_field": "a part of the verdict that the score does not need is missing",
    "wrong_type": "a part of the verdict that the score does not need has another form than was asked for",
    "list_length": "a list in the verdict is longer or shorter than was asked for",
    "extra_field": "the verdict holds a part that was not asked for",
    "uncertain": "close to the threshold: half of such verdicts are little better than a coin",
    "compared_in_code": "the expected answer is a number, so it was compared by rule and not by the model",
    "hidden_text": "the response holds characters that do not show; the embedded judge's model did not see them",
    "encoded_text": "the response holds encoded material nobody asked for; the embedded judge's model did not see it",
    "repeated_text": "the response says a sentence three times or more; the embedded judge's model saw it once",
    "language": "not English, which is all that the embedded judge was trained and measured on",
}
