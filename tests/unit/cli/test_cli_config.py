"""adjudge.toml chooses among what the person set up: no server, no credential, no place outside its folder, no code.

For cli/config.py and options/config_file.py.
"""

from pathlib import Path

import click
import pytest

from adjudge.cli.flags import Flag
from adjudge.cli.main import all_commands, cli, run_command

OPTIONS = [
    (path, option)
    for path, command in all_commands(cli)
    for option in command.params
    if isinstance(option, click.Option)
]
RUN = ("run", "cases.jsonl", "--judge", "relevance")


@pytest.mark.parametrize(("path", "option"), OPTIONS, ids=lambda each: getattr(each, "name", each))
def test_every_flag_declares_what_a_config_file_may_do_with_it(path, option):
    assert isinstance(option, Flag), (
        f"`adjudge {path}` {option.opts}: made with click.Option, not from a declared option"
    )


def refused(capsys, text, *args):
    """What is said when this file is there; the command itself would end otherwise."""
    Path("adjudge.toml").write_text(text)
    assert run_command(list(args)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: adjudge.toml"), said
    return said


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('base_url = "https://evil.example"', RUN),
        ('[view]\ntoken_file = "token"', ("view",)),
        ('[view]\ntoken_file = "token"', RUN),  # also when another command is called
        ('price = "0,0"', RUN),
        ("[run]\nfresh = true", RUN),
        ("[agree]\nforget = true", ("agree", "last")),
        ('[models]\nfrom = "model.gguf"', ("models",)),
    ],
)
def test_what_names_a_server_or_a_credential_or_undoes_a_limit_is_refused(capsys, text, args):
    assert "is not allowed in a config file" in refused(capsys, text, *args)


@pytest.mark.parametrize(
    "store",
    ["postgresql://evil.example/db", "sqlite:////etc/x.db", "../store", "/tmp/store.db", "link", "a\\u0000b"],
)
@pytest.mark.parametrize(
    "args",
    [
        RUN,
        ("report", "last"),
        ("runs",),
        ("runs", "rm", "last"),
        ("store", "check"),
        ("view", "--no-browser"),
    ],
)
def test_a_store_is_inside_the_folder(capsys, tmp_path, store, args):
    Path("link").symlink_to(tmp_path.parent, target_is_directory=True)
    refused(capsys, f'store = "{store}"', *args)


@pytest.mark.parametrize(
    "output",
    [
        "../rows.jsonl",
        "/tmp/rows.jsonl",
        "link/rows.jsonl",
        "linked.jsonl",
        "dangling.jsonl",
        "loop",
        ".git/rows.jsonl",
    ],
)
@pytest.mark.parametrize("args", [RUN, ("report", "last"), ("export", "last"), ("certify", "relevance")])
def test_what_is_written_is_inside_the_folder(capsys, tmp_path, output, args):
    outside = tmp_path.parent / "precious.jsonl"
    outside.write_text("precious")
    Path("link").symlink_to(tmp_path.parent, target_is_directory=True)
    Path("linked.jsonl").symlink_to(outside)
    Path("dangling.jsonl").symlink_to(tmp_path.parent / "new.jsonl")
    Path("loop").symlink_to("loop")
    said = refused(capsys, f'output = ["fine.jsonl", "{output}"]', *args)
    assert f"`{output}` is " in said
    assert outside.read_text() == "precious"


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('judge = "../judge.md"', ("run", "cases.jsonl")),
        ('judge = ["relevance", "/etc/passwd"]', ("view", "--no-browser")),
        ('[show]\ncase = "../cases.jsonl"', ("show", "relevance")),
        ('[certify]\ncases = "/etc/passwd"', ("certify", "relevance")),
        ('[compare]\nlabels = "../labels.csv"', ("compare", "a", "b")),
        ('[agree]\nto_label = "../to_label.jsonl"', ("agree", "last", "--next", "5")),
        ('model = "scripted:../replies.jsonl"', RUN),
        ('model = "litellm:openai/gpt-x"', RUN),
        ('model = "LiteLLM/huggingface/https://evil.example"', RUN),
        ('model = "litellm:x"', ("view", "--no-browser")),
    ],
)
def test_files_that_are_read_are_inside_the_folder_and_models_are_where_the_person_says(capsys, text, args):
    refused(capsys, text, *args)


@pytest.mark.parametrize("model", ["openai:x", "azure:x", "anthropic:x", "google:x", "litellm:openai/x"])
@pytest.mark.parametrize(
    "name",
    [
        "api_base",
        "base_url",
        "api_key",
        "extra_headers",
        "custom_llm_provider",
        "tools",
        "service_tier",
        "store",
    ],
)
def test_parameters_are_an_allow_list_of_the_provider(capsys, monkeypatch, model, name):
    assert "is not a parameter" in refused(capsys, f'param.{name} = "x"', *RUN, "--model", model)
    monkeypatch.setenv("ADJUDGE_MODEL", model)
    assert "is not a parameter" in refused(capsys, f'[run]\nparam = ["{name}=x"]', *RUN)


def test_the_file_may_choose_what_the_person_could_have_meant(capsys):
    """It gets as far as the missing file of cases: nothing was refused before."""
    Path("adjudge.toml").write_text(
        'model = "openai:x"\nstore = "sub/store"\njobs = 3\nparam.top_p = 0.5\n'
        '[run]\njudge = ["relevance", "judges/own.md"]\noutput = ["rows.jsonl", "-"]\nmax_cost = 3\n'
    )
    Path("judges").mkdir()
    Path("judges/own.md").write_text('Is {{ response }} polite? Answer with JSON: {"score": 0 or 1}')
    assert run_command(["run", "cases.jsonl"]) == 2
    assert "adjudge.toml" not in (said := capsys.readouterr().err)
    assert "cases.jsonl" in said


def test_the_person_may_say_the_same_on_the_command_line(capsys, monkeypatch):
    monkeypatch.setenv("ADJUDGE_PRICE", "1,1")
    assert (
        run_command([*RUN, "--model", "litellm:x", "--param", "api_base=http://x", "-o", "../x.jsonl"]) == 2
    )
    assert "cases.jsonl" in capsys.readouterr().err


def test_a_groups_commands_take_their_defaults_from_the_file(capsys):
    Path("adjudge.toml").write_text('store = "elsewhere"')
    assert run_command(["store", "check"]) == 4
    assert "elsewhere" in capsys.readouterr().err
