"""Chat prompts, exports of other tools and files with several prompts become the messages they are."""

import json
from pathlib import Path

import pytest

from adjudge.errors import JudgeFileError
from adjudge.judges import describe_judge, load_judge, parse_judge, parse_kept_judge, prompt_names
from adjudge.judges.lint import lint_judge
from adjudge.records import Judge

SYSTEM = 'You grade answers.\nReply as JSON: {"reason": "why", "score": 1-5}'
USER = "Question: {{question}}\n\nAnswer: {{answer}}"
CHAT = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]


def roles(judge: Judge) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in judge.messages]


def names(judge: Judge) -> list[str]:
    return [item.name for item in judge.inputs]


def langchain(kind: str, **kwargs: object) -> dict[str, object]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", kind], "kwargs": kwargs}


def langchain_chat(template_format: str = "f-string") -> dict[str, object]:
    def part(template: str) -> dict[str, object]:
        return langchain("PromptTemplate", template=template, template_format=template_format)

    return langchain(
        "ChatPromptTemplate",
        input_variables=["question", "answer"],
        messages=[
            langchain("SystemMessagePromptTemplate", prompt=part("Grade on a scale from 1 to 5. {{x}}")),
            langchain("MessagesPlaceholder", variable_name="history"),
            langchain("HumanMessagePromptTemplate", prompt=[part("{question}"), part("{answer}")]),
        ],
    )


YAML_CHAT = """# a grader
- role: system
  content: |
    You grade answers.
- role: user
  content: 'Answer: {{ answer }}. Score it from 1 to 5.'
"""
BLOCKS = """system:
You grade answers from 1 to 5.

user:
Question: {{question}}
Answer: {{answer}}
"""


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(CHAT),
        json.dumps({"messages": CHAT, "model": "m"}),
        json.dumps({"name": "grader", "type": "chat", "prompt": CHAT, "config": {"temperature": 0}}),
        json.dumps({"name": "grader", "version": 3, "template": CHAT}),
        json.dumps({"name": "grader", "type": "mustache", "template": json.dumps(CHAT)}),
        json.dumps({"name": "grader", "template_structure": "chat", "version": {"template": CHAT}}),
        json.dumps({"prompts": [{"id": "p", "label": "grader", "raw": json.dumps(CHAT)}]}),
        json.dumps([{"role": "developer", "content": SYSTEM}, {"role": "Human", "content": USER}]),
        json.dumps(
            [
                {"role": "system", "content": [{"type": "text", "text": SYSTEM}]},
                {"role": "user", "content": [{"type": "input_text", "text": USER}]},
            ]
        ),
    ],
)
def test_a_list_of_messages_is_read_in_every_wrapping(text: str) -> None:
    judge = parse_judge(text, name="j")
    assert roles(judge) == [("system", SYSTEM), ("user", USER)]
    assert (judge.dialect, names(judge)) == ("mustache", ["question", "answer"])
    assert judge.scale is not None
    assert (judge.scale.low, judge.scale.high) == (1, 5)
    assert judge.guesses == ()


def test_the_name_of_an_export_is_the_judges_and_its_settings_are_shown() -> None:
    text = json.dumps(
        {"name": "strict grader", "type": "chat", "prompt": CHAT, "config": {"apiKey": "k"}, "version": 2}
    )
    judge = parse_judge(text, name="file")
    assert judge.name == "strict-grader"
    assert judge.ignored == {"type": "chat", "config": "…", "version": 2}


def test_yaml_and_role_blocks_are_chat_prompts() -> None:
    assert roles(parse_judge(YAML_CHAT, name="j")) == [
        ("system", "You grade answers.\n"),
        ("user", "Answer: {{ answer }}. Score it from 1 to 5."),
    ]
    blocks = parse_judge(BLOCKS, name="j")
    assert [role for role, _ in roles(blocks)] == ["system", "user"]
    with_front_matter = parse_judge(f"---\nname: mine\nscale: [1, 5]\n---\n{BLOCKS}", name="j")
    assert with_front_matter.name == "mine"
    assert [role for role, _ in roles(with_front_matter)] == ["system", "user"]


@pytest.mark.parametrize(
    "text",
    [
        "user:\n{{question}}\nassistant says: {{answer}}. Score 1 to 5.",
        "Grade this dialogue.\n\nuser:\n{{question}}\n\nassistant:\n{{answer}}\n\nScore 1 to 5.",
        '{"score": 1} is how you reply to {{answer}}',
        "[1] Score: 1\n[2] Score: 2\nAnswer: {{answer}}",
        "Question: {{question}}\nAnswer: {{answer}}\nScore: 1 to 5",
        "- rate {{answer}} from 1 to 5\n- be fair",
    ],
)
def test_a_plain_prompt_stays_one_message(text: str) -> None:
    assert roles(parse_judge(text, name="j")) == [("user", text)]


