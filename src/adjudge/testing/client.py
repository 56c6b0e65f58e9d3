"""A model client in the same process whose words are written in the test."""

import json
from collections.abc import Mapping
from typing import Any

from adjudge.errors import RejectedError
from adjudge.records import Completion, Request


class ScriptedClient:
    """Answers in order, records what it was asked, refuses to improvise.

    An answer is text, a mapping or list (given as JSON), a whole `Completion`, or an exception to raise.
    """

    def __init__(self, *answers: str | Mapping[str, Any] | list[Any] | Completion | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.closed = False

    @property
    def name(self) -> str:
        return "scripted:test"

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if not self.answers:
            raise RejectedError(
                f"the script has no more replies: call {len(self.requests)} "
                f"(case {request.case_id}, judge {request.judge}, step {request.step})"
            )
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(text=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))

    async def close(self) -> None:
        self.closed = True
