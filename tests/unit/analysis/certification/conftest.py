"""Judges to try: honest, gullible, wavering, in love with length; each a rule over what it is shown."""

import asyncio

import pytest
from rule_client import RuleClient

from adjudge.analysis.certification.examine import examine, prepare
from adjudge.judges import load_judge
from adjudge.options import RunOptions
from adjudge.probes.subjects import built_in_panel, built_in_rows
from adjudge.probes.trials import Extent
from adjudge.runs.plan import make_plan
from adjudge.runs.session import open_session

CORRECTNESS = load_judge("correctness")
RIGHT = {row["reference"]: row["response"] for row in built_in_rows(CORRECTNESS)[1] if row["label"]}


def verdict(agrees):
    return {
        "reason": "It was compared.",
        "contradicts": not agrees,
        "misses_critical": False,
        "calculation": False,
        "numbers": [],
    }


def is_right(fields):
    """What the reference asks for stands in the response, whatever stands around it."""
    wanted = RIGHT.get(fields["reference"], fields["reference"])
    return wanted in fields["response"]


@pytest.fixture(scope="session")
def honest():
    return lambda fields, repeat: verdict(is_right(fields))


@pytest.fixture(scope="session")
def try_judge():
    """Examine `correctness` with a rule for a model: `try_judge(rule, tries=1)` gives the examination and the answers."""

    def call(rule, *, judge="correctness", panel=None, store=None, **extent):
        client = rule if isinstance(rule, RuleClient) else RuleClient(rule)
        plan = make_plan([judge], RunOptions(model=(client,), jobs=8, store=store, name=store and "examined"))
        seated = panel or built_in_panel(plan.judges[0], plan.settings.bindings)
        examination = prepare(plan.judges[0], seated, Extent(**extent))

        async def run():
            async with open_session(plan, []) as session:
                return await examine(session, examination, lambda _: None)

        return asyncio.run(run())

    return call
