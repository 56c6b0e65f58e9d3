"""`groundedness` on the small model: claims are the response's sentences, each asked behind what is nearest to it."""

import re
from collections.abc import Mapping

from adjudge.embedded.coverage import rows_of
from adjudge.embedded.model.small_model import EVIDENCE_CHARACTERS, TextModel
from adjudge.embedded.reading.evidence import find_evidence, nearest_sentences
from adjudge.embedded.reading.sentences import Sentence, split_sentences
from adjudge.embedded.reading.signs import DECLINES
from adjudge.embedded.reply import JobReply, percent
from adjudge.records import Json
from adjudge.scoring.checklist import MAX_ITEMS
from adjudge.scoring.terms import is_quoted
from adjudge.scoring.text import fold, text_of

THRESHOLD = 0.5
SAYS_NOTHING = re.compile(
    r"\b(?:i (?:do not|don't) know|i(?: a|')m not sure|i hope (?:this|that) helps|let me know|feel free)\b",
    re.IGNORECASE,
)


async def list_claims(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    """The first step: what the response says, sentence by sentence. The model is not asked."""
    del model
    response = text_of(fields, "response")
    folded = fold(response)
    found = [
        sentence.text
        for sentence in split_sentences(response)
        if claims(sentence) and is_quoted(sentence.text, folded)
    ]
    notes = (f"claims_not_checked:{len(found) - MAX_ITEMS}",) if len(found) > MAX_ITEMS else ()
    return JobReply(
        parts={"claims": [{"claim": text, "quote": text} for text in found[:MAX_ITEMS]]}, notes=notes
    )


def claims(sentence: Sentence) -> bool:
    """A heading, a question, `I do not know` and the words before a list say nothing that could be looked up."""
    return (
        sentence.kind != "heading"
        and not sentence.text.endswith(("?", ":"))
        and DECLINES.search(sentence.text) is None
        and SAYS_NOTHING.search(sentence.text) is None
    )


async def check_claims(model: TextModel, fields: Mapping[str, Json]) -> JobReply:
    """The second step: which of it the context supports. What it contradicts is not told from what it does not say."""
    context = text_of(fields, "context")
    asked = rows_of(fields.get("items"), "claim")
    answer = await model.supported(context=context, claims=[claim for _, claim in asked])
    return JobReply(
        parts={
            "claims": [
                decide(item_id, claim, probability, context)
                for (item_id, claim), probability in zip(asked, answer.probabilities, strict=True)
            ]
        },
        tokens=answer.tokens,
        read=answer.read,
    )


def decide(item_id: str, claim: str, probability: float, context: str) -> dict[str, Json]:
    """Supported only with a passage to show for it."""
    why = f"the model gives {percent(probability)} that the sentences nearest to it support it"
    passage = None
    if probability >= THRESHOLD:
        passage = find_evidence(claim, nearest_sentences(claim, context, EVIDENCE_CHARACTERS))
        if passage is None:
            why += ", but no passage shares its words"
    return {
        "id": item_id,
        "passage": passage,
        "why": why,
        "verdict": "not_found" if passage is None else "supported",
    }
