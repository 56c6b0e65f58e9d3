"""What several people say of a case."""

from adjudge.labels.case_labels import labels_by_case, people_labels
from adjudge.labels.label_rows import read_labels
from adjudge.records import Place


def test_of_several_people_every_label_is_kept_beside_what_most_say():
    said = [
        ("a", 1, "x"),
        ("a", 1, "y"),
        ("a", 0, "z"),
        ("b", 1, "x"),
        ("b", 0, "y"),
        ("c", None, "x"),
        ("d", 0, None),
    ]
    rows = [
        (Place(file="labels", line=line), {"case_id": case, "label": label, "annotator": who})
        for line, (case, label, who) in enumerate(said, 1)
    ]
    found = labels_by_case(read_labels("labels", rows))
    assert {case: given.label for case, given in found.items()} == {"a": 1, "b": None, "d": 0}
    assert found["b"].annotators == [{"annotator": "x", "label": 1}, {"annotator": "y", "label": 0}]
    assert found["d"].annotators is None
    assert people_labels("a", *found["a"]) == [1, 1, 0]
    assert people_labels("d", *found["d"]) == [0]
