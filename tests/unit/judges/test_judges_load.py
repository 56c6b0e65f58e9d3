"""Judges are found by name, by `name@hash` and by path; what is not found is named with what is near."""

from pathlib import Path

import pytest

from adjudge.errors import JudgeFileError
from adjudge.judges import built_in_judges, load_judge, override, parse_judge
from adjudge.judges.lint import lint_judge
from adjudge.judges.load import MAX_BYTES

PROMPT = "Rate {{answer}} from 1 to 5.\nReply with only the number.\n"


def test_the_built_in_judges_are_known_by_name_and_by_hash() -> None:
    names = [judge.name for judge in built_in_judges()]
    assert names == sorted(names)
    assert {"coverage", "correctness", "helpfulness", "relevance"} <= set(names)
    for judge in built_in_judges():
        assert judge.built_in
        assert load_judge(judge.name) is judge
        assert load_judge(f"{judge.name}@{judge.hash}") is judge
        assert judge.unread == ()


def test_the_built_in_judges_have_no_lint_findings() -> None:
    assert {judge.name: lint_judge(judge) for judge in built_in_judges()} == {
        judge.name: () for judge in built_in_judges()
    }


def test_a_version_that_does_not_exist_names_those_that_do() -> None:
    with pytest.raises(JudgeFileError) as caught:
        load_judge("relevance@000000000000")
    assert "there is no version `000000000000` of `relevance`" in caught.value.problem
    assert "relevance@" in caught.value.hint


def test_a_file_is_loaded_from_the_folder_and_named_after_itself(tmp_path: Path) -> None:
    (tmp_path / "My judge (v2).md").write_text(PROMPT, encoding="utf-8")
    judge = load_judge("My judge (v2).md", folder=tmp_path)
    assert judge.name == "My-judge-v2"
    assert load_judge(tmp_path / "My judge (v2).md") == judge


def test_a_byte_order_mark_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(PROMPT.encode())
    (tmp_path / "b.md").write_bytes(b"\xef\xbb\xbf" + PROMPT.replace("\n", "\r\n").encode())
    assert load_judge(tmp_path / "a.md").hash == load_judge(tmp_path / "b.md").hash


def test_an_unknown_name_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "tone.md").write_text(PROMPT, encoding="utf-8")
    with pytest.raises(JudgeFileError) as caught:
        load_judge("relevence", folder=tmp_path)
    assert caught.value.problem == "is neither a built-in judge nor a file"
    assert caught.value.hint.startswith("did you mean `relevance`?")
    with pytest.raises(JudgeFileError) as caught:
        load_judge("tome.md", folder=tmp_path)
    assert caught.value.hint.startswith("did you mean `tone.md`?")
    assert "files here: tone.md" in caught.value.hint


@pytest.mark.parametrize("name", ["", "x\x00y", "a" * 5000, "no/such/folder/x.md", "@", "relevance@"])
def test_a_hostile_name_is_an_input_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(JudgeFileError):
        load_judge(name, folder=tmp_path)


def test_a_folder_is_not_a_judge(tmp_path: Path) -> None:
    (tmp_path / "judges").mkdir()
    with pytest.raises(JudgeFileError, match="neither"):
        load_judge("judges", folder=tmp_path)
    with pytest.raises(JudgeFileError, match="cannot be read"):
        load_judge(tmp_path / "judges")


def test_bytes_that_are_not_text_name_their_line(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes(b"Rate {{a}}\nfrom \xff 1 to 5")
    with pytest.raises(JudgeFileError) as caught:
        load_judge("x.md", folder=tmp_path)
    assert caught.value.where == "x.md line 2"
    assert "0xff is not UTF-8" in caught.value.problem
    (tmp_path / "y.md").write_bytes(b"Rate \x00 {{a}}")
    with pytest.raises(JudgeFileError, match="NUL"):
        load_judge("y.md", folder=tmp_path)


def test_a_file_too_large_to_be_a_prompt_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(JudgeFileError, match="bytes"):
        load_judge("big.md", folder=tmp_path)


def test_an_override_has_a_hash_of_its_own() -> None:
    judge = parse_judge(PROMPT, name="j")
    changed = override(judge, passes="score >= 4", temperature=0.5, max_output_tokens=10)
    assert (changed.passes, changed.temperature, changed.max_output_tokens) == ("score >= 4", 0.5, 10)
    assert changed.hash != judge.hash
    assert override(judge) == judge
    assert override(changed, passes="score >= 4") == changed


def test_an_override_that_names_an_unknown_field_is_refused() -> None:
    with pytest.raises(JudgeFileError, match="`passes` names `rating`"):
        override(parse_judge(PROMPT, name="j"), passes="rating >= 4")
