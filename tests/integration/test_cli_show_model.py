"""`show PROMPT --model`: a model is asked once for what a prompt does not say, and a person confirms its lines."""

import json

import pytest

from adjudge.testing import ModelServer, ServerReply

VAGUE = (
    "You read replies of a help desk. How warm is this one?\n\nCustomer: {{question}}\n\nReply: {{answer}}\n"
)
ANSWER = {
    "fields": [
        {"name": "reason", "type": "text", "lowest": None, "highest": None, "labels": []},
        {"name": "warmth", "type": "integer", "lowest": 1, "highest": 5, "labels": []},
    ],
    "points": [],
    "score_from": ["warmth"],
    "lowest": 1,
    "highest": 5,
    "better": "higher",
}
LINES = [
    "verdict: {reason: string, warmth: {type: integer, minimum: 1, maximum: 5}}  # confirm",
    "score: warmth  # confirm",
    "scale: [1, 5]  # confirm",
    "better: higher  # confirm",
]
KEY = {"OPENAI_API_KEY": "sk-0123456789abcdef0123"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "vague.txt").write_text(VAGUE)
    (tmp_path / "whole.txt").write_text('Rate {{answer}}. Reply as JSON: {"reason": "why", "score": 1-5}')
    (tmp_path / "gaps.jsonl").write_text(json.dumps({"case_id": "vague", "reply": ANSWER}) + "\n")
    return tmp_path


def at(server, *more):
    return ["--model", "openai:gpt-x", "--base-url", server.openai_url, *more]


def test_from_a_prompt_without_a_scale_to_a_run(adjudge, folder):
    (folder / "cases.jsonl").write_text(json.dumps({"id": "c1", "question": "Late?", "response": "Sorry!"}))
    with ModelServer(replies=[ANSWER, {"reason": "It says sorry.", "warmth": 4}]) as server:
        written = adjudge("show", "vague.txt", *at(server), "--write", "judge.md", environ=KEY)
        assert written.code == 0, written.err
        run = adjudge("run", "cases.jsonl", "--judge", "judge.md", *at(server), "-o", "-", environ=KEY)
    assert written.out == "wrote judge.md\n4 to confirm: look for `#` in its front matter\n"
    assert written.err.splitlines()[0] == "model openai:gpt-x · vague: verdict, score, scale, better"
    text = (folder / "judge.md").read_text()
    assert [line for line in text.splitlines() if line.endswith("# confirm")] == LINES
    assert text.endswith(f"\n---\n{VAGUE}")
    assert run.code == 0, run.err
    row = json.loads(run.out)
    assert (row["score"], row["normalized"]) == (4, 0.75)
    asked = server.requests[0].body
    assert asked["response_format"]["type"] == "json_schema"
    sent = asked["response_format"]["json_schema"]["schema"]["properties"]
    assert list(sent) == ["fields", "points", "score_from", "lowest", "highest", "better"]
    assert f"\n{VAGUE}\n</judge_prompt " in server.requests[0].prompt
    strict = adjudge("show", "judge.md", "--strict")
    assert strict.code == 0, "a line in front matter is certain, whoever wrote it"


def test_proposals_are_printed_with_who_made_them(adjudge, folder):
    shown = adjudge("show", "vague.txt", "--model", "scripted:gaps.jsonl")
    assert shown.code == 0, shown.err
    heading, *lines = shown.out.splitlines()[-5:]
    assert heading.startswith("proposed by scripted:gaps.jsonl; check it")
    assert lines == [f"  {line}" for line in LINES]
    assert "not found in the prompt" not in shown.out
    listed = json.loads(adjudge("show", "vague.txt", "--model", "scripted:gaps.jsonl", "--json").out)
    assert listed["scale"] is None, "what was read stays apart from what was proposed"
    assert listed["proposed"] == {
        "model": "scripted:gaps.jsonl",
        "lines": LINES,
        "refused": {},
        "error": None,
    }
    assert "proposed" not in json.loads(adjudge("show", "vague.txt", "--json").out)
    assert not (folder / ".adjudge").exists(), "nothing is kept"