def test_an_image_is_sent_as_its_address() -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "{{output}}"}},
        {"type": "text", "text": "Score the picture from 1 to 5 for {{rubric}}."},
    ]
    judge = parse_judge(json.dumps([{"role": "user", "content": parts}]), name="j")
    assert roles(judge) == [("user", "{{output}}\nScore the picture from 1 to 5 for {{rubric}}.")]


def test_a_placeholder_for_messages_is_an_input() -> None:
    prompt = [CHAT[0], {"type": "placeholder", "name": "history"}, {"type": "chatmessage", **CHAT[1]}]
    judge = parse_judge(json.dumps({"name": "g", "type": "chat", "prompt": prompt}), name="j")
    assert names(judge) == ["history", "question", "answer"]


@pytest.mark.parametrize(
    "wrap", [lambda it: it, lambda it: {"manifest": langchain("PromptPlayground", first=it)}]
)
def test_langsmiths_prompt_templates_are_read_in_their_own_dialect(wrap) -> None:
    judge = parse_judge(json.dumps(wrap(langchain_chat())), name="j")
    assert judge.dialect == "python"
    assert roles(judge) == [
        ("system", "Grade on a scale from 1 to 5. {{x}}"),
        ("user", "{history}"),
        ("user", "{question}\n{answer}"),
    ]
    assert names(judge) == ["history", "question", "answer"]
    text = langchain("PromptTemplate", template="Grade {answer} from 1 to 5", template_format="f-string")
    assert parse_judge(json.dumps(text), name="j").dialect == "python"
    assert parse_judge(json.dumps(langchain_chat("mustache")), name="j").dialect == "mustache"


def test_promptfoos_graders_are_found_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(
        """prompts:
  - 'Answer {{question}}'
  - file://other.txt
defaultTest:
  options:
    rubricPrompt: 'Rate {{output}} from 1 to 5 by {{rubric}}'
tests:
  - vars: {question: hi}
    assert:
      - type: llm-rubric
        metric: Tone
        value: is kind
        rubricPrompt:
          - role: system
            content: Rate the tone from 1 to 5.
          - role: user
            content: '{{output}}'
"""
    )
    assert prompt_names("promptfooconfig.yaml", folder=tmp_path) == ("1", "rubricPrompt", "Tone")
    tone = load_judge("promptfooconfig.yaml#Tone", folder=tmp_path)
    assert roles(tone) == [("system", "Rate the tone from 1 to 5."), ("user", "{{output}}")]
    assert tone.name == "Tone"


# ---- several prompts in a file ----


