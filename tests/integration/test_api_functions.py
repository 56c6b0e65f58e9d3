"""`model=` as a plain function, and messages in the words of whoever calls from Python."""

import asyncio
import inspect
import json
import threading
from functools import partial

import pytest

import adjudge
from adjudge.testing import ScriptedClient

GOOD = json.dumps({"reason": "It answers.", "score": 4})
CASES = [{"id": name, "question": "q", "response": f"r {name}"} for name in "abcd"]
BARE = "Rate 1 to 5: {{response}}. Reply with only the number."


def answer(prompt):
    assert isinstance(prompt, str)
    return GOOD


class Counted:
    """An instance that can be called, as wrappers around a local model often are."""

    def __init__(self, version=None, interrupted_after=None):
        self.prompts = []
        self.interrupted_after = interrupted_after
        if version is not None:
            self.adjudge_version = version

    async def __call__(self, prompt: str) -> str:
        if len(self.prompts) == self.interrupted_after:
            raise KeyboardInterrupt
        self.prompts.append(prompt)
        return GOOD


def test_a_function_is_a_model_known_by_its_module_and_name():
    run = adjudge.evaluate(CASES, judges="relevance", model=answer)
    assert [judgement.score for judgement in run] == [4] * 4
    assert {row["model"] for row in run.rows()} == {f"function:{__name__}.answer"}
    assert {row["cost"] for row in run.rows()} == {None}


def test_one_message_is_given_as_its_text_and_several_under_their_roles():
    asked = []

    def rate(prompt):
        asked.append(prompt)
        return "no number" if len(asked) == 1 else "4"

    judge = adjudge.parse_judge(BARE, name="bare")
    assert adjudge.judge(judge, response="the text", model=rate).score == 4
    first, again = asked
    assert first.startswith("Rate 1 to 5: ")
    assert "the text" in first
    assert again.startswith("user:\nRate 1 to 5: ")
    assert "\n\nassistant:\nno number\n\nuser:\n" in again


def test_a_parameter_annotated_request_gets_the_request_and_may_answer_with_a_completion():
    def whole(request: adjudge.Request) -> adjudge.Completion:
        assert request.prompt.messages[-1].role == "user"
        return adjudge.Completion(text=GOOD, model_snapshot="tiny-1")

    judgement = adjudge.judge("relevance", question="q", response="r", model=whole)
    assert (judgement.score, judgement.model_snapshot) == (4, "tiny-1")


@pytest.mark.parametrize(
    "model",
    [
        Counted(),
        partial(lambda reply, prompt: reply, GOOD),
        lambda prompt: asyncio.sleep(0, GOOD),
    ],
    ids=["async instance", "partial", "sync that returns an awaitable"],
)
def test_whatever_can_be_called_with_a_prompt_is_a_model(model):
    judgement = adjudge.judge("relevance", question="q", response="r", model=model)
    assert judgement.score == 4
    assert judgement.model.startswith(f"function:{__name__}.")


def test_sync_functions_run_at_once_as_many_as_there_are_jobs():
    together = threading.Barrier(4, timeout=30)  # broken, and an error, if fewer than four are ever inside

    def wait_for_the_others(prompt):
        together.wait()
        return GOOD

    run = adjudge.evaluate(CASES, judges="relevance", model=wait_for_the_others, jobs=4)
    assert [judgement.score for judgement in run] == [4] * 4


def test_a_function_that_raises_or_returns_no_text_is_a_failed_call_that_says_so():
    def broken(prompt):
        raise KeyError("sk-abcdefghijklmnopqrstuv") if "zebra" in prompt else ValueError("no weights")

    cases = [{"question": "q", "response": "zebra"}, CASES[0]]
    messages = [j.outcome.message for j in adjudge.evaluate(cases, judges="relevance", model=broken)]
    assert sorted(messages) == [
        f"{function_name(broken)} raised KeyError: '[key]'",
        f"{function_name(broken)} raised ValueError: no weights",
    ]
    judgement = adjudge.judge("relevance", question="q", response="r", model=lambda prompt: None)
    assert judgement.outcome.kind == "call_failed"
    assert judgement.outcome.message.endswith("returned a NoneType; wanted text")


def function_name(function):
    return f"function:{__name__}.{function.__qualname__}"


def test_what_a_function_said_goes_into_its_own_run_only(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, CASES)))

    first, second, another = Counted(interrupted_after=2), Counted(), Counted()
    with pytest.raises(KeyboardInterrupt):
        adjudge.evaluate(path, judges="relevance", model=first, jobs=1)
    assert len(adjudge.evaluate(path, judges="relevance", model=second, jobs=1)) == 4
    assert len(second.prompts) == 2  # the run went on, and had two of its answers
    assert len(adjudge.evaluate(path, judges="relevance", model=another, jobs=1)) == 4
    assert len(another.prompts) == 4


