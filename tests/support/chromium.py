"""Debian's Chromium, driven by Playwright: one tab that remembers what its page asked for, said and ran.

Nothing but loopback can be reached. Every other address leads to a `Catcher`, which notes who came and hangs up, so that
also what the browser's own tools do not report (a preconnect, a ping, a prefetch) is seen.
"""

import asyncio
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright
from xss_corpus import TITLE

PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first is the second without its windows, and needs half the processor time."""
_CHEAP = (
    "--in-process-gpu",
    "--disable-gpu",
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    (
        "--disable-features=RenderDocument,PaintHolding,HttpsUpgrades,MediaRouter,OptimizationHints,PreconnectToSearch,"
        "NetworkTimeServiceQuerying,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose"
    ),
)
"""A third less processor time for each page: no process that draws, none for each site, and no frame that is made anew for a
page of the same site. The other features are those of Playwright's list that matter here, as only the last list counts."""
_OURS = ("127.0.0.1", "localhost", "*.localhost")
_BROWSERS_OWN = ("*.google.com", "*.googleapis.com", "*.gstatic.com", "*.gvt1.com")
"""Where Chromium itself looks for updates now and then; no doing of a page, and not let out either."""
_ASIDE = {"data", "blob", "about"}
"""Schemes that fetch nothing from anywhere."""
_PATIENCE_MS = 300_000
"""Ends a test that hangs: a busy machine is slow, not wrong."""
ORDINARY_WIDTH = 1280
LOOKS = ((3840, False), (ORDINARY_WIDTH, False), (360, False), (360, True), (ORDINARY_WIDTH, True))
"""Widths, light (False) and dark, in which a page has to be good. Colours depend on the scheme, the layout on the width: dark
and very wide has nothing that the others have not."""
_GRACE_MS = 60
"""For what a page starts late; nothing is asserted about how long anything takes."""
_REMEMBER_GLOBALS = "window[Symbol.for('at first')] = new Set(Object.getOwnPropertyNames(window))"
"""Runs before anything of the page does."""
_LOOK = """() => ({
  xss: typeof window.__xss === 'undefined' ? null : String(window.__xss),
  globals: Object.getOwnPropertyNames(window).filter(
    name => !window[Symbol.for('at first')].has(name) && !/^[0-9]+$/.test(name)),  // a number is a frame
})"""


def find_chromium() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Catcher:
    """Listens on loopback in place of the whole internet."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        """`beacon.example GET /x`, or `?` and the first bytes where it is not HTTP."""
        self._closing = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:  # closed
                return
            if self._closing:
                caller.close()
                return
            at = len(self.seen)
            self.seen.append("? connected")  # a preconnect says nothing more
            threading.Thread(target=self._hear, args=(caller, at), daemon=True).start()

    def _hear(self, caller: socket.socket, at: int) -> None:
        with caller:
            caller.settimeout(5)
            try:
                head = caller.recv(4096)
            except OSError:
                return
            if head:
                self.seen[at] = _who(head)

    def close(self) -> None:
        # closing alone does not wake a thread that waits in accept, and once woken it must not go back there
        self._closing = True
        with socket.socket() as last:
            last.connect(("127.0.0.1", self.port))
            self._socket.close()
        self._thread.join(timeout=10)


def _who(head: bytes) -> str:
    lines = head.decode("latin-1").split("\r\n")
    host = next((line[6:] for line in lines if line.lower().startswith("host: ")), "?")
    return f"{host} {lines[0].removesuffix(' HTTP/1.1')!r}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One request of a page, whatever became of it."""

    method: str
    url: str
    kind: str
    """`document`, `image`, `stylesheet`, `fetch` …"""


