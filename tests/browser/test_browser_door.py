"""The door, seen from a browser: the token goes out of the address, and no other page can use this one's cookie."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect
from served import live

from adjudge.server.serve import opening_file

PAGE = """<!doctype html><title>elsewhere</title>
<img src="{url}api/runs"><script src="{url}static/app.js"></script>
<iframe name="inside" src="{url}"></iframe>
<form id="post" method="post" action="{url}api/render" enctype="text/plain" target="inside">
<input name='{{"judge": "correctness", "case": {{"question": "' value='"}}}}'></form>
<script>
window.said = {{}};
const note = (name, work) => work.then((answer) => answer.text().then((text) => {{ window.said[name] = text; }}),
  (error) => {{ window.said[name] = "refused"; }});
Promise.all([
  note("read", fetch("{url}api/runs", {{credentials: "include"}})),
  note("change", fetch("{url}api/render", {{method: "POST", credentials: "include", body: "{{}}",
    headers: {{"Content-Type": "application/json"}}}})),
  note("simple", fetch("{url}api/runs/x/stop", {{method: "POST", mode: "no-cors", credentials: "include"}})),
]).then(() => {{ document.getElementById("post").submit(); document.title = "done"; }});
</script>"""


@pytest.fixture
def address(tmp_path):
    with live(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def elsewhere(address):
    """A page that somebody else serves on this machine."""
    body = PAGE.format(url=address.url).encode()
    seen = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(dict(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Not to the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, seen
    server.shutdown()
    server.server_close()


def test_the_token_leaves_the_address_and_no_script_can_read_the_cookie(open_tab, address):
    tab = open_tab(address.opened())
    expect(tab.page.get_by_role("heading", name="Runs")).to_be_visible()
    assert tab.page.url == address.url
    assert tab.page.evaluate("document.cookie") == ""
    (cookie,) = tab.page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    tab.page.reload()
    expect(tab.page.get_by_role("heading", name="Runs")).to_be_visible()
    tab.assert_quiet()


def test_the_file_that_opens_a_browser_leads_to_the_page(open_tab, address):
    with opening_file(address.opened("judges")) as file:
        assert address.token not in file
        tab = open_tab(file)
        expect(tab.page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()
    assert tab.page.url == f"{address.url}judges"
    tab.page.reload()
    expect(tab.page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()


def test_without_the_token_there_is_nothing_to_see(open_tab, address):
    tab = open_tab(address.url)
    assert "adjudge view" in tab.page.locator("body").inner_text()
    assert tab.page.locator("a").count() == 0


def test_no_other_server_on_this_machine_gets_the_cookie(open_tab, address, elsewhere):
    tab = open_tab(f"{address.api_url}?token={address.token}")
    expect(tab.page.get_by_role("heading", name="Runs")).to_be_visible()
    assert tab.page.url == address.url
    assert address.token not in str(tab.page.context.cookies())
    port, seen = elsewhere
    for host in ("127.0.0.1", "localhost", "other.localhost"):
        tab.page.goto(f"http://{host}:{port}/")
        expect(tab.page).to_have_title("done")
    assert len(seen) >= 3
    assert [headers["Cookie"] for headers in seen if "Cookie" in headers] == []


def test_another_sites_page_can_neither_read_nor_change_nor_frame_anything(open_tab, address, elsewhere):
    tab = open_tab(address.opened())
    expect(tab.page.get_by_role("heading", name="Runs")).to_be_visible()
    answers = []
    tab.page.context.on(
        "response", lambda answer: answers.append((answer.request.method, answer.url, answer.status))
    )
    port, _ = elsewhere
    tab.page.goto(f"http://localhost:{port}/")
    expect(tab.page).to_have_title("done")
    tab.settle()
    assert tab.page.evaluate("window.said") == {"read": "refused", "change": "refused", "simple": "refused"}
    # the browser fetches the icon of the page before this one when it likes; what is static is everybody's
    static = f"{address.url}static/"
    ours = [each for each in answers if each[1].startswith(address.url) and not each[1].startswith(static)]
    assert ours, "nothing was tried"
    assert {status for _, _, status in ours} <= {401, 403}, ours
    frame = tab.page.frame("inside")
    assert "Runs" not in (frame.locator("body").inner_text() if frame else "")
