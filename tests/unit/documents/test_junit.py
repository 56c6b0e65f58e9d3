"""JUnit XML: what a build service reads."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.documents.junit import JunitRows
from adjudge.documents.rows import result_row
from adjudge.documents.writers import open_writer


class Kept:
    def __init__(self):
        self.data = b""

    def append(self, data):
        self.data += data

    def close(self):
        pass

    abandon = close


def written(*judgements):
    sink = Kept()
    rows = JunitRows(sink)
    for judgement in judgements:
        rows.write(result_row(judgement, "run"))
    rows.close()
    return ET.fromstring(sink.data)


def test_a_suite_for_each_judge_and_a_testcase_for_each_judgement(build):
    call = build.call(latency_ms=1500.0)
    root = written(
        build.judgement(build.scored(4.0), passed=True, calls=(call,)),
        build.judgement(build.scored(1.0), passed=False, reason="Wrong <year>.", case_id="c2"),
        build.judgement(build.failed("unreadable", "no verdict"), case_id="c3", repeat=1),
        build.judgement(build.scored(1.0), judge="k", case_id="c1"),
    )
    first, second = root
    assert root.attrib == {"name": "adjudge", "tests": "4", "failures": "1", "errors": "1"}
    assert first.attrib == {
        "name": "j@abc123 scripted:m",
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "time": "1.500",
    }
    assert [case.get("name") for case in first] == ["c1", "c2", "c3 (repeat 1)"]
    assert first[0].get("time") == "1.500"
    assert len(first[0]) == 0
    assert (first[1][0].tag, first[1][0].get("message"), first[1][0].text) == (
        "failure",
        "score 1 does not pass",
        "Wrong <year>.",
    )
    assert (first[2][0].tag, first[2][0].get("type"), first[2][0].text) == (
        "error",
        "unreadable",
        "no verdict",
    )
    assert len(second[0]) == 0  # no rule, so nothing failed


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_makes_well_formed_xml_with_nothing_of_it_as_markup(build, case_id, text):
    root = written(
        build.judgement(build.scored(1.0), passed=False, reason=text + "]]><x/>", case_id=case_id),
        build.judgement(build.failed("refused", text + '"/><x y="'), case_id=case_id),
    )
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
    }


def test_the_file_is_chosen_by_its_name_and_an_abandoned_run_leaves_it_as_it_was(build, tmp_path):
    path = tmp_path / "out.junit.xml"
    path.write_text("old")
    writer = open_writer(str(path))
    writer.write(result_row(build.judgement(build.scored(1.0)), "run"))
    writer.abandon()
    assert path.read_text() == "old"
    with open_writer(str(path)) as writer:
        writer.write(result_row(build.judgement(build.scored(1.0)), "run"))
    assert ET.parse(path).getroot().get("tests") == "1"


def test_a_run_without_rows_is_a_file_without_testcases(tmp_path):
    open_writer(str(tmp_path / "junit.xml")).close()
    assert ET.parse(tmp_path / "junit.xml").getroot().get("tests") == "0"


@pytest.mark.parametrize("count", [3000])
def test_many_rows_come_back_whole_from_where_they_are_held(build, count):
    row = build.judgement(build.scored(1.0), passed=False, reason="x" * 1000)
    root = written(*[row] * count)
    assert len(root[0]) == count
