"""Files of people's labels, in the formats cases come in."""

import io

import pytest

from adjudge.dataset.read import read_table
from adjudge.errors import DatasetError
from adjudge.labels.label_rows import read_labels


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, name="labels.jsonl"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read_labels(*read_table(tmp_path / name))

    return write_and_read


def test_jsonl_rows_keep_who_said_what_and_why(read):
    rows = read(
        '{"case_id": "a", "label": 1, "annotator": "anna", "explanation": " it is right "}\n'
        '{"id": 7, "label": false}\n'
        '{"case_id": "c", "label": {"relevance": 4}, "annotator": 3}\n'
    )
    said = [(row.case_id, row.label, row.annotator, row.explanation, row.place.line) for row in rows]
    assert said == [
        ("a", 1, "anna", "it is right", 1),
        ("7", False, None, None, 2),
        ("c", {"relevance": 4}, "3", None, 3),
    ]


def test_csv_rows_may_hold_what_was_shown_to_the_person_too(read):
    text = "case_id,question,response,label,annotator,explanation\na,Why?,So.,1,anna,\nb,Who?,You.,,,\n"
    rows = read(text, "filled.csv")
    assert [(row.case_id, row.label, row.annotator) for row in rows] == [
        ("a", "1", "anna"),
        ("b", None, None),
    ]


def test_a_label_of_a_rubric_is_a_list_and_one_of_ratings_an_object_in_csv_as_json(read):
    rows = read('{"case_id": "a", "label": [true, false, null]}\n{"case_id": "b", "label": {"tone": 3}}\n')
    text = 'case_id,label\na,"[true, false, null]"\nb," {""tone"": 3}"\nc,[good\nd,"[1, NaN"\n'
    listed = [[True, False, None], {"tone": 3}]
    assert [row.label for row in rows] == listed
    assert [row.label for row in read(text, "labels.csv")] == [*listed, "[good", "[1, NaN"]


def test_a_blank_label_is_one_not_given_yet_and_a_given_one_goes_before_it(read):
    rows = read(
        '{"case_id": "a", "label": " "}\n{"case_id": "a", "label": 3}\n{"case_id": "b", "label": null}\n'
    )
    assert [(row.case_id, row.label) for row in rows] == [("a", 3), ("b", None)]


def test_labels_come_through_a_pipe():
    (row,) = read_labels(*read_table("-", stdin=io.BytesIO(b'{"case_id": "a", "label": "good"}\n')))
    assert (row.case_id, row.label, row.place.file) == ("a", "good", "standard input")


def test_the_same_said_twice_is_said_once_and_two_people_may_differ(read):
    same = '{"case_id": "a", "label": 1}\n'
    assert len(read(same + same)) == 1
    assert len(read(same + '{"case_id": "a", "label": 0, "annotator": "ben"}\n')) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"case_id": "a", "label": 1}\n{"case_id": "a", "label": 0}\n', "both by unnamed"),
        ('{"case_id": "a", "score": 1}\n', "no row has a `label`; the first has `case_id`, `score`"),
        ('{"question": "?", "label": 1}\n', "has no `case_id`"),
        ('{"case_id": [1], "label": 1}\n', "an id that is an array"),
        ('{"case_id": "a", "label": [1, 2]}\n', "give one row for each person's label"),
        ('{"case_id": "a", "label": 1, "annotator": {"x": 1}}\n', "its annotator is an object"),
        ('{"case_id": "a"\n', "line 1"),
        ("\n", "contains no labels"),
    ],
)
def test_a_row_that_is_no_label_stops_everything_and_says_why(read, text, says):
    with pytest.raises(DatasetError) as error:
        read(text)
    assert says in str(error.value)
    assert "hint: " in str(error.value)


def test_one_case_may_be_labelled_in_several_runs(read):
    rows = read(
        '{"case_id": "a", "run": "one", "label": 1}\n{"case_id": "a", "run": "two", "label": 0}\n'
        '{"case_id": "a", "run": " ", "label": 5}\n'
    )
    assert [(row.run, row.label) for row in rows] == [("one", 1), ("two", 0), (None, 5)]
    with pytest.raises(DatasetError, match="and 1 on line 1"):
        read('{"case_id": "a", "run": "one", "label": 1}\n{"case_id": "a", "run": "one", "label": 0}\n')
    with pytest.raises(DatasetError, match="its run is an array"):
        read('{"case_id": "a", "run": ["one"], "label": 1}\n')


def test_a_label_says_whether_it_was_given_after_seeing_the_verdict(read):
    text = "case_id,label,seen_verdict\na,1,true\na,0,False\nb,1,\n"
    assert [(row.label, row.seen_verdict) for row in read(text, "both.csv")] == [
        ("1", True),
        ("0", False),
        ("1", False),
    ]
    with pytest.raises(
        DatasetError, match=r"line 2.*seen_verdict is text: 'perhaps'[^\n]*\n\n.*true or false"
    ):
        read("case_id,label,seen_verdict\na,1,perhaps\n", "odd.csv")
