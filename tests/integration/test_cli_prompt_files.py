"""`show`, `run` and `lint` on chat prompts, files with several prompts, and prompts without a placeholder."""

import json

import pytest

import adjudge as api

CHAT = [
    {"role": "system", "content": 'Grade the answer. Reply as JSON: {"reason": "why", "score": 1-5}'},
    {"role": "user", "content": "Question: {{question}}\nAnswer: {{answer}}"},
]
BARE = 'You will be given a question and an answer. Reply as JSON: {"reason": "why", "score": 1-5}'
CASE = {"id": "c1", "question": "2 + 2?", "response": "4"}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    (tmp_path / "bare.txt").write_text(BARE)
    rows = [
        {"name": "tone", "prompt": "Rate the tone of {{answer}} from 1 to 5."},
        {"name": "chat", "messages": CHAT},
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (tmp_path / "replies.jsonl").write_text(
        json.dumps({"case_id": "c1", "reply": {"reason": "ok", "score": 4}}) + "\n"
    )
    return tmp_path


def asked(adjudge, judge, *more):
    return adjudge(
        "run", "cases.jsonl", "--judge", judge, "--model", "scripted:replies.jsonl", "-o", "-", *more
    )


def test_show_lists_the_prompts_of_a_file(adjudge, files):
    done = adjudge("show", "many.jsonl")
    assert done.code == 0
    assert done.out.splitlines() == ["many.jsonl holds 2 prompts:", "  many.jsonl#tone", "  many.jsonl#chat"]
    listed = json.loads(adjudge("show", "many.jsonl", "--json").out)
    assert listed["prompts"][1] == {"name": "chat", "judge": "many.jsonl#chat"}
    shown = json.loads(adjudge("show", "many.jsonl#chat", "--json").out)
    assert [message["role"] for message in shown["messages"]] == ["system", "user"]


def test_a_file_with_several_prompts_has_to_be_told_which(adjudge, files):
    for wrong in ("many.jsonl", "many.jsonl#nobody"):
        done = asked(adjudge, wrong)
        assert done.code == 2
        assert "many.jsonl#tone" in done.err
        assert "many.jsonl#chat" in done.err
    done = asked(adjudge, "many.jsonl#chat")
    assert done.code == 0, done.err
    assert json.loads(done.out)["score"] == 4


def test_the_file_of_a_prompt_is_not_written_over(adjudge, files):
    before = (files / "many.jsonl").read_text()
    done = asked(adjudge, "many.jsonl#chat", "-o", "many.jsonl")
    assert done.code == 2
    assert "is an input of the run" in done.err
    assert (files / "many.jsonl").read_text() == before


def test_a_config_file_may_name_a_prompt_of_a_file_inside_its_folder_only(adjudge, files, tmp_path_factory):
    (files / "adjudge.toml").write_text('judge = ["many.jsonl#chat"]\n')
    done = adjudge("run", "cases.jsonl", "--model", "scripted:replies.jsonl", "-o", "-")
    assert done.code == 0, done.err
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "many.jsonl"
    elsewhere.write_text((files / "many.jsonl").read_text())
    (files / "link.jsonl").symlink_to(elsewhere)
    (files / "adjudge.toml").write_text('judge = ["link.jsonl#chat"]\n')
    refused = adjudge("run", "cases.jsonl", "--model", "scripted:replies.jsonl", "-o", "-")
    assert refused.code == 2
    assert "is outside this folder" in refused.err


def test_a_run_of_a_chat_prompt_can_be_shown_again_from_the_store(adjudge, files):
    assert asked(adjudge, "many.jsonl#chat").code == 0
    (files / "many.jsonl").unlink()
    report = adjudge("report", "last")
    assert report.code == 0, report.err
    case = adjudge("show", "last", "c1")
    assert "Answer: 4" in case.out


def test_what_is_only_likely_is_marked_and_refused_with_strict(adjudge, files):
    shown = adjudge("show", "bare.txt")
    assert "attached   answer (required), from response  (guess)" in shown.out.splitlines()
    assert (
        "guessed    inputs; to settle it: `inputs: {question: required, answer: required}`"
        in shown.out.splitlines()
    )
    for command in (["show", "bare.txt"], ["lint", "bare.txt"]):
        refused = adjudge(*command, "--strict")
        assert refused.code == 2
        assert "a guess was made about inputs" in refused.err
        assert "inputs: {question: required, answer: required}" in refused.err
    assert asked(adjudge, "bare.txt", "--strict").code == 2
    assert asked(adjudge, "bare.txt").code == 0
    settled = "---\ndialect: none\ninputs: {question: required, answer: required}\n---\n" + BARE
    (files / "settled.md").write_text(settled)
    assert asked(adjudge, "settled.md", "--strict").code == 0
    assert adjudge("show", "settled.md", "--strict").code == 0


def test_a_model_gets_each_message_and_the_case_in_a_fence_of_its_own(files):
    seen = []

    def model(request: api.Request) -> str:
        seen.append([(message.role, message.content) for message in request.prompt.messages])
        return '{"reason": "ok", "score": 5}'

    for judge in ("chat.json", "bare.txt"):
        api.evaluate([CASE], files / judge, model=model, store=None)
    chat, bare = seen
    assert chat == [("system", CHAT[0]["content"]), ("user", "Question: 2 + 2?\nAnswer: 4")]
    assert bare[0] == ("user", BARE)
    assert bare[1][1].startswith("<question ")
    assert "\n4\n</answer " in bare[1][1]


def test_write_saves_a_judge_file_and_never_writes_over_one(adjudge, tmp_path):
    (tmp_path / "bare.txt").write_text(
        "You will be given a question and an answer. Rate the answer on a scale of 0 to 10."
    )
    done = adjudge("show", "bare.txt", "--write", "judge.md")
    assert (done.code, done.out) == (0, "wrote judge.md\n1 to check: look for `#` in its front matter\n")
    written = (tmp_path / "judge.md").read_text()
    assert "inputs: {question: required, answer: required}  # a guess: check it" in written.splitlines()
    assert adjudge("show", "judge.md", "--strict").code == 0
    for place, problem in (("judge.md", "judge.md exists"), ("no/judge.md", "there is no folder no")):
        again = adjudge("show", "bare.txt", "--write", place)
        assert again.code == 2
        assert problem in again.err
    assert (tmp_path / "judge.md").read_text() == written


def test_show_ends_with_the_lines_that_are_missing(adjudge, tmp_path):
    (tmp_path / "warm.txt").write_text("Is it warm or cold? {{answer}}\nReply: <verdict>warm/cold</verdict>")
    done = adjudge("show", "warm.txt")
    assert done.code == 0
    assert done.out.endswith("two lines `---`:\n  score: {warm: …, cold: …}\n  scale: […, …]\n")


ITEM_AND_SAMPLE = (
    "Does the output agree with the expected answer?\n"
    "Expected: {{ item.answer }}\nOutput: {{ sample.output_text }}\n"
    'Reply as JSON: {"score": 0 or 1}'
)


@pytest.mark.parametrize(
    ("case", "options", "expected"),
    [
        ({"answer": "said", "reference": "wanted"}, (), "wanted"),
        ({"response": "said", "answer": "wanted"}, (), "wanted"),
        ({"output": "said", "expected": "wanted"}, (), "wanted"),
        ({"bot": "said", "answer": "wanted"}, ("--columns", "response=bot"), "wanted"),
        ({"item": {"answer": "wanted"}, "sample": {"output_text": "said"}}, (), "wanted"),
        ({"answer": "said"}, (), None),
    ],
)
def test_an_expected_answer_is_never_the_response_itself(adjudge, tmp_path, case, options, expected):
    (tmp_path / "judge.txt").write_text(ITEM_AND_SAMPLE)
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": "c1", **case}) + "\n")
    (tmp_path / "replies.jsonl").write_text(json.dumps({"case_id": "c1", "reply": {"score": 1}}) + "\n")
    shown = adjudge("show", "judge.txt", "--case", "cases.jsonl", *options).out
    run = ("run", "cases.jsonl", "--judge", "judge.txt", "--model", "scripted:replies.jsonl", "--name", "one")
    done = adjudge(*run, *options, "-o", "rows.jsonl")
    (row,) = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    if expected is None:
        assert row["outcome"] == "missing_input"
        assert "`item.answer` is absent" in row["error"]["message"]
        return
    assert (done.code, row["outcome"]) == (0, "scored")
    for text in (shown, adjudge("show", "one", "c1").out):
        lines = [line.strip() for line in text.splitlines()]
        assert f"Expected: {expected}" in lines
        assert "Output: said" in lines
