"""The browser tests can fail: what a payload does in a page that lets it is seen, and what a page says is heard."""

import asyncio
import http.server
import threading

import pytest
from xss_corpus import PAYLOADS

FIRING = [payload for payload in PAYLOADS if payload.fires != "never"]


def write(path, body):
    path.write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>t</title>{body}", encoding="utf-8"
    )


@pytest.fixture
def show(open_tab, tmp_path):
    def open_with(body, **options):
        write(tmp_path / "page.html", body)
        return open_tab(tmp_path / "page.html", **options)

    return open_with


@pytest.mark.parametrize("part", range(4))
def test_a_payload_that_is_let_in_is_noticed(part, open_tab, tmp_path):
    tab = open_tab()
    unnoticed = []
    for payload in FIRING[part::4]:
        tab.forget()
        write(tmp_path / f"{payload.name}.html", f"<main>{payload.text}</main>")
        tab.goto(tmp_path / f"{payload.name}.html")
        if payload.fires == "clicked":
            tab.page.locator("button, a, [onclick]").last.click(no_wait_after=True)
        tab.settle()
        signs = tab.ran() + tab.foreign()
        if not signs:
            unnoticed.append(payload.name)
        if any("led away" in sign or "(document)" in sign for sign in signs):
            tab = open_tab()  # what is still on its way would get between
    assert unnoticed == []


def test_a_page_that_does_nothing_is_quiet(show):
    tab = show("<h1>Nothing</h1>")
    tab.assert_quiet()
    assert [(asked.method, asked.kind) for asked in tab.requests] == [("GET", "document")]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<script>console.error('oh no')</script>", "console: error: oh no"),
        ("<script>throw new Error('broken')</script>", "page errors: broken"),
        ("<script>setTimeout(() => undefinedName, 1)</script>", "page errors: undefinedName is not defined"),
        ("<script>window.mine = 1</script>", "ran: global mine"),
    ],
)
def test_what_a_page_says_is_heard(show, body, words):
    with pytest.raises(AssertionError, match=words):
        show(body).assert_quiet()


def test_what_a_page_may_have_and_say_can_be_named(show):
    tab = show("<script>window.mine = 1; console.warn('old browser')</script>")
    tab.assert_quiet(allowed_globals=["mine"], allowed_console=["old browser"])


def test_the_pages_own_server_is_not_foreign_and_every_other_one_is(open_tab):
    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = b"<!doctype html><html lang=en><title>t</title><img src=/own.png><img src=http://other.test:81/>"
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(page)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            tab = open_tab(f"http://127.0.0.1:{server.server_port}/")
            tab.settle()
        finally:
            server.shutdown()
            thread.join()
    assert {asked.url.rpartition("/")[2] for asked in tab.requests} == {"", "own.png"}
    foreign = tab.foreign()
    assert "GET http://other.test:81/ (image)" in foreign
    assert "caught other.test:81 'GET /'" in foreign


def test_event_loops_of_tests_are_not_disturbed(chromium, open_tab):
    async def answer():
        await asyncio.sleep(0)
        return 42

    assert asyncio.run(answer()) == 42
    tab = open_tab()
    with chromium.aside():
        assert asyncio.run(answer()) == 42
    assert tab.page.title() == ""


def test_a_page_that_scrolls_sideways_is_seen(show):
    assert show("<p>short</p>", width=360).too_wide() == []
    found = show("<p style='width:500px'>long</p>", width=360).too_wide()
    assert found[0] == "p reaches 508 of 360"
    assert found[-1] == "the page is 508 wide"
    found = show("<main><p style='white-space:nowrap'>" + "long " * 50 + "</main>", width=360).too_wide()
    assert any(line.startswith("p reaches ") for line in found)


def test_axe_finds_what_is_wrong_and_passes_what_is_not(show, axe_clean):
    axe_clean(show("<main><h1>Good</h1><p>Readable.</p></main>").page)
    bad = show("<main><h1>Bad</h1><img src='data:,'><p style='color:#ccc;background:#fff'>faint</p></main>")
    with pytest.raises(AssertionError) as caught:
        axe_clean(bad.page)
    assert "image-alt (critical)" in str(caught.value)
    assert "color-contrast (serious)" in str(caught.value)
    axe_clean(bad.page, without=["image-alt", "color-contrast"])


def test_faint_text_is_found_beside_what_was_good_before(show, axe_clean):
    """axe-core looks at no kind of text twice that was good; what differs in anything that can be seen is another kind."""
    good, faint = "<p style='color:#000'>Readable text.</p>", "color:#aaa"
    head = "<main><h1>Texts</h1>"
    axe_clean(show(f"{head}{good}<p style='{faint};background:#000'>light on dark</p>").page)
    for body in (
        f"{good * 3}<p style='{faint}'>light on white</p>{good * 3}",
        f"<button disabled style='{faint};background:#fff'>x y</button><p style='{faint}'>a disabled one comes first</p>",
        f"<p style='{faint};display:none'>not there</p><p style='{faint}'>a hidden one comes first</p>",
        "<div style='opacity:.3'><p style='color:#000'>seen through</p></div>",
        "<div style='background:#222'><p style='color:#000'>dark on dark</p></div>",
        "<div style='position:relative;height:3em'><p style='position:absolute;color:#000;background:#333'>laid over</p></div>",
    ):
        page = show(head + body).page
        for _ in range(2):  # what is bad is not remembered as good
            with pytest.raises(AssertionError, match="color-contrast"):
                axe_clean(page)
