"""Text -> the same text as it reads once disguises are taken off: look-alike letters, hidden marks, escapes, encodings."""

import base64
import binascii
import html
import re
import unicodedata
from urllib.parse import unquote

HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Marks that do not show and are no format characters (Unicode category Cf)."""
LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТХҮаԁеһіјӏмոорсѕтցυԝхуνΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικορτχ⟦⟧【】",
    "ABESIJKMHOPCTXYadehijlmnopcstguwxyvABEZHIKMNOPTYXaeikoptx[][]",
)
"""Cyrillic, Armenian and Greek letters, and brackets, that are drawn like Latin ones."""
UNICODE_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
MAX_ENCODED = 200
"""Runs of base64 that are decoded in one text."""


def views(text: str) -> list[str]:
    """The text, the text without HTML escapes, and what it, and what is encoded in it, says without any disguise."""
    hidden = [_undisguise(each) for each in (text, _decode_base64(text), _spell_tags(text))]
    return [each for each in dict.fromkeys([text, _unescape_html(text), *hidden]) if each]


def _undisguise(text: str) -> str:
    return _spell_plainly(_unescape_unicode(_unquote_url(_unescape_html(text))))


def _unescape_html(text: str) -> str:
    return html.unescape(text) if "&" in text else text


def _unescape_unicode(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = int(match[1] or match[2] or match[3], 16)
        return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else match[0]

    return UNICODE_ESCAPE.sub(character, text) if "\\" in text else text


def _unquote_url(text: str) -> str:
    return unquote(text) if "%" in text else text


def _decode_base64(text: str) -> str:
    """Only what was encoded: the rest is in the text itself."""
    decoded = []
    for count, run in enumerate(BASE64.finditer(text)):
        if count == MAX_ENCODED:
            break
        coded = run[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            plain = base64.b64decode(coded + "=" * (-len(coded) % 4)).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if not CONTROL.search(plain):  # words that only look like base64 decode to these
            decoded.append(plain)
    return "\n".join(decoded)


def _spell_plainly(text: str) -> str:
    """Without marks that do not show, full-width and mathematical letters as plain ones, look-alikes as Latin."""
    if text.isascii():
        return text
    visible = "".join(each for each in HIDDEN.sub("", text) if unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFKC", visible).translate(LOOK_ALIKE)


def _spell_tags(text: str) -> str:
    """What tag characters, which do not show, spell out in ASCII."""
    if text.isascii():
        return ""
    return "".join(chr(ord(each) - 0xE0000) for each in text if "\U000e0009" <= each <= "\U000e007e")