def test_what_cannot_be_used_is_said_and_stays_missing(adjudge, folder):
    odd = {**ANSWER, "lowest": 0, "highest": 1, "better": "\x1b[31m"}
    with ModelServer(replies=odd) as server:
        shown = adjudge("show", "vague.txt", *at(server), environ=KEY)
        listed = json.loads(adjudge("show", "vague.txt", *at(server), "--json", environ=KEY).out)
    assert shown.code == 0
    assert "not proposed: `scale`: 0 to 1 contradicts the verdict, 1 to 5" in shown.err.splitlines()
    assert "\x1b" not in shown.err + shown.out
    assert shown.out.endswith("two lines `---`:\n  scale: […, …]\n")
    assert listed["proposed"]["lines"] == LINES[:2]
    assert set(listed["proposed"]["refused"]) == {"scale", "better"}


def test_a_list_of_which_a_part_cannot_be_read_is_not_used_in_part(adjudge, folder):
    odd = {**ANSWER, "fields": [*ANSWER["fields"], {"name": "kindness", "type": "stars"}]}
    with ModelServer(replies=odd) as server:
        shown = adjudge("show", "vague.txt", *at(server), environ=KEY)
    assert "not proposed: `verdict`: `fields` of the reply is not of the form that was asked for" in shown.err
    assert "# confirm" not in shown.out


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ServerReply(status=400, message="no such model"), "call_failed"),
        (ServerReply(text="I would say that it depends."), "unreadable"),
        (ServerReply(text="No.", finish="refusal"), "refused"),
    ],
)
def test_when_the_model_fails_the_rest_is_shown_and_written(adjudge, folder, reply, kind):
    with ModelServer(replies=reply) as server:
        shown = adjudge("show", "vague.txt", *at(server), environ=KEY)
        listed = adjudge("show", "vague.txt", *at(server), "--json", environ=KEY)
        written = adjudge("show", "vague.txt", *at(server), "--write", "judge.md", environ=KEY)
    assert (shown.code, listed.code, written.code) == (3, 3, 3)
    assert f"error: the model proposed nothing: {kind}: " in shown.err
    assert "hint: " in shown.err
    assert KEY["OPENAI_API_KEY"] not in shown.err
    assert shown.out == adjudge("show", "vague.txt").out
    assert json.loads(listed.out)["proposed"]["error"]["kind"] == kind
    adjudge("show", "vague.txt", "--write", "plain.md")
    assert (folder / "judge.md").read_text() == (folder / "plain.md").read_text()


