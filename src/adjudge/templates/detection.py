"""Prompt text -> the dialect it is written in, by rules that look at its placeholders.

In this order:

1. Statements decide: `{% if … %}` and `{# … #}` are Jinja's; `{{ if … }}`, `{{ endif }}`, `{{ for x in xs }}` and
   JavaScript operators inside `{{ }}` are PromptL's, unless there is what only Handlebars has: `{{#if x}}`, `{{#each xs}}`,
   `{{this}}`, `{{@index}}`, `{{../x}}`, `{{~`, `{{!-- --}}`, `{{role "system"}}`; blocks and calls
   that are given `.Name` or `$x`, and `{{.Name}}` where no tag is another dialect's, are Go's.
2. Expressions decide: filters, `is defined`, `… if … else …` and calls inside `{{ }}` are Jinja's; then sums and
   indexes are PromptL's.
3. Message tags that hold the whole text (nothing but white space outside of them) are PromptL's. Tags around a part
   of it are the prompt's own boundaries.
4. Else placeholders are weighed: each distinct name counts for mustache, Python, printf or shell as it is written.
   A name that prompts give to what is judged (`question`, `answer`) weighs most, one for what the judge is asked to
   say (`score`, `reason`) little, a single letter least. A Python field inside a JSON shape counts little beside
   `{{x}}`, and printf and shell count little inside code. The heaviest wins; equals go in the order of this list.
   Where mustache wins and Handlebars' own syntax is there, it is Handlebars.

5. Where nothing weighs anything: `custom` where names in brackets, angles or dollars stand in for values, as
   `adjudge.templates.custom` describes, else `none`, which leaves the text as it is. Several words in braces
   (`{the answer of the student}`) are blanks of the reply, and so are a few single words beside many of them, and
   `{score}` or `{reason}` where no other name is there.
"""

import re
from collections.abc import Iterable, Iterator

from adjudge.expressions.syntax import Name
from adjudge.fields import canonical_field, strip_namespace
from adjudge.patterns import lazy_pattern
from adjudge.records import Dialect
from adjudge.templates.custom import find_marks, is_wrapped
from adjudge.templates.mustache import PATH, WORDS
from adjudge.templates.printf import parse as parse_printf
from adjudge.templates.python import LATEX, pieces, places
from adjudge.templates.shell import parse as parse_shell
from adjudge.templates.syntax import Formatted, Node, Output, dotted, input_name

