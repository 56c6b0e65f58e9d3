"""A model whose words are written in the test, at the other end of a judge's procedure."""

import json

from adjudge.procedures.case import judge_case
from adjudge.procedures.procedure import RequestSettings
from adjudge.prompts.fill import Bindings, fill_inputs
from adjudge.records import Case, Completion

SETTINGS = RequestSettings(bindings=Bindings(current_date="2026-01-02"))


def case_of(**fields):
    return Case(case_id="c1", columns=fields, fields=fields)


def converse(judge, case, *replies, settings=SETTINGS, repeat=0):
    """Answer a procedure's requests in turn; gives the requests made and the ruling."""
    procedure = judge_case(
        judge, case, fill_inputs(judge.inputs, case, settings.bindings), settings, repeat=repeat
    )
    requests = []
    answers = iter(replies)
    try:
        request = next(procedure)
        while True:
            requests.append(request)
            reply = next(answers)
            request = procedure.send(
                reply
                if isinstance(reply, Completion)
                else Completion(text=reply if isinstance(reply, str) else json.dumps(reply))
            )
    except StopIteration as done:
        if done.value is None:
            raise AssertionError(f"asked more than {len(replies)} times") from None
        return requests, done.value
