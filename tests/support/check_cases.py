"""A check with its parameters, run over a case."""

from adjudge.checks.finding import Finding
from adjudge.checks.registry import CHECKS, run_check
from adjudge.records import CheckScore

SEARCH = {"name": "search", "arguments": {"q": "weather", "n": 3}}
BOOK = {"name": "book", "arguments": {}}


def rule(name, **parameters):
    declared = CHECKS[name].declared()
    read = {key: declared[key].read(value) for key, value in parameters.items()}
    return CheckScore(name=name, parameters=CHECKS[name].without_defaults(read))


def check(name, fields, **parameters):
    return run_check(rule(name, **parameters), fields)


def score(name, fields, **parameters):
    found = check(name, fields, **parameters)
    assert isinstance(found, Finding), found
    return found.score


def texts(response, reference=None):
    return {"response": response} if reference is None else {"response": response, "reference": reference}
