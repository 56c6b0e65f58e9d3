"""What `--labels` gives a run."""

from adjudge.runs.given_labels import given_labels, read_case_labels


def test_a_file_has_labels_by_case_and_the_cases_own_are_none_of_these(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("case_id,label,seen_verdict\na,1,\nb,0,true\n")
    assert [row.case_id for row in given_labels(path) or ()] == ["a", "b"]
    assert (read_case_labels(path) or {}).keys() == {"a"}  # b was labelled after seeing the verdict
    assert given_labels("cases") is given_labels(None) is read_case_labels("cases") is None
