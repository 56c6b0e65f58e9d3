"""A real browser for the tests of pages; where it is not installed they skip.

Not the pytest-playwright plugin: it downloads a browser of its own, and its session-long event loop makes `asyncio.run` fail
in every test that comes after it in the same process.
"""

import pytest

NO_PLAYWRIGHT = "Playwright is not installed: pip install -r requirements/dev.txt"


@pytest.fixture(scope="session")
def chromium():
    """The one `chromium.Chromium` of this process."""
    pytest.importorskip("playwright", reason=NO_PLAYWRIGHT)
    from chromium import Chromium, find_chromium

    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed: apt-get install chromium-headless-shell")
    started = Chromium(program)
    yield started
    started.close()


@pytest.fixture
def open_tab(chromium):
    """`open_tab("http://127.0.0.1:…" or Path, width=360, dark=True) -> chromium.Tab`; closed when the test ends.

    `asyncio.run` works until the first tab is opened, and after that inside `with chromium.aside():`.
    """
    tabs = []

    def open_one(where=None, **options):
        tab = chromium.open_tab(**options)
        tabs.append(tab)
        if where is not None:
            tab.goto(where)
        return tab

    yield open_one
    if tabs:
        chromium.step_in()
        for tab in tabs:
            tab.page.context.close()
        chromium.step_aside()


@pytest.fixture
def axe_clean(chromium):
    """`axe_clean(tab.page, within=None, without=(), only=())` fails with a readable list of what axe-core finds."""
    pytest.importorskip("axe_playwright_python", reason=NO_PLAYWRIGHT)
    from axe import assert_axe_clean

    return assert_axe_clean


@pytest.fixture
def assert_readable(axe_clean):
    """`assert_readable(tab, within=None)`: on every screen of `chromium.LOOKS` nothing sticks out and axe-core finds nothing.

    `within` is a CSS selector: what axe-core looks at where the rest has been looked at before. `narrow_colours`: the page
    has other colours on a narrow screen; which pages have is held by `test_widths_change_no_other_colours`.
    """
    from axe import COLOUR_RULES
    from chromium import LOOKS, ORDINARY_WIDTH

    def check(tab, looks=LOOKS, within=None, narrow_colours=False):
        for width, dark in looks:
            tab.look(width, dark=dark)
            assert tab.too_wide() == [], f"{tab.page.url[:200]} at {width}"
            if width > ORDINARY_WIDTH:  # there no colour and no element is another, only sizes are
                continue
            colours_known = width < ORDINARY_WIDTH and (ORDINARY_WIDTH, dark) in looks and not narrow_colours
            if dark and (width, False) in looks:
                if not colours_known:
                    axe_clean(tab.page, within=within, only=COLOUR_RULES)
            else:
                axe_clean(tab.page, within=within, without=COLOUR_RULES if colours_known else ())

    return check
