"""A model client in the same process whose words are written in the test."""

import json
import secrets
from collections.abc import Mapping
from typing import Any

from adjudge.errors import ModelCallError, RejectedError
from adjudge.models.providers.scripted import case_key
from adjudge.records import Completion, ModelClient, Request


class ScriptedClient(ModelClient):
    """Answers in order, records what it was asked, refuses to improvise.

    An answer is text, a mapping or list (given as JSON), a whole `Completion`, or an exception to raise.
    """

    def __init__(self, *answers: str | Mapping[str, Any] | list[Any] | Completion | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.closed = False
        self._script = f"script {secrets.token_hex(8)}"
        self.base_url = self._script
        """Every scripted client is a model of its own: what one said is never taken for another's."""

    name = "scripted:test"
    answers_by_case = True

    def request_key(self, request: Request) -> str:
        return case_key(self._script, request)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if not self.answers:
            raise RejectedError(
                f"the script has no more replies: call {len(self.requests)} "
                f"(case {request.case_id}, judge {request.judge}, step {request.step})"
            )
        answer = self.answers.pop(0)
        if isinstance(answer, ModelCallError):
            answer.attempts = 1  # it may stand in the script several times
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(text=answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))

    async def close(self) -> None:
        self.closed = True
