"""A new user's three errands, with nothing but the pages; on the way the screenshots of the guide are taken.

`ADJUDGE_UPDATE_DOCS=1` renews the pictures. Otherwise they are taken all the same, and must have kept their size.
"""

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import press
from playwright.sync_api import expect
from served import live

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))
RUNS = {
    "before": ("compare/before.jsonl", "correctness", "compare/replies.jsonl"),
    "after": ("compare/after.jsonl", "correctness", "compare/replies.jsonl"),
    "symbols": ("agree/cases.jsonl", "correctness", "agree/replies.jsonl"),
    "towers": ("coverage.jsonl", "coverage", "replies.jsonl"),
}
LABELS = {
    row["case_id"]: row["label"]
    for row in map(json.loads, (ROOT / "examples" / "agree" / "labels.jsonl").read_text().splitlines())
}


def adjudge(folder, *arguments):
    command = Path(sys.executable).with_name("adjudge")
    done = subprocess.run([command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("tour")
    (made / "examples").symlink_to(ROOT / "examples")
    for name, (cases, judge, replies) in RUNS.items():
        model = f"scripted:examples/{replies}"
        adjudge(made, "run", f"examples/{cases}", "--judge", judge, "--model", model, "--name", name)
    return made


@pytest.fixture(scope="module")
def address(folder):
    with live(folder / ".adjudge") as opened:
        yield opened


@pytest.fixture
def visit(open_tab, address):
    tab = open_tab(address.opened(), width=1200, height=800)
    expect(tab.page.get_by_role("link", name="before")).to_be_visible()
    return tab


def picture(tab, name, **options):
    """The same number of pixels as the one in the guide, which is then of this page."""
    path = IMAGES / f"{name}.png"
    taken = tab.page.screenshot(path=path if UPDATE else None, animations="disabled", **options)
    assert path.exists(), "run with ADJUDGE_UPDATE_DOCS=1 to take it"
    assert struct.unpack(">I", path.read_bytes()[16:20]) == struct.unpack(">I", taken[16:20])
    assert path.stat().st_size < 200_000
    tab.assert_quiet()


def test_why_did_this_one_score_low(visit):
    page = visit.page
    expect(page.get_by_role("link", name="towers")).to_be_visible()
    picture(visit, "runs")
    page.get_by_role("link", name="towers").click()
    expect(page.get_by_role("heading", name="coverage: scores given")).to_be_visible()
    picture(visit, "run")
    page.get_by_role("link", name=re.compile("^All ")).click()
    page.get_by_label("Order").select_option("score")
    expect(page.locator("table.rows tbody tr, table tbody tr").first).to_be_visible()
    picture(visit, "cases")
    page.get_by_label("Search").fill("photosynthesis")
    expect(page.get_by_role("link", name="v01")).to_have_count(0)
    page.get_by_role("link", name="v04").click()
    expect(page.get_by_role("link", name="How it was scored")).to_be_visible()
    why = page.locator("main").inner_text()
    assert "missed" in why
    assert "= 0.7625 → 1" in why
    picture(visit, "case")
    press(page, "u")
    expect(page.get_by_role("heading", name="Cases")).to_be_visible()


def test_label_ten_and_see_how_far_the_judge_agrees(visit, folder):
    page = visit.page
    page.get_by_role("link", name="symbols").click()
    page.get_by_role("link", name="Label", exact=True).first.click()
    page.get_by_label("Your name").fill("ada")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("How many").fill("10")
    page.get_by_role("button", name="Sample and start").click()
    expect(page.get_by_text("0 of 10 labelled")).to_be_visible()
    picture(visit, "label")
    for number in range(1, 11):
        press(page, "1" if number % 4 else "0")
        if number < 10:
            expect(page.get_by_text(f"{number} of 10 labelled")).to_be_visible()
    page.get_by_role(
        "link", name=re.compile("how far the judge agrees|agreement", re.IGNORECASE)
    ).first.click()
    expect(page.get_by_role("heading", name=re.compile("agree", re.IGNORECASE)).first).to_be_visible()
    said = json.loads(adjudge(folder, "agree", "symbols", "--json"))
    assert said["labelled"] == 10
    visit.assert_quiet()


def test_is_the_new_version_better(visit):
    page = visit.page
    page.get_by_role("link", name="Compare", exact=True).first.click()
    page.get_by_label("A, before").select_option("before")
    page.get_by_label("B, after").select_option("after")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("after is better: +27.8 points")).to_be_visible()
    picture(visit, "compare")
    page.get_by_role("link", name="china").click()
    expect(page.locator("mark", has_text="Beijing")).to_be_visible()
    expect(page.locator("mark", has_text="Shanghai")).to_be_visible()
    visit.assert_quiet()