JINJA_STATEMENT = lazy_pattern(
    r"\{%[-+]?\s*(?:if|elif|else|endif|for|endfor|set|endset|macro|endmacro|block|raw|with|call|filter|include|import"
    r"|from|extends)\b[^%]{0,500}%\}"
)
JINJA_COMMENT = lazy_pattern(r"(?<!\{)\{#(?!\d)[^{}]{0,2000}?#\}")
PROMPTL_STATEMENT = lazy_pattern(
    r"\{\{\s*(?:if\s+[^{}]{1,300}|else\s+if\s+[^{}]{1,300}|elseif\s+[^{}]{1,300}|endif"
    r"|for\s+\w+\s*(?:,\s*\w+\s*)?in\s+[^{}]{1,300}|endfor)\s*\}\}"
)
HANDLEBARS = lazy_pattern(
    r"""
    \{\{ \{?~?\s{0,20} (?:
        [\#/]\s{0,20} (?:if|each|unless|with|ifEquals|unlessEquals)\b
      | \#\s{0,20} [\w.\-]{1,100} \s{1,20} [\w.@"'(]       # a block with a value
      | this (?:[./][\w\[][^{}]{0,100})? \s{0,20} ~?\}
      | @\w | \.\.?/ | [\w.]{1,100}\.\[
      | (?:role|lookup|json|log) \s{1,20} [\w.@"'(][^{}|?]{0,200} \}\}
      | media\s{1,20}url=
    )
    | \{\{~ | [\w"')\]]\s{0,20}~\}\} | \{\{!--
    """,
    re.VERBOSE,
)
OTHERWISE = lazy_pattern(r"\{\{\s{0,20}(?:else\s{0,20}|\^\s{0,20})\}\}")
SECTION = lazy_pattern(r"\{\{\s{0,20}[#^]")
TAG = lazy_pattern(r"\{\{(?!\{)([^{}]{1,400})\}\}")
STRINGS = lazy_pattern(r"\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'")
PROMPTL_EXPRESSION = lazy_pattern(
    r"\w\?\.[\w\[]|\?\?|&&|\|\||[=!]==|^\s*![\w(]|\w\s*\?\s[^:]*:|^\s*\w+\s*=[^=]"
)
ARITHMETIC = lazy_pattern(
    r"[\w)\]]\s*+[*/%+]\s*+[\d(]|\d\s*+[*/%+]\s*+\w|[\w)\]]\s++[-+*%]\s++[\w(]|\A\s*+[^\W\d][\w.]*+\["
)
"""Sums and indexes: Jinja has them too, but divides otherwise; `{{pass/fail}}` is a name."""
JINJA_EXPRESSION = lazy_pattern(
    r"[\w)\]\"']\s*\|\s*[a-z]\w*|\bis\s+(?:not\s+)?(?:defined|undefined|none|string|number|mapping|iterable)\b"
    r"|\sif\s.*\selse\s|\w\s+(?:or|and)\s+[\w\"']|^\s*not\s+\w|\s~\s|\w\(|^\s*-|-\s*$|^\s*loop\.\w"
)
GO_BLOCK = lazy_pattern(r"\A(?:-\s)?\s*+(?:(?:else\s++)?if|range|with)\s")
GO_CALL = lazy_pattern(r"\A(?:-\s)?\s*+(?:\(\s*+)*+[^\W\d]\w*+\s")
GO_ARGUMENT = lazy_pattern(r"[\s(](?:\.[^\W\d]|\$\w*+(?:[\s.)]|\Z)|\.(?:[\s)]|\Z))")
GO_FIELD = lazy_pattern(r"\A(?:-\s)?\s*+(?:\(\s*+)*+(?:\$?\.[^\W\d]|\$\w++\s*+:?=)")
GO_KEYWORD = lazy_pattern(r"\A(?:-\s)?\s*+(?:else|end)(?:\s|\Z)")
NOT_GO = lazy_pattern(r"\A\s*+(?:[#^/&!>\"'{]|[^\W\d][\w.\-]*+\s*+(?:\Z|:))")
MUSTACHE_TAG = lazy_pattern(
    rf"\{{\{{\{{\s*({PATH})\s*\}}\}}\}}|\{{\{{~?+\s*+[\#^&]?\s*+({WORDS}|{PATH})\s*~?\}}\}}"
)
MESSAGE = lazy_pattern(r"(?<!\s)\s*+<(system|user|assistant|developer)(?:\s[^<>\n]{0,200})?>")
CODE = lazy_pattern(r"^(```|~~~)[^\n]*\n.*?^\1", re.DOTALL | re.MULTILINE)
INLINE_CODE = lazy_pattern(r"`[^`\n]{1,200}`")
FORMULA = lazy_pattern(r"\$\$[^$]{1,2000}\$\$|\$(?=\S)[^$\n]{1,200}(?<=\S)\$(?![\w{])")

JUDGED = lazy_pattern(
    r"question|query|answer|response|input|output|reference|context|prompt|completion|document|passage|article|text"
    r"|criteria|rubric|conversation|transcript|dialog|message|history|summary|source|claim|statement|premise|hypothesis"
    r"|instruction|task|expected|ideal|truth|target|gold|candidate|generat|predict|assistant|user|tool|retriev|content"
    r"|topic|schema|code|solution|translation|focus|date|sample|item",
    re.IGNORECASE,
)
ASKED_FOR = lazy_pattern(
    r"score|rating|reason|verdict|label|grade|explanation|rationale|feedback|justif|analysis|result|value",
    re.IGNORECASE,
)

JUDGED_WEIGHT, PLAIN_WEIGHT, ASKED_FOR_WEIGHT, LETTER_WEIGHT = 4.0, 2.0, 0.5, 0.2
IN_CODE = 0.1
MIN_BLANKS = 3
REPLIED = lazy_pattern(
    r"\A(?:[a-z]{1,20}_)?(?:score|rating|reason|reasoning|verdict|grade|explanation|rationale|justification)\Z",
    re.IGNORECASE,
)
BLANK = lazy_pattern(r"(?<!\{)\{([A-Za-z]\w{0,30}(?: [\w'-]{1,30}){1,12})\}(?!\})")
NESTED = 0.05


def detect(text: str) -> Dialect:
    """The dialect of a prompt's body; `none` when it has no placeholder."""
    if JINJA_STATEMENT.search(text) or JINJA_COMMENT.search(text):
        return "jinja"
    expressions = [
        STRINGS.sub('""', tag[1])
        for tag in TAG.finditer(text)
        # not `\\boxed{{yes or no}}`, whose braces are escaped for Python
        if not LATEX.search(text, max(0, tag.start() - 80), tag.start())
    ]
    if _is_go(expressions):
        return "go"
    section = SECTION.search(text)
    handlebars = HANDLEBARS.search(text) or (section and OTHERWISE.search(text))
    if not handlebars:
        if PROMPTL_STATEMENT.search(text):
            return "promptl"
        if any(PROMPTL_EXPRESSION.search(tag) for tag in expressions if _is_expression(tag)):
            return "promptl"
        if any(JINJA_EXPRESSION.search(tag) for tag in expressions if _is_expression(tag)):
            return "jinja"
        if any(ARITHMETIC.search(tag) for tag in expressions if _is_expression(tag)):
            return "promptl"
    weights = _weights(text)
    best = max(weights, key=lambda dialect: weights[dialect])
    # max keeps the first of equals, and the first is mustache
    if best == "mustache" and handlebars:
        return "handlebars"
    if best == "mustache" and not section and _is_all_messages(text):
        return "promptl"
    if handlebars or (weights[best] > 0 and not _only_blanks(text, best)):
        return "custom" if best == "shell" and is_wrapped(text) else best
    return "custom" if find_marks(text) else "none"


