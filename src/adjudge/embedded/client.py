"""The small trained judge as a model client: it answers the built-in judges, from their fields and not their prompts."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from hashlib import sha256

import orjson

from adjudge.checks.language import detected_language
from adjudge.embedded.correctness import judge_correctness
from adjudge.embedded.coverage import list_items, match_items
from adjudge.embedded.groundedness import check_claims, list_claims
from adjudge.embedded.model.engine import WORKED
from adjudge.embedded.model.small_model import SmallModel, TextModel
from adjudge.embedded.ratings import judge_helpfulness, judge_relevance
from adjudge.embedded.reading.legible import unseen_notes
from adjudge.embedded.ready import adapter_sha256
from adjudge.embedded.reply import JobReply
from adjudge.errors import RejectedError
from adjudge.records import Completion, Json, ModelClient, Request, Usage
from adjudge.scoring.text import text_of
from adjudge.versions import EMBEDDED_VERSION

Job = Callable[[TextModel, Mapping[str, Json]], Awaitable[JobReply]]

JOBS: Mapping[tuple[str, str], Job] = {
    ("relevance", "verdict"): judge_relevance,
    ("correctness", "verdict"): judge_correctness,
    ("helpfulness", "verdict"): judge_helpfulness,
    ("coverage", "items"): list_items,
    ("coverage", "verdict"): match_items,
    ("groundedness", "items"): list_claims,
    ("groundedness", "verdict"): check_claims,
}
"""By judge and step."""


class EmbeddedClient(ModelClient):
    """Opened at the first question, so that knowing its name and its keys takes no weights."""

    reads_fields = True
    is_free = True

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        *,
        model: TextModel | None = None,
        name: str | None = None,
        cores: int | None = None,
    ) -> None:
        """`name` is another version's, whose stored replies are wanted and which is never asked; `cores` are all that
        there are unless given.
        """
        self._environ = environ
        self._cores = cores
        self._model = model
        self._opened: SmallModel | None = None
        self._opening = asyncio.Lock()
        self.name = name or f"embedded@{embedded_hash()}"

    def __repr__(self) -> str:
        return f"<EmbeddedClient {self.name}>"

    async def complete(self, request: Request) -> Completion:
        # asked again, it says the same: what does not validate is then known as such, and not as a call that failed
        job = JOBS.get((request.judge, request.step.partition("_")[0]))
        if job is None:
            raise RejectedError(f"the embedded judge cannot answer {request.judge} ({request.step})")
        model = await self._open()
        worked: list[float] = []
        token = WORKED.set(worked)
        try:
            reply = await job(model, request.fields)
        finally:
            WORKED.reset(token)
        return Completion(
            text=orjson.dumps(reply.parts).decode(),
            structured=True,
            model_snapshot=self.name,
            usage=Usage(input=reply.tokens, output=0),
            cost=Decimal(0),
            latency_ms=sum(worked) * 1000,
            notes=(*reply.notes, *language_notes(request.fields), *hidden_notes(request.fields)),
            measured=reply.measured,
            read=reply.read,
        )

    async def close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await asyncio.to_thread(opened.close)

    async def _open(self) -> TextModel:
        if self._model is None:
            async with self._opening:
                if self._model is None:
                    self._opened = await asyncio.to_thread(
                        SmallModel.open, self._environ, workers=self._cores
                    )
                    self._model = self._opened
        return self._model


def embedded_hash() -> str:
    """What a verdict depends on beside the case: the trained weights and the code around them."""
    return sha256(f"{adapter_sha256()} {EMBEDDED_VERSION}".encode()).hexdigest()[:12]


def hidden_notes(fields: Mapping[str, Json]) -> tuple[str, ...]:
    """Of the response: it alone is written by whoever is being judged."""
    asked = [text_of(fields, name) for name in ("question", "parameters", "reference")]
    return unseen_notes(text_of(fields, "response"), asked)


def language_notes(fields: Mapping[str, Json]) -> tuple[str, ...]:
    """It was trained and measured on English only, which a reader of the row should know."""
    language = detected_language(text_of(fields, "response") or text_of(fields, "reference"))
    return () if language in {None, "en"} else (f"language:{language}",)
