"""A run too large for the pages: they answer at once, say so, and read none of it unasked."""

import re
from contextlib import closing
from html import unescape

import pytest
from seeded_store import seed_store
from served import served

from adjudge.server.cases.index import MAX_LISTED
from adjudge.store import open_store

JUDGEMENTS = MAX_LISTED + 1


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A small run that is known to be a large one."""
    where = tmp_path_factory.mktemp("large") / "store"
    seed_store(where, 20, name="night's run")
    with closing(open_store(where)) as store:
        store.home.write(lambda session: session.change("UPDATE runs SET judgements = ?", [JUDGEMENTS]))
    with served(where) as opened:
        yield opened


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


@pytest.mark.parametrize("path", ["cases", "cases?passed=no", "cases?q=order"])
def test_the_list_says_what_it_cannot_do_and_what_can(pages, path):
    answer = pages.client.get(f"/runs/seeded/{path}")
    assert answer.status_code == 400
    said = words(answer.text)
    assert "has 1,000,001 judgements, and the pages list the cases of runs with up to 1,000,000" in said
    assert """adjudge show 'night'"'"'s run' --failed""" in said
    assert pages.client.get(f"/api/runs/seeded/{path}").json()["hint"].startswith("`adjudge show")
    assert pages.client.get("/api/runs/seeded/cases.csv").status_code == 400


def test_a_case_is_shown_without_those_beside_it(pages):
    said = pages.read("/api/runs/seeded/case", params={"case": "case-000001"})
    assert (said["in_list"], said["among_failed"]) == (None, None)
    shown = pages.client.get("/runs/seeded/case", params={"case": "case-000001"}).text
    assert "case-000001" in words(shown)
    assert 'href="/runs/seeded" data-key="u"' in shown


def test_the_run_is_counted_when_it_is_asked_for_and_not_before(pages):
    shown = words(pages.client.get("/runs/seeded").text)
    assert "Counting 1,000,001 judgements… This takes minutes." in shown
    assert """adjudge report 'night'"'"'s run'""" in shown
    # as the page's script asks, which has one run counted each time
    again = words(pages.client.get("/", headers={"X-Swap": "runs"}).text)
    assert "1,000,001 judgements, counted when the run is opened" in again
    assert pages.service.figures.known(pages.service.run("seeded")) is None
    assert "Counting" not in words(pages.client.get("/runs/seeded?now=1").text)