def test_a_function_with_a_version_is_reused_until_the_version_changes():
    asked = {version: Counted(version) for version in ("1", "2")}
    runs = [
        adjudge.evaluate(CASES, judges="relevance", model=asked[version], name=f"r{number}")
        for number, version in enumerate("112")
    ]
    assert [len(model.prompts) for model in asked.values()] == [4, 4]
    assert [run.judgements[0].model.partition("@")[2] for run in runs] == ["1", "1", "2"]


def test_what_is_no_model_is_refused():
    with pytest.raises(adjudge.InputError, match="a Python int cannot answer"):
        adjudge.judge("relevance", question="q", response="r", model=3)


def test_replay_of_a_function_says_that_only_python_has_it(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASES[0]))
    adjudge.evaluate(path, judges="relevance", model=answer)
    with pytest.raises(adjudge.InputError, match=r'model="replay": run \w+ was judged by a Python function'):
        adjudge.evaluate(path, judges="relevance", model="replay")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"columns": {"qestion": "q"}}, '`columns={"qestion": "q"}`: no judge here has an input `qestion`'),
        ({"variables": {"focus": "x"}}, '`variables={"focus": "x"}`: no judge'),
        ({"jobs": 0}, "jobs=: 0 is out of range"),
        ({"first": 1, "sample": 1}, "first= cannot be combined with sample="),
        ({"parameters": {"model": "x"}}, "name the model with model=, the prompt with judges="),
        ({"retry": ["scored"]}, "retry=: scored"),
        ({"max_cost": 1}, "give it with price="),
        ({"model": "nobody:x"}, 'model="nobody:x": unknown provider'),
        ({"model": "openai:x"}, 'model="openai:x": needs a key'),
        ({"store": "mysql://h/d"}, 'store="mysql://": is not a kind of store'),
        ({"strict": True}, "leave out `strict=True`"),
    ],
)
def test_errors_name_keywords_from_python(arguments, words):
    cases = [CASES[0], 7] if "strict" in arguments else CASES
    with pytest.raises(adjudge.InputError) as raised:
        adjudge.evaluate(cases, judges="relevance", **{"model": answer, **arguments})
    assert words in str(raised.value)
    assert "--" not in str(raised.value)


def test_rows_and_contested_columns_name_keywords_from_python():
    rows = [{"question": "q", "response": "r"}, {"qestions": "q", "response": "r"}]
    (_, judgement) = adjudge.evaluate(rows, judges="helpfulness", model=answer)
    assert judgement.outcome.message.endswith('did you mean `columns={"question": "qestions"}`?')
    with pytest.raises(adjudge.InputError, match=r'`columns={"question": "qestions", "response": "COLUMN"}`'):
        adjudge.evaluate([{"qestions": "q"}], judges="helpfulness", model=answer)
    with pytest.raises(adjudge.InputError, match=r'say which: `columns={"response": "answer"}` or'):
        adjudge.judge("relevance", question="q", answer="r", output="s", model=answer)
    limited = adjudge.evaluate(CASES[:2], judges="relevance", model=answer, max_calls=1, jobs=1)
    assert limited.judgements[1].outcome.message == "max_calls=1 is reached by this run"


def test_outside_of_a_call_messages_name_flags():
    with pytest.raises(adjudge.InputError):
        adjudge.judge("relevance", question="q", response="r", model="nobody:x")
    from adjudge.models import open_model

    with pytest.raises(adjudge.InputError, match="--model nobody:x"):
        open_model("nobody:x")


def test_errors_and_help_name_the_function_that_was_called():
    with pytest.raises(TypeError, match=r"^evaluate\(\) got an unexpected keyword argument 'colums'"):
        adjudge.evaluate(CASES, judges="relevance", colums={})
    with pytest.raises(TypeError, match=r"^judge\(\) missing a required argument: 'judge'"):
        adjudge.judge()
    assert (adjudge.evaluate.__name__, adjudge.judge.__qualname__) == ("evaluate", "judge")
    assert inspect.signature(adjudge.evaluate) == inspect.signature(adjudge.aevaluate)
    assert not inspect.iscoroutinefunction(adjudge.evaluate)
    assert inspect.iscoroutinefunction(adjudge.aevaluate)
    with pytest.raises(adjudge.InputError, match=r"^judge: found a Python object in column 'question'"):
        adjudge.judge("relevance", question=object(), response="r", model=answer)


def test_a_judgement_is_shown_on_one_line():
    case = {"id": "c" * 90, "question": "q", "response": "r" * 9000}
    reply = json.dumps({"reason": "Long.\n\x1b[31m" * 50, "score": 4})
    scored, failed = (
        adjudge.judge("relevance", model=model, **case)
        for model in (ScriptedClient(reply), lambda prompt: None)
    )
    for judgement in (scored, failed):
        assert len(repr(judgement)) <= 150
        assert repr(judgement).isprintable()
    assert repr(scored).startswith("<Judgement relevance of 'ccccc")
    assert ": 4, passed: 'Long." in repr(scored)
    assert ": call_failed: 'function:" in repr(failed)