@dataclass(kw_only=True)
class Tab:
    """A page in a context of its own (no cookies, no cache), and what has come of it so far."""

    page: Page
    catcher: Catcher
    requests: list[Asked] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    """Errors and warnings, a policy's refusals among them."""
    page_errors: list[str] = field(default_factory=list)
    """Exceptions that nothing caught."""
    dialogs: list[str] = field(default_factory=list)
    popups: list[str] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    web_sockets: list[str] = field(default_factory=list)
    _caught_before: int = 0
    _origin: str | None = None

    def goto(self, where: str | Path) -> Page:
        """Open a URL, or a file; from then on its origin (for a file: the file) is the page's own."""
        url = where.resolve().as_uri() if isinstance(where, Path) else where
        self._origin = _origin(url)
        self.page.goto(url)
        return self.page

    def forget(self) -> None:
        """As if the tab were new; for many pages in one tab, which is much quicker than a tab for each."""
        for seen in (
            self.requests,
            self.console,
            self.page_errors,
            self.dialogs,
            self.popups,
            self.downloads,
        ):
            seen.clear()
        self.web_sockets.clear()
        self._caught_before = len(self.catcher.seen)

    def settle(self) -> None:
        """Let what the page has begun come to be known here."""
        self.page.wait_for_timeout(_GRACE_MS)

    # ---- what came of it ----

    def foreign(self) -> list[str]:
        """Everything asked of somebody else than the page's own origin."""
        asked = [
            f"{each.method} {each.url[:200]} ({each.kind})"
            for each in self.requests
            if urlsplit(each.url).scheme not in _ASIDE and _origin(each.url) != self._origin
        ]
        sockets = [f"socket {url}" for url in self.web_sockets if _origin(url, socket=True) != self._origin]
        return asked + sockets + self.caught()

    def caught(self) -> list[str]:
        """What did leave the browser for somewhere else; a request that a policy refused did not."""
        return [f"caught {who}" for who in self.catcher.seen[self._caught_before :]]

    def ran(self, *, allowed_globals: Sequence[str] = ()) -> list[str]:
        """Signs that text of a case ran, or that the page was led to another origin; `allowed_globals` are the page's own scripts'."""
        signs = [f"dialog: {said}" for said in self.dialogs]
        signs += [f"popup: {url}" for url in self.popups] + [f"download: {url}" for url in self.downloads]
        if _origin(self.page.url) != self._origin:
            return [*signs, f"led away to {self.page.url[:200]}"]
        for frame in self.page.frames[1:]:
            signs.append(f"frame: {frame.url[:200]}")
        try:
            found = self.page.evaluate(_LOOK)
            title = self.page.title()
        except Error as error:  # it goes away under our eyes
            return [*signs, f"led away: {error.message}"]
        if found["xss"] is not None:
            signs.append(f"window.__xss is {found['xss']}")
        if title == TITLE:
            signs.append("the title was changed")
        signs += [f"global {name}" for name in found["globals"] if name not in allowed_globals]
        return signs

    def assert_quiet(
        self, *, allowed_globals: Sequence[str] = (), allowed_console: Sequence[str] = ()
    ) -> None:
        """Nothing of a case ran, nothing was fetched from elsewhere, and the page has nothing to complain about.

        `allowed_console` are parts of messages that may be there. What a policy refused to run or fetch is a complaint:
        the text should not have become a script or an image in the first place.
        """
        self.settle()
        said = [line for line in self.console if not any(part in line for part in allowed_console)]
        found: Mapping[str, list[str]] = {
            "ran": self.ran(allowed_globals=allowed_globals),
            "fetched from elsewhere": self.foreign(),
            "console": said,
            "page errors": self.page_errors,
        }
        wrong = [f"{what}: {one}" for what, several in found.items() for one in several]
        assert not wrong, f"{self.page.url[:200]}\n" + "\n".join(f"- {line}" for line in wrong)

    # ---- how it looks ----

    def resize(self, width: int, height: int = 900) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def look(self, width: int, *, dark: bool = False) -> None:
        """The same page, as it is on another screen; much quicker than to open it again."""
        self.resize(
            width, 900 if width <= ORDINARY_WIDTH else 200
        )  # of a wide screen nothing but the width matters
        self.page.emulate_media(color_scheme="dark" if dark else "light")

    def too_wide(self) -> list[str]:
        """What sticks out to the right, when the page as a whole can be scrolled sideways; else nothing."""
        found: list[str] = self.page.evaluate(_TOO_WIDE)
        return found