def test_a_model_is_asked_only_if_it_is_typed_and_something_is_missing(adjudge, folder):
    with ModelServer(replies=ANSWER) as server:
        environ = {**KEY, "ADJUDGE_MODEL": "openai:gpt-x", "OPENAI_BASE_URL": server.openai_url}
        (folder / "adjudge.toml").write_text('model = "openai:gpt-x"\n')
        assert "proposed" not in adjudge("show", "vague.txt", environ=environ).out
        whole = adjudge("show", "whole.txt", "--model", "openai:gpt-x", environ=environ)
        assert (whole.code, whole.err) == (0, "nothing is missing, so the model was not asked\n")
        (folder / "taken.md").write_text("mine")
        for place in ("taken.md", "no/judge.md"):
            refused = adjudge("show", "vague.txt", *at(server), "--write", place, environ=environ)
            assert refused.code == 2
        (folder / "guess.txt").write_text("Rate the answer to a question on a scale of 0 to 10.")
        assert adjudge("show", "guess.txt", *at(server), "--strict", environ=environ).code == 2
        assert server.requests == []
        assert adjudge("show", "vague.txt", "-m", "openai:gpt-x", environ=environ).code == 0
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--model", "embedded"], "cannot say what a prompt means"),
        (["--model", "replay"], "cannot say what a prompt means"),
        (["--model", "openai:gpt-x"], "OPENAI_API_KEY is not set"),
        (["--model", "nobody:x"], "nobody"),
        (["--base-url", "http://127.0.0.1:1"], "nothing is asked without --model"),
        (["--model", "openai:x", "--base-url", "http://127.0.0.1:1", "--max-cost", "1"], "the price of openai:x is not known"),
        (["c1", "--model", "scripted:gaps.jsonl"], "of a stored run nothing is asked"),
        (["--failed", "--model", "scripted:gaps.jsonl"], "of a stored run nothing is asked"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_ends_before_anything_is_shown(adjudge, folder, monkeypatch, flags, problem):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = adjudge("show", "vague.txt", *flags)
    assert (done.code, done.out) == (2, "")
    assert problem in done.err
    assert "hint: " in done.err


def test_a_limit_on_money_holds(adjudge, folder):
    with ModelServer(replies=ANSWER) as server:
        limits = ["--max-cost", "0.000001", "--price", "1000,1000"]
        done = adjudge("show", "vague.txt", *at(server, *limits), environ=KEY)
        assert server.requests == []
    assert done.code == 3
    assert "not_asked" in done.err
    assert "raise --max-cost" in done.err


NOTED = """Read the reply of a help desk and write down what you notice, in the form of our log book.

Customer: {{question}}

Reply: {{answer}}
"""
LOGGED = 'Log entry\n{"note": "It says sorry.", "warmth": 4}'


def noted(folder):
    (folder / "noted.txt").write_text(NOTED)
    (folder / "cases.jsonl").write_text(
        json.dumps({"id": "c1", "ask": "Late?", "response": "Sorry!"})
        + "\n"
        + json.dumps({"id": "c2", "ask": "Lost?", "response": "No."})
    )
    return [
        "show",
        str(folder / "noted.txt"),
        "--case",
        str(folder / "cases.jsonl"),
        "--columns",
        "question=ask",
    ]


def test_with_a_case_the_contract_is_proposed_from_its_reply(adjudge, folder):
    asked = {**ANSWER, "fields": [{"name": "note", "type": "text"}, ANSWER["fields"][1]]}
    command = noted(folder)
    with ModelServer(replies=[LOGGED, asked, LOGGED]) as server:
        written = adjudge(
            *command, *at(server), "--write", str(folder / "judge.md"), environ=KEY, process=True
        )
        assert written.code == 0, written.err
        first, second = server.requests
        run = adjudge(
            "run", str(folder / "cases.jsonl"), "--judge", str(folder / "judge.md"), "--columns", "question=ask",
            *at(server), "--sample", "1", "-o", "-", environ=KEY,
        )  # fmt: skip
    assert written.err.splitlines()[:2] == [
        "model openai:gpt-x · c1",
        "model openai:gpt-x · noted: verdict, score, scale, better",
    ]
    assert "response_format" not in first.body
    assert first.prompt == NOTED.replace("{{question}}", "Late?").replace("{{answer}}", "Sorry!")
    assert f"\n{LOGGED}\n</reply " in second.prompt
    assert json.loads(run.out)["score"] == 4


def test_the_reply_of_the_case_is_shown(adjudge, folder):
    with ModelServer(replies=[LOGGED, ANSWER, LOGGED, ANSWER]) as server:
        shown = adjudge(*noted(folder), *at(server), environ=KEY)
        listed = json.loads(adjudge(*noted(folder), *at(server), "--json", environ=KEY).out)
    assert f"--- reply ---\n{LOGGED}\n" in shown.out
    assert listed["proposed"]["reply"] == LOGGED


@pytest.mark.parametrize(
    "name",
    [
        "x: !!python/object/apply:os.system [id]",
        'a"}\npasses: "true',
        "warmth # confirm\n---",
        "a}, passes: {b",
        "&a *a",
    ],
)
def test_no_text_of_a_reply_becomes_more_than_a_quoted_value(adjudge, folder, name):
    hostile = {**ANSWER, "fields": [ANSWER["fields"][1], {"name": name, "type": "text"}]}
    with ModelServer(replies=[f"{name}\n{LOGGED}", hostile]) as server:
        written = adjudge(*noted(folder), *at(server), "--write", str(folder / "judge.md"), environ=KEY)
    assert written.code == 0
    assert "not proposed: `verdict`" in written.err
    text = (folder / "judge.md").read_text()
    assert text.endswith(f"\n---\n{NOTED}")
    assert name not in text
    shown = json.loads(adjudge("show", str(folder / "judge.md"), "--json").out)
    assert (shown["verdict"], shown["passes"]) == (None, None)


def test_when_the_case_cannot_be_asked_the_prompt_is_shown(adjudge, folder):
    with ModelServer(replies=ServerReply(status=400, message="no such model")) as server:
        shown = adjudge(*noted(folder), *at(server), environ=KEY)
    assert shown.code == 3
    assert "the model proposed nothing: call_failed" in shown.err
    assert "Customer: Late?" in shown.out
