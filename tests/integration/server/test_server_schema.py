"""The API against its own description: what is generated from it is answered as it says, and never with a fault."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import positive_data_acceptance
from served import PORT, TOKEN, served

BASE = f"http://127.0.0.1:{PORT}"
CASE = {"id": "a", "question": "How many legs has a spider?", "response": "Eight.", "reference": "8"}
REPLY = {
    "reason": "Equal.",
    "contradicts": False,
    "misses_critical": False,
    "calculation": False,
    "numbers": [],
}


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    replies = folder / "replies.jsonl"
    replies.write_text(json.dumps({"case_id": "a", "judge": "correctness", "reply": REPLY}) + "\n")
    with served(folder / "store", models=[f"scripted:{replies}"]) as opened:
        begun = opened.client.post(
            "/api/runs", json={"judges": ["correctness"], "cases": [CASE], "name": "r"}
        )
        assert begun.status_code == 202
        yield opened


def operations(api):
    """Driven by hand: the plugin's own parametrization needs parts of pytest that it no longer has."""
    schema = schemathesis.openapi.from_dict(api.read("/api/openapi.json"))
    schema.app = api.client.app
    return [found.ok() for found in schema.get_all_operations()]


def test_every_answer_is_one_that_the_description_allows(api):
    problems = []
    for operation in operations(api):

        @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(case=operation.as_strategy())
        def holds(case):
            answer = case.call(base_url=BASE, headers={"Authorization": f"Bearer {TOKEN}"})
            # which judges, models, runs and cases there are is known to the server, not to the description
            case.validate_response(answer, excluded_checks=[positive_data_acceptance])

        try:
            holds()
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - all operations are tried, and all that failed are shown
            problems.append(f"{operation.method.upper()} {operation.path}: {error}")
    assert not problems, "\n\n".join(problems)


def test_every_route_of_the_api_is_described_and_has_words_for_it(api):
    described = api.read("/api/openapi.json")["paths"]
    for path, methods in described.items():
        assert path.startswith("/api/")
        for method, operation in methods.items():
            assert operation.get("description"), f"{method} {path} has no description"
            assert operation.get("tags"), f"{method} {path} has no tag"