@pytest.fixture
def several(tmp_path: Path) -> Path:
    rows = [
        {"name": "tone", "prompt": "Rate the tone of {{answer}} from 1 to 5."},
        {"prompt": "Rate {{answer}} from 1 to 7."},
        {"name": "a#b", "messages": CHAT},
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return tmp_path


def test_a_prompt_of_a_file_is_named_after_the_file(several: Path) -> None:
    assert prompt_names("many.jsonl", folder=several) == ("tone", "2", "a#b")
    assert load_judge("many.jsonl#tone", folder=several).name == "tone"
    assert load_judge(Path("many.jsonl#tone"), folder=several).name == "tone"
    second = load_judge("many.jsonl#2", folder=several)
    assert second.name == "many-2"
    assert second.scale is not None
    assert second.scale.high == 7
    assert load_judge("many.jsonl#a#b", folder=several).name == "a-b"


def test_what_is_kept_of_a_prompt_is_read_as_the_same_prompt(several: Path) -> None:
    for name in prompt_names("many.jsonl", folder=several):
        judge = load_judge(f"many.jsonl#{name}", folder=several)
        again = parse_judge(judge.text, name=judge.name)
        assert (again.hash, again.messages) == (judge.hash, judge.messages)


def test_yaml_with_prompts_under_keys_is_kept_as_something_that_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(
        "kind: |\n  Rate {{answer}} from 1 to 5.\nfair: |\n  Rate {{answer}} from 1 to 3.\n"
    )
    judge = load_judge("p.yaml#fair", folder=tmp_path)
    assert parse_judge(judge.text, name=judge.name).hash == judge.hash
    assert roles(judge) == [("user", "Rate {{answer}} from 1 to 3.\n")]


def test_a_file_whose_own_name_has_the_sign_goes_first(several: Path) -> None:
    (several / "many.jsonl#tone").write_text("Rate {{answer}} from 1 to 9.")
    judge = load_judge("many.jsonl#tone", folder=several)
    assert judge.scale is not None
    assert judge.scale.high == 9


def test_an_unknown_prompt_names_those_there_are(several: Path) -> None:
    with pytest.raises(JudgeFileError) as unknown:
        load_judge("many.jsonl#ton", folder=several)
    assert "no prompt `ton`" in str(unknown.value)
    assert "tone" in str(unknown.value)
    with pytest.raises(JudgeFileError) as unnamed:
        load_judge("many.jsonl", folder=several)
    assert "it holds 3 prompts" in str(unnamed.value)
    assert "`many.jsonl#tone`, `many.jsonl#2`, `many.jsonl#a#b`" in str(unnamed.value)


def test_prompts_of_one_name_are_told_apart(tmp_path: Path) -> None:
    row = json.dumps({"name": "same", "prompt": "Rate {{answer}} from 1 to 5."})
    (tmp_path / "p.jsonl").write_text(f"{row}\n{row}\n")
    assert prompt_names("p.jsonl", folder=tmp_path) == ("same", "same-2")


# ---- what is wrong ----


def test_an_error_in_a_message_names_the_message() -> None:
    bad = [CHAT[0], {"role": "user", "content": "fine\n{{#if answer}}never closed"}]
    with pytest.raises(JudgeFileError) as error:
        parse_judge(json.dumps(bad), name="j")
    assert "j, user message line 2" in str(error.value)


def test_lint_reads_all_messages_and_names_no_line_of_a_list(tmp_path: Path) -> None:
    findings = lint_judge(parse_judge(json.dumps(CHAT), name="j"))
    unfenced = [finding for finding in findings if finding.rule == "no-boundary"]
    assert [finding.line for finding in unfenced] == [None, None]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("p.json", "[" * 10_000 + "]" * 10_000, "nested too deep"),
        ("p.json", '{"a": 1}', "no prompt was found"),
        ("p.json", "{", "not JSON"),
        ("p.jsonl", '{"prompt": "Rate {{answer}}"}\n{', "line 2: it is not JSON that can be read"),
        ("p.jsonl", '{"prompt": "Rate {{answer}}"}\n{"a": 1}', "line 2: no prompt was found"),
        ("p.yaml", "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "alias"),
        ("p.yaml", "a: " + "[" * 100 + "]" * 100, "nested more than"),
        ("p.yaml", "a: [\n", "cannot be read"),
        ("p.yaml", "- role: user\n  content: !!python/object:os.system x\n", "tag"),
        ("p.txt", "- role: user\n  content: {{answer}}\n", "line 2"),
        ("p.jsonl", '{"prompt": "x {{answer}}"}\n' * 1001, "1001 prompts; 1000 at most"),
    ],
)
def test_a_broken_or_hostile_file_is_a_clear_error(
    tmp_path: Path, name: str, text: str, problem: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(JudgeFileError) as error:
        load_judge(name, folder=tmp_path)
    assert problem in str(error.value)


def test_a_text_that_only_looks_like_data_is_a_prompt(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("[" * 300 + " rate {{answer}} from 1 to 5")
    assert load_judge("p.txt", folder=tmp_path).dialect == "mustache"


def test_what_is_shown_has_every_message_with_its_role() -> None:
    shown = describe_judge(parse_judge(json.dumps(CHAT), name="j"))
    assert shown["messages"] == [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    assert shown["guesses"] == []


def test_a_role_is_part_of_the_hash() -> None:
    plain = parse_judge(USER + " Score 1 to 5.", name="j")
    as_user = parse_judge(json.dumps([{"role": "user", "content": USER + " Score 1 to 5."}]), name="j")
    as_system = parse_judge(json.dumps([{"role": "system", "content": USER + " Score 1 to 5."}]), name="j")
    assert plain.hash == as_user.hash
    assert as_system.hash != plain.hash


@pytest.mark.parametrize(
    "text",
    [
        "- role: user\n  content: {{answer}} from 1 to 5\n",
        '{"prompt": "Rate {{answer}}"}\n{"prompt": "Rate {{answer}} from 1 to 5"}',
    ],
)
def test_a_judge_that_an_earlier_version_kept_as_one_message_stays_one(text: str) -> None:
    with pytest.raises(JudgeFileError):
        parse_judge(text, name="j")
    assert roles(parse_kept_judge(text, name="j")) == [("user", text)]


GRADER = """prompt: |-
  Is the reply to {question} polite? Reply: {answer}
choice_scores:
  "P": 1.0
  "R": 0.0
"""


@pytest.mark.parametrize(
    ("text", "labels", "score"),
    [
        (GRADER, ["P", "R"], {"P": 1, "R": 0}),
        (
            GRADER.replace("polite?", "polite?\n  (P) Yes, it is\n  (R) No, it is rude\n "),
            ["P", "R"],
            {"P": 1, "R": 0},
        ),
        (
            GRADER.partition("choice")[0] + "choices:\n  kind: 1\n  rude: 0\n",
            ["kind", "rude"],
            {"kind": 1, "rude": 0},
        ),
        (
            GRADER.partition("choice")[0] + "choice_strings: '123'\nchoice_scores: from_strings\n",
            ["1", "2", "3"],
            {"1": 1, "2": 2, "3": 3},
        ),
        (GRADER.partition("choice")[0] + "choices: [kind, rude]\n", ["kind", "rude"], None),
    ],
)
def test_labels_beside_a_prompt_are_its_labels_with_their_points(text, labels, score):
    shown = describe_judge(parse_judge(text, name="grader"))
    (field,) = shown["verdict"]["properties"].values()
    assert (field["enum"], shown["score"]) == (labels, score)
    assert shown["dialect"] == "python"
    assert not {"choice_scores", "choices", "choice_strings"} & set(shown["ignored"])
