"""The door: who is let in, and what an answer may do in a browser."""

import pytest
from served import DOOR, PORT, TOKEN, served

BASE = f"http://{DOOR.page_host}"


@pytest.fixture
def pages(tmp_path):
    with served(tmp_path / "store") as opened:
        yield opened


@pytest.mark.parametrize(
    "path", ["/", "/api/runs", "/static/app.js", "/api/openapi.json", "/judges", "/nowhere"]
)
def test_nothing_is_answered_without_the_token(pages, path):
    answer = pages.stranger.get(path)
    assert answer.status_code == 401
    assert TOKEN not in answer.text
    assert "adjudge view" in answer.text


@pytest.mark.parametrize("wrong", ["", "x", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), DOOR.session, "ü" * 20])
def test_a_wrong_token_opens_nothing(pages, wrong):
    assert pages.stranger.get("/", params={"token": wrong}).status_code == 401
    headers = {"Authorization": f"Bearer {wrong}".encode()}
    assert pages.stranger.get("/", headers=headers).status_code == 401
    if wrong != DOOR.session:
        assert pages.stranger.get("/", headers={"Cookie": f"adjudge={wrong}".encode()}).status_code == 401


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(pages):
    answer = pages.stranger.get("/judges", params={"token": TOKEN, "a": "b c"}, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/judges?a=b+c"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert pages.stranger.get("/judges").status_code == 200


def test_the_cookie_opens_the_pages_own_host_only(pages):
    """A browser sends it to every port of a host, and who got it elsewhere could send it to 127.0.0.1."""
    cookie = {"Cookie": f"adjudge={DOOR.session}"}
    assert pages.stranger.get("/", headers=cookie).status_code == 200
    for host in ("127.0.0.1", "localhost"):
        base = f"http://{host}:{PORT}"
        assert pages.stranger.get(f"{base}/", headers=cookie).status_code == 401
        answer = pages.stranger.get(f"{base}/judges?token={TOKEN}&a=b", follow_redirects=False)
        assert "set-cookie" not in answer.headers
        assert answer.headers["location"] == f"{BASE}/judges?token={TOKEN}&a=b"


def test_a_way_in_that_began_elsewhere_begins_again_here(pages):
    """A browser that comes from the file that opens it sends no strict cookie on a redirect."""
    answer = pages.stranger.get(
        "/judges", params={"token": TOKEN}, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["refresh"]) == (200, "0; url=/judges")
    assert TOKEN not in answer.text
    assert pages.stranger.get("/judges").status_code == 200


def test_the_way_from_the_token_to_the_page_leads_to_this_server_only(pages):
    for path in ("//evil.example/x", "/\\evil.example", "///evil.example"):
        answer = pages.stranger.get(f"{BASE}{path}?token={TOKEN}", follow_redirects=False)
        assert not answer.headers.get("location", "/x").startswith(("//", "/\\", "http")), path


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        f"127.0.0.1:{PORT}.evil.example",
        f"other.localhost:{PORT}",
        DOOR.page_host.partition(":")[0],
        f"x.{DOOR.page_host}",
    ],
)
def test_a_name_that_is_not_this_servers_is_refused_even_with_the_token(pages, host):
    assert pages.client.get("/", headers={"Host": host}).status_code == 421


def post(client, **headers):
    return client.post(
        "/api/render",
        json={"judge": "correctness", "case": {"question": "q", "response": "r", "reference": "x"}},
        headers=headers,
    )


def test_a_change_must_come_from_a_page_of_this_server_or_carry_the_token(pages):
    cookie = {"Cookie": f"adjudge={DOOR.session}"}
    assert post(pages.stranger, **cookie).status_code == 403  # no word on where it came from
    assert post(pages.stranger, **cookie, Origin="http://evil.example").status_code == 403
    assert post(pages.stranger, **cookie, Origin="null").status_code == 403
    assert post(pages.stranger, **cookie, Origin=BASE.replace("http", "https")).status_code == 403
    assert post(pages.stranger, **cookie, Origin=f"http://127.0.0.1:{PORT}").status_code == 403
    assert post(pages.stranger, **cookie, Origin=BASE.replace(str(PORT), "9999")).status_code == 403
    assert post(pages.stranger, **cookie, **{"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert post(pages.stranger, **cookie, Origin=BASE).status_code == 200
    assert post(pages.stranger, **cookie, **{"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert post(pages.client).status_code == 200
    assert post(pages.client, Origin="http://evil.example").status_code == 403


def test_every_answer_carries_the_policy_that_lets_no_page_run_or_fetch_anything_foreign(pages):
    for path in ("/", "/api/runs", "/static/app.js", "/nowhere", "/api/nowhere"):
        answer = pages.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert "img-src 'self' data:" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_pages_are_not_kept_by_caches(pages):
    assert pages.client.get("/").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/runs/..%2f..%2fetc",
        "/api/runs/~2E~2E~2F~2E~2E",
    ],
)
def test_no_path_of_a_request_reaches_the_file_system(pages, path):
    answer = pages.client.get(path)
    assert answer.status_code in {400, 404}
    assert "def make_app" not in answer.text
    assert "root:" not in answer.text


def test_a_body_over_the_bound_is_refused_with_and_without_a_length(pages, monkeypatch):
    too_much = b"x" * (33 * 1024 * 1024)
    assert pages.client.post("/api/render", content=too_much).status_code == 413

    def pieces():
        for _ in range(33):
            yield b"x" * (1024 * 1024)

    assert pages.client.post("/api/render", content=pieces()).status_code == 413


def test_a_page_that_is_not_there_says_so_in_words(pages):
    answer = pages.client.get("/nowhere")
    assert answer.status_code == 404
    assert "page not found" in answer.text
    assert pages.client.get("/api/nowhere").json() == {
        "problem": "page not found",
        "hint": "start from the list of runs",
    }
