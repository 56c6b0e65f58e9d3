"""A model whose verdicts follow a rule written in the test: what it says depends on what it is shown, not on the order."""

import json

from adjudge.records import Completion, ModelClient


class RuleClient(ModelClient):
    """`rule(fields, repeat)` gives the verdict; `fields` are the case's, by canonical name."""

    name = "rule:test"

    def __init__(self, rule, *, snapshot="rule-2026-01-01", structured=True):
        self.rule = rule
        self.snapshot = snapshot
        self.structured = structured
        self.requests = []

    def request_key(self, request):
        return f"{request.repeat} {request.prompt}"

    async def complete(self, request):
        self.requests.append(request)
        said = self.rule(request.fields, request.repeat)
        return Completion(
            text=said if isinstance(said, str) else json.dumps(said),
            structured=self.structured,
            model_snapshot=self.snapshot,
        )

    async def close(self):
        """Nothing is open."""