_TOO_WIDE = """() => {
  const root = document.scrollingElement, width = root.clientWidth;
  if (root.scrollWidth <= width) return [];
  const reach = each => Math.max(each.getBoundingClientRect().right,
    each.clientWidth && getComputedStyle(each).overflowX === 'visible'
      ? each.getBoundingClientRect().left + each.scrollWidth : 0) + scrollX;
  const name = each => each.tagName.toLowerCase() + (each.getAttribute('class') ? `.${each.getAttribute('class')}` : '');
  return [...document.querySelectorAll('body *')].filter(each => reach(each) > width + 1)
    .map(each => `${name(each)} reaches ${Math.round(reach(each))} of ${width}`).slice(0, 8)
    .concat(`the page is ${root.scrollWidth} wide`);
}"""


def _origin(url: str, *, socket: bool = False) -> str:
    parts = urlsplit(url)
    if parts.scheme == "file":
        return parts._replace(fragment="", query="").geturl()
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme) if socket else parts.scheme
    return f"{scheme}://{parts.netloc}"


def _rules(port: int) -> str:
    nowhere = [f"MAP {host} ~NOTFOUND" for host in _BROWSERS_OWN]
    return ", ".join([*nowhere, f"MAP * 127.0.0.1:{port}", *(f"EXCLUDE {host}" for host in _OURS)])


def press(page: Page, key: str) -> None:
    """Once the page's scripts listen: its text is there to be seen a moment before."""
    page.wait_for_load_state("domcontentloaded")
    page.keyboard.press(key)


class Chromium:
    """The browser of one test process. Playwright's event loop stays in this thread; `aside` hides it from the tests."""

    def __init__(self, program: str) -> None:
        self.catcher = Catcher()
        self._playwright = sync_playwright().start()
        expect.set_options(timeout=_PATIENCE_MS)
        self.browser: Browser = self._playwright.chromium.launch(
            executable_path=program,
            headless=True,
            chromium_sandbox=False,  # it cannot be had as root, nor in most containers
            args=[
                f"--host-resolver-rules={_rules(self.catcher.port)}",
                "--no-proxy-server",
                "--disable-component-update",
                "--hide-scrollbars",
                "--font-render-hinting=none",
                *_CHEAP,
            ],
        )
        self._loop = asyncio._get_running_loop()
        self.step_aside()

    def step_aside(self) -> None:
        """Between Playwright's calls its loop counts as running, and `asyncio.run` would refuse to work beside it."""
        asyncio._set_running_loop(None)

    def step_in(self) -> None:
        asyncio._set_running_loop(self._loop)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """For `asyncio.run` in a test that has a tab open."""
        self.step_aside()
        try:
            yield
        finally:
            self.step_in()

    def open_tab(
        self, *, width: int = 1280, height: int = 900, dark: bool = False, **context_options: Any
    ) -> Tab:
        """`context_options` are those of Playwright's `new_context`."""
        self.step_in()
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            locale="en-GB",
            timezone_id="UTC",
            **context_options,
        )
        context.set_default_timeout(_PATIENCE_MS)
        context.add_init_script(_REMEMBER_GLOBALS)
        page = context.new_page()
        tab = Tab(
            page=page,
            catcher=self.catcher,
            _caught_before=len(self.catcher.seen),
        )
        _listen(context, page, tab)
        return tab

    def close(self) -> None:
        self.step_in()
        self.browser.close()
        self._playwright.stop()
        self.step_aside()
        self.catcher.close()


def _listen(context: BrowserContext, page: Page, tab: Tab) -> None:
    context.on(
        "request",
        lambda asked: tab.requests.append(
            Asked(method=asked.method, url=asked.url, kind=asked.resource_type)
        ),
    )
    context.on("page", lambda popup: tab.popups.append(popup.url))

    def note(message: Any) -> None:
        if message.type in {"error", "warning"}:
            tab.console.append(f"{message.type}: {message.text}")

    def dismiss(dialog: Any) -> None:
        tab.dialogs.append(dialog.message)
        dialog.dismiss()

    context.on("console", note)
    context.on("weberror", lambda problem: tab.page_errors.append(str(problem.error)))
    context.on("dialog", dismiss)
    page.on("download", lambda download: tab.downloads.append(download.url))
    page.on("websocket", lambda opened: tab.web_sockets.append(opened.url))