def _only_blanks(text: str, best: Dialect) -> bool:
    """Whether what looks like Python's placeholders are blanks of the reply.

    So it is where most braces hold several words, or where each names what a judge is asked to say.
    """
    if best != "python":
        return False
    names = {piece.field["path"] for piece in pieces(text) if piece.field}
    if all(REPLIED.fullmatch(name) for name in names):
        return True
    blanks = set(BLANK.findall(text))
    return len(blanks) >= MIN_BLANKS and len(blanks) > 2 * len(names)


def _is_go(tags: list[str]) -> bool:
    """Do blocks and calls take Go's fields and variables, or fields stand where no tag is another dialect's?"""
    with_arguments = [tag for tag in tags if GO_ARGUMENT.search(tag)]
    if any(map(GO_BLOCK.match, with_arguments)):
        return True
    if not any(map(GO_FIELD.match, tags)) and not any(map(GO_CALL.match, with_arguments)):
        return False
    return not any(NOT_GO.match(tag) and not GO_KEYWORD.match(tag) and not _is_comment(tag) for tag in tags)


def _is_comment(tag: str) -> bool:
    return tag.startswith("/*")


def _is_expression(tag: str) -> bool:
    """Not the content of an escaped JSON object, which looks like `"score": …`."""
    return not re.match(r"\A\s*(?:\"\"|\w+)\s*:", tag) and "\n" not in tag.strip()


def _is_all_messages(text: str) -> bool:
    """Is the text one message tag after another, each on a line of its own or right after the last?"""
    position, end = 0, len(text.rstrip())
    while position < end:
        opened = MESSAGE.match(text, position)
        if opened is None:
            return False
        closed = text.find(f"</{opened[1]}>", opened.end())
        if closed < 0:
            return False
        position = closed + len(opened[1]) + 3
    return end > 0


def _weights(text: str) -> dict[Dialect, float]:
    mustache = [(match[1] or match[2], 1.0) for match in MUSTACHE_TAG.finditer(text)]
    named = places(text)
    fields = [
        (
            named.get(piece.field.start()) or re.split(r"[\[!:]", piece.field["path"], maxsplit=1)[0],
            NESTED if piece.depth and mustache else 1.0,
        )
        for piece in pieces(text)
        if piece.field and not text.startswith("$", piece.field.start() - 1)
    ]
    code = _mask(text, CODE, INLINE_CODE)
    return {
        "mustache": _weigh(mustache),
        "python": _weigh(fields),
        "printf": _weigh(_names(parse_printf(text), code)) if "%" in text else 0.0,
        "shell": _weigh(_names(parse_shell(text), code, _mask(text, FORMULA))) if "$" in text else 0.0,
    }


def _mask(text: str, *patterns: re.Pattern[str]) -> bytearray:
    """One byte per character: is it inside a match?"""
    mask = bytearray(len(text))
    for pattern in patterns:
        for match in pattern.finditer(text):
            mask[match.start() : match.end()] = b"\1" * len(match[0])
    return mask


def _names(
    nodes: Iterable[Node], code: bytearray, formulas: bytearray | None = None
) -> Iterator[tuple[str, float]]:
    for node in nodes:
        if isinstance(node, Output):
            value = node.expression.value if isinstance(node.expression, Formatted) else node.expression
            if isinstance(value, Name) and not (formulas and formulas[node.span[0]]):
                yield dotted(value.path), IN_CODE if code[node.span[0]] else 1.0


def _weigh(names: Iterable[tuple[str, float]]) -> float:
    heaviest: dict[str, float] = {}
    for written, factor in names:
        path = written.removeprefix(".").split(".")
        name = input_name(tuple(path))
        heaviest[name] = max(heaviest.get(name, 0.0), _weight(name) * factor)
    return sum(heaviest.values())


def _weight(name: str) -> float:
    bare = strip_namespace(name)
    if len(bare) == 1:
        return LETTER_WEIGHT
    if canonical_field(name) is not None or JUDGED.search(bare):
        return JUDGED_WEIGHT
    return ASKED_FOR_WEIGHT if ASKED_FOR.search(bare) else PLAIN_WEIGHT
