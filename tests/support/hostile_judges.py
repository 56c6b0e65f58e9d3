"""Judge files that want all the time or memory there is, and a process that opens them within limits.

Run as a program it does for each file what `show`, `lint` and `show --case` do, and prints one line of JSON per file;
`hostile_judges.py 1/4` takes every fourth file, from the second on.
"""

import json
import resource
import signal
import sys
import time
from collections.abc import Mapping
from itertools import islice
from types import FrameType

from adjudge.errors import InputError
from adjudge.judges import describe_judge, parse_judge
from adjudge.judges.lint import lint_judge
from adjudge.prompts.render import render_prompt
from adjudge.records import Json

MEMORY_BYTES = 2_000_000_000
CPU_SECONDS = 8
"""For one file: far above what the bounds allow, far below what the files ask for."""
VALUES: Mapping[str, Json] = {"x": "word " * 2_000, "xs": ["a", "b", "c"] * 50, "n": 7, "d": {"a": [1, 2]}}

RATING = 'Rate {{ x }} from 1 to 5. Reply with JSON: {"score": 1-5}\n'


def _looped(body: str, turns: int = 90_000) -> str:
    return f"{{% for i in range({turns}) %}}{body}{{% endfor %}}"


def _grown(first: str, step: str, use: str = "{{ ns.v | length }}", turns: int = 60) -> str:
    """A name whose value grows in every turn of a loop."""
    return f"{{% set ns = namespace(v={first}) %}}" + _looped(f"{{% set ns.v = {step} %}}", turns) + use


def _chain(first: str, step: str, use: str, count: int = 60) -> str:
    """The same without a loop: `step` reads `a` and `b` is the next one."""
    sets = "".join(f"{{% set a{n + 1} = {step.replace('@', f'a{n}')} %}}" for n in range(count))
    return f"{{% set a0 = {first} %}}{sets}{use.replace('@', f'a{count}')}"


LONG_TEXT = "{% set s = 'a' * 5000000 %}"
LONG_LIST = "{% set s = ['a'] * 400000 %}"

JINJA = {
    # calls
    "blocks call each other": "{% block a %}{{ self.b() }}{% endblock %}{% block b %}{{ self.a() }}{% endblock %}",
    "a block calls itself": "{% block a %}{{ self.a() }}{{ self.a() }}{% endblock %}",
    "blocks double": "".join(
        f"{{% block b{n} %}}{{{{ self.b{n + 1}() }}}}{{{{ self.b{n + 1}() }}}}{{% endblock %}}"
        for n in range(40)
    )
    + "{% block b40 %}x{% endblock %}",
    "blocks that write nothing double": "".join(
        f"{{% block b{n} %}}{{% if self.b{n + 1}() ~ self.b{n + 1}() %}}{{% endif %}}{{% endblock %}}"
        for n in range(40)
    )
    + "{% block b40 %}{% endblock %}",
    "blocks inside blocks": "".join(f"{{% block b{n} %}}" for n in range(300)) + "x" + "{% endblock %}" * 300,
    "macros double": "".join(
        f"{{% macro m{n}() %}}{{{{ m{n + 1}() }}}}{{{{ m{n + 1}() }}}}{{% endmacro %}}" for n in range(40)
    )
    + "{% macro m40() %}x{% endmacro %}{{ m0() }}",
    "recursive loop": "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "recursive loop that doubles": "{% for i in [1, 2] recursive %}{{ loop([1, 2]) if loop.depth < 60 }}{% endfor %}",
    "recursive macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "recursive macro that doubles": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "call blocks": "{% macro m() %}{{ caller() }}{{ caller() }}{% endmacro %}"
    + "{% call m() %}" * 20
    + "x"
    + "{% endcall %}" * 20,
    # loops
    "nested loops": _looped(_looped("{{ x }}")),
    "loops that write nothing": _looped(_looped("")),
    "a loop with much literal text": _looped("a" * 10_000),
    "a loop with a filter on it": "{% for i in range(90000) if i > 90001 or x | upper | lower | upper %}{% endfor %}",
    "a loop over a product of lists": "{% for i in ([1] * 3000) %}{% for j in ([1] * 3000) %}{% endfor %}{% endfor %}",
    "changed values in a loop": "{% for i in range(90000) %}{{ loop.changed(x ~ i) }}{% endfor %}",
    "a cycle of long texts": LONG_TEXT + _looped("{{ loop.cycle(s, s) }}"),
    "ranges in a loop": _looped("{% set y = range(100000) | list %}"),
    # texts and lists that double
    "lists in lists": _grown("['a']", "[ns.v, ns.v]", "{{ ns.v }}"),
    "tuples in tuples": _grown("('a',)", "(ns.v, ns.v)", "{{ ns.v }}"),
    "dicts in dicts": _grown("['a']", "{'a': ns.v, 'b': ns.v}", "{{ ns.v | tojson }}"),
    "dict() in dict()": _grown("['a']", "dict(a=ns.v, b=ns.v)", "{{ ns.v | tojson }}"),
    "dict() of pairs": _grown("['a']", "dict([['a', ns.v], ['b', ns.v]])", "{{ ns.v }}"),
    "namespaces in namespaces": _grown("['a']", "[namespace(v=ns.v).v, namespace(v=ns.v).v]", "{{ ns.v }}"),
    "batches of batches": _grown("['a', 'b']", "[ns.v, ns.v] | batch(1) | list", "{{ ns.v }}"),
    "groups of groups": _grown("['a', 'b']", "[ns.v, ns.v] | groupby(0) | list", "{{ ns.v }}"),
    "zipped items": _grown("['a', 'b']", "{'a': ns.v, 'b': ns.v} | items | list", "{{ ns.v }}"),
    "sorted items": _grown("['a', 'b']", "{'a': ns.v, 'b': ns.v} | dictsort", "{{ ns.v }}"),
    "method items": _grown("['a', 'b']", "{'a': ns.v, 'b': ns.v}.items() | list", "{{ ns.v }}"),
    "doubled by macro arguments": "{% macro m(a, n) %}{% if n %}{{ m([a, a], n - 1) }}{% else %}{{ a }}{% endif %}{% endmacro %}{{ m([1], 60) }}",
    "doubled in varargs": "{% macro m(n) %}{% if n %}{{ m(n - 1, varargs, varargs) }}{% else %}{{ varargs }}{% endif %}{% endmacro %}{{ m(60, 1, 1) }}",
    "doubled in keyword arguments": "{% macro m(n) %}{% if n %}{{ m(n - 1, a=kwargs, b=kwargs) }}{% else %}{{ kwargs }}{% endif %}{% endmacro %}{{ m(60, a=1) }}",
    "doubled with `with`": "{% with a0 = [1, 1] %}"
    + "".join(f"{{% with a{n + 1} = [a{n}, a{n}] %}}" for n in range(60))
    + "{{ a60 }}"
    + "{% endwith %}" * 61,
    "doubled by chained sets": _chain("[1]", "[@, @]", "{{ @ }}"),
    "doubled by chained sets, compared": _chain("[1]", "[@, [@, 1][0]]", "{{ @ == a59 }}")
    + "{% set b0 = [1] %}"
    + "".join(f"{{% set b{n + 1} = [b{n}, b{n}] %}}" for n in range(60))
    + "{{ a60 == b60 }}{{ a60 < b60 }}{{ b60 in [a60] }}",
    "lists in lists, sorted": _grown("['a']", "[ns.v, ns.v]", "{{ [ns.v, ns.v] | sort }}", 16),
    "lists in lists, unique": _grown("('a',)", "(ns.v, ns.v)", "{{ [ns.v, ns.v] | unique | list }}", 16),
    "lists in lists, as keys": _grown("('a',)", "(ns.v, ns.v)", "{{ {ns.v: 1} }}", 16),
    "lists in lists, printed": _grown("['a']", "[ns.v, ns.v]", "{{ ns.v | pprint }}", 16),
    "lists in lists, joined": _grown("['a']", "[ns.v, ns.v]", "{{ ns.v | join }}{{ 'a' ~ ns.v }}", 16),
    "lists in lists, formatted": _grown("['a']", "[ns.v, ns.v]", "{{ '%s' | format(ns.v) }}", 16),
    "lists in lists, formatted by name": _grown(
        "['a']", "[ns.v, ns.v]", "{{ '%(a)s' | format(a=ns.v) }}", 16
    ),
    "lists in lists, formatted by sign": _grown(
        "['a']", "[ns.v, ns.v]", "{{ '%s' % ns.v }}{{ '%(a)s' % {'a': ns.v} }}", 16
    ),
    "lists in lists, searched": _grown(
        "['a']", "[ns.v, ns.v]", "{{ ns.v.index('b') }}{{ ns.v.count('b') }}", 16
    ),
    "lists in lists, as text": _grown(
        "['a']", "[ns.v, ns.v]", "{{ ns.v | string | length }}{{ ns.v | upper }}{{ ns.v | trim }}", 16
    ),
    "lists in a list, counted": _grown(
        "['a']", "[ns.v, ns.v]", "{{ ns.v | wordcount }}{{ ns.v | urlencode }}{{ ns.v | title }}", 16
    ),
    "deep lists": _grown("[1]", "[ns.v]", "{{ ns.v }}", 50_000),
    "deep lists as JSON": _grown("[1]", "[ns.v]", "{{ ns.v | tojson(16) }}", 900),
    "deep lists, compared": _grown("[1]", "[ns.v]", "{{ ns.v == [ns.v] }}", 50_000),
    "doubling by tilde": _grown("'ab'", "ns.v ~ ns.v"),
    "doubling by plus": _grown("'ab'", "ns.v + ns.v"),
    "doubling by times": _grown("'ab'", "ns.v * 2"),
    "doubling by replace": _grown("'ab'", "ns.v | replace('a', 'aa')"),
    "doubling by a method": _grown("'ab'", "ns.v.replace('a', 'aa')"),
    "doubling by join": _grown("'ab'", "[ns.v, ns.v] | join"),
    "doubling by the join method": _grown("'ab'", "''.join([ns.v, ns.v])"),
    "doubling by format": _grown("'ab'", "'%s%s' | format(ns.v, ns.v)"),
    "doubling by the format sign": _grown("'ab'", "'%s%s' % (ns.v, ns.v)"),
    "doubling by a set block": "{% set a0 = 'ab' %}"
    + "".join(f"{{% set a{n + 1} %}}{{{{ a{n} }}}}{{{{ a{n} }}}}{{% endset %}}" for n in range(60)),
    "doubling lists": _grown("['a']", "ns.v + ns.v"),
    "doubling lists by times": _grown("['a']", "ns.v * 2"),
    "doubling by map": _grown("['ab']", "[ns.v | join, ns.v | join] | map('upper') | list"),
    "doubling by string": _grown("['\\\\']", "[ns.v | string]", turns=60),
    "doubling by JSON": _grown("'\\\\'", "ns.v | tojson", turns=60),
    "doubling by pprint": _grown("'\\\\'", "ns.v | pprint", turns=60),
    "doubling by urlencode": _grown("'%%'", "ns.v | urlencode", turns=60),
    "doubling by escape": _grown("'&'", "ns.v | e | replace('&', '&amp;')", turns=60),
    "filter blocks": "{% filter upper %}" * 100 + "{{ 'a' * 9000000 }}" + "{% endfilter %}" * 100,
    # one operation on something long, many times
    "slices": LONG_TEXT + _looped("{% set t = s[1:] %}"),
    "slices in a condition": LONG_TEXT + _looped("{% if s[1:] %}{% endif %}"),
    "reversing slices": LONG_LIST + _looped("{% set t = s[::-1] %}"),
    "slices of a range": _looped("{% if range(100000)[::1] | list %}{% endif %}"),
    "compared texts": LONG_TEXT + "{% set t = s ~ '' %}" + _looped("{% if s == t %}{% endif %}"),
    "compared lists": LONG_LIST
    + "{% set t = s + [] %}"
    + _looped("{% if s == t %}{% endif %}{% if s < t %}{% endif %}"),
    "substring tests": LONG_TEXT + _looped("{% if 'ab' in s %}{% endif %}"),
    "substring tests by name": LONG_TEXT
    + _looped("{% if 'ab' is in s %}{% endif %}{% if s is upper %}{% endif %}"),
    "list membership": LONG_LIST + _looped("{% if 'b' in s %}{% endif %}"),
    "range membership": _looped("{% if 'b' in range(100000) %}{% endif %}"),
    "negative numbers of strings": LONG_TEXT
    + _looped("{% if s | int(0) %}{% endif %}{% if s | float %}{% endif %}"),
    "first of long lists": LONG_LIST + _looped("{% if s | first == s | last %}{% endif %}"),
    "unpacked": LONG_LIST + "{% macro m() %}{% endmacro %}" + _looped("{{ m(*s) }}"),
    "unpacked into a cycle": LONG_LIST + _looped("{{ cycler(*s).next() }}"),
    "counted by a method": LONG_TEXT + _looped("{{ s.count('b') }}"),
    "split by a method": LONG_TEXT + _looped("{% set t = s.split('a') %}"),
    "upper by a method": LONG_TEXT + _looped("{% set t = s.upper() %}"),
    "a method kept in a name": LONG_TEXT + "{% set f = s.upper %}" + _looped("{% set t = f() %}"),
    "a quadratic find": "{% set s = 'a' * 4000000 %}{% set t = 'a' * 2000000 ~ 'b' %}"
    + _looped("{{ s.find(t) }}{{ t in s }}", 100),
    "tested for members": LONG_LIST + _looped("{{ s | select('in', s) | first }}"),
    "selected attributes": LONG_LIST + _looped("{{ s | selectattr('a') | list | length }}"),
    "rejected by equality": "{% set s = [['a'] * 3000] * 300 %}"
    + _looped("{{ s | reject('eq', s[0]) | list | length }}"),
    "unique lists": "{{ range(100000) | unique | unique | unique | list | length }}",
    "chained maps": "{{ range(100000)" + " | map('string')" * 400 + " | list | length }}",
    "chained maps, short": "{{ xs" + " | map('trim')" * 2_000 + " | list | length }}",
    "maps with a filter that grows": "{{ ['a' * 10000] * 10000 | map('indent', 999) | list | length }}",
    "maps that replace": "{{ (['a' * 1000] * 1000) | map('replace', 'a', 'b' * 10000) | list | length }}",
    "sum of lists": "{{ (range(100000) | batch(1) | list) | sum(start=[]) | length }}",
    "sum of texts": "{{ (['ab'] * 100000) | sum(start='') | length }}",
    "sum of attributes": "{{ ([[range(1000) | list]] * 1000) | sum(0, []) | length }}",
    "sorted many times": "{% set s = range(99999) | list %}"
    + _looped("{{ s | sort(reverse=true) | first }}"),
    "least of lists": LONG_LIST + _looped("{{ s | min }}{{ s | max }}"),
    # widths
    "format widths": "{{ ('%999d' * 20000) | format(*range(20000)) }}",
    "format by percent": "{{ ('%(a)999s' * 20000) % {'a': 1} }}",
    "format with a star": "{{ '%*d' % (999999999, 1) }}{{ '%.*f' % (999999999, 1) }}",
    "format with a long precision": "{{ '%.999999999f' % 1.5 }}",
    "format method": "{{ '{:>999999999}'.format(1) }}",
    "indent first line": "{{ 'a' | indent(999999999, true) }}",
    "indent lines": "{{ ('a\\n' * 10000) | indent(100000) }}",
    "indent by a text": "{{ ('a\\n' * 10000) | indent('b' * 100000, true, true) }}",
    "indent blank lines": "{{ ('\\n' * 10000) | indent(100000, blank=true) }}",
    "indent with a float": "{{ 'a' | indent(1e9) }}",
    "center": "{{ 'a' | center(999999999) }}",
    "center by keyword": "{{ 'a' | center(width=999999999) }}",
    "batches": "{{ [1] | batch(999999999, 1) | list }}{{ [1] | slice(999999999, 1) | list }}",
    "truncated to much": "{{ 'a' | truncate(5, false, 'b' * 9000000) }}" * 20,
    "wordwrap": "{{ x | wordwrap(1) | wordwrap(1) | wordwrap(1) }}",
    "wordwrap with a long wrap": "{{ ('a ' * 50000) | wordwrap(1, wrapstring='b' * 100000) }}",
    "rounded to many places": "{{ 1.5 | round(999999999) }}{{ 1.5 | round(-999999999) }}{{ 12 | round(-99999999, 'ceil') }}",
    "file sizes": "{{ (10 ** 1200) | filesizeformat }}",
    "justified by a method": "{{ 'a'.ljust(999999999) }}{{ 'a'.zfill(999999999) }}{{ 'a'.center(999999999) }}",
    "tabs by a method": "{{ ('\\t' * 100000).expandtabs(100000) }}",
    "translated by a method": "{{ ('a' * 100000).translate({97: 'b' * 100000}) }}",
    "replace with more": "{{ ('a' * 1000000) | replace('a', 'b' * 1000) }}",
    "replace nothing": "{{ ('a' * 1000000) | replace('', 'b' * 1000) }}",
    "join with more": "{{ (['a'] * 100000) | join('b' * 100000) }}",
    "striptags": "{{ ('<!--' * 400000) | striptags }}{{ ('<' * 400000) | striptags }}",
    "striptags of comments": "{{ ('<!---->' * 400000) | striptags }}",
    # numbers
    "powers": "{{ 9 ** 9 ** 9 }}",
    "powers in a loop": _grown("2", "ns.v ** 2", "{{ ns.v }}"),
    "powers of fractions": "{{ 1.5 ** 99999 }}{{ 2 ** -99999 }}{{ (-8) ** 0.5 }}",
    "products": _grown("3", "ns.v * ns.v", "{{ ns.v }}", 90),
    "sums": _grown("3", "ns.v + ns.v", "{{ ns.v }}", 90_000),
    "huge integer": "{{ " + "9" * 200_000 + " }}",
    "huge integer in hexadecimal": "{{ 0x" + "f" * 200_000 + " }}",
    "huge integer with underscores": "{{ 1" + "_000" * 60_000 + " }}",
    "huge integer as a key": "{{ xs[" + "9" * 200_000 + "] }}",
    "integer from text": "{{ ('9' * 4000) | int * ('9' * 4000) | int }}",
    "integer from a long text": "{{ ('9' * 1000000) | int }}{{ ('f' * 1000000) | int(0, 16) }}",
    "integer from a long text, looped": "{% set s = 'f' * 1000000 %}"
    + _looped("{% if s | int(0, 16) %}{% endif %}"),
    "integer in a width": "{{ '%d' % (10 ** 1200) }}",
    "float beyond all": "{{ 1e999 }} {{ 1e308 * 10 }} {{ (1e308 * 10) | int }}{{ (1e308 * 10) | round }}",
    "long division": _looped("{% set q = (7 ** 1000) // 3 %}"),
    # size of the text
    "deep parentheses": "{{ " + "(" * 5_000 + "x" + ")" * 5_000 + " }}",
    "deep lists in the text": "{{ " + "[" * 5_000 + "x" + "]" * 5_000 + " }}",
    "deep blocks": "{% if x %}" * 3_000 + "a" + "{% endif %}" * 3_000,
    "deep loops": "{% for i in xs %}" * 60 + "a" + "{% endfor %}" * 60,
    "long chain of members": "{{ x" + ".y" * 200_000 + " }}",
    "long chain of keys": "{{ x" + "['y']" * 100_000 + " }}",
    "long chain of calls": "{{ x" + ".strip()" * 50_000 + " }}",
    "many comparisons": "{{ x" + " == x" * 20_000 + " }}",
    "many sums": "{{ n" + " + n" * 20_000 + " }}",
    "many joins": "{{ x" + " ~ x" * 10_000 + " }}",
    "many alternatives": "{{ x" + " or x" * 20_000 + " }}",
    "many filters": "{{ x" + " | upper" * 20_000 + " }}",
    "many negations": "{{ " + "not " * 20_000 + "x }}",
    "many signs": "{{ " + "- " * 20_000 + "n }}",
    "many conditions": "{% if x %}a{% endif %}" * 2_000,
    "many branches": "{% if x %}a" + "{% elif x %}b" * 3_500 + "{% endif %}",
    "many outputs": "{{ x }}" * 7_000,
    "many names": "".join(f"{{{{ y{n} }}}}" for n in range(20_000)),
    "many sets": "".join(f"{{% set y{n} = x %}}" for n in range(2_000)),
    "many blocks": "".join(f"{{% block y{n} %}}a{{% endblock %}}" for n in range(5_000)),
    "many macros": "".join(f"{{% macro y{n}() %}}a{{% endmacro %}}" for n in range(5_000)),
    "many arguments": "{{ range(" + "1, " * 10_000 + "1) }}",
    "many open tags": "{{ " * 100_000,
    "many open comments": "{#" * 200_000,
    "many open blocks": "{% " * 100_000,
    "a long name": "{{ " + "y" * 500_000 + " }}",
    "a long string": "{{ '" + "y" * 500_000 + "' }}",
}
MUSTACHE = {
    "a path of 200,000 parts": "Rate {{ x" + ".y" * 200_000 + " }} from 1 to 5.",
    "a fenced path of 200,000 parts": "Rate {{ fenced.x" + ".y" * 200_000 + " }} from 1 to 5.",
    "many paths of 1,000 parts": ("Rate {{ x" + ".y" * 1_000 + " }}\n") * 200,
    "a name of 500,000 letters": "Rate {{ " + "y" * 100_000 + " }} from 1 to 5.",
    "nested sections": "{{#xs}}" * 30 + "x" + "{{/xs}}" * 30,
    "nested sections that write nothing": "{{#xs}}" * 30 + "{{/xs}}" * 30,
    "sections that nest too deep": "{{#xs}}" * 50_000 + "x" + "{{/xs}}" * 50_000,
    "unclosed tags": "{{" * 50_000,
    "unclosed names": "{{ x " * 50_000,
    "unclosed sections": "{{#x}}" * 50_000,
    "many sections": "{{#xs}}a{{/xs}}" * 8_000,
    "many names": "".join(f"{{{{ y{n} }}}}\n" for n in range(10_000)),
    "many comments": "{{! a }}" * 50_000 + "{{!--" * 50_000,
    "many outputs of a long value": "{{x}}" * 10_000,
    "outputs in a loop": "{{#xs}}{{#xs}}{{#xs}}{{x}}{{/xs}}{{/xs}}{{/xs}}",
}
OTHERS = {
    "python: a path of 200,000 parts": "Rate {x" + ".y" * 200_000 + "} from 1 to 5.",
    "python: a path of 100,000 keys": "Rate {x" + "[y]" * 100_000 + "} from 1 to 5.",
    "python: width": "Rate {x:>999999999} from 1 to 5.",
    "python: width of three digits": "Rate {x:>999} from 1 to 5." * 2_500,
    "python: precision": "Rate {n:.999999999f} from 1 to 5.",
    "python: nested width": "Rate {x:{n}} from 1 to 5.",
    "python: many braces": "{" * 50_000 + "}" * 50_000,
    "python: many fields": "".join(f"{{y{n}}}\n" for n in range(10_000)),
    "printf: width": "Rate this answer: %999999999s\nFrom 1 to 5.",
    "printf: many widths": "Rate this answer: %999s\n" * 2_500,
    "printf: precision": "Rate this answer: %.999999999f\nFrom 1 to 5.",
    "printf: star": "Rate this answer: %*s\nFrom 1 to 5.",
    "printf: many conversions": "Rate this: %s\n" * 2_500,
    "printf: a path": "Rate %(x" + ".y" * 100_000 + ")s from 1 to 5.",
    "shell: a path of 200,000 parts": "Rate ${x" + ".y" * 200_000 + "} from 1 to 5.",
    "shell: many names": "".join(f"$y{n}\n" for n in range(10_000)),
    "shell: dollars": "$" * 100_001 + "x",
}
CHAT = {
    "a list nested 10,000 deep": "[" * 10_000 + "]" * 10_000,
    "objects nested 10,000 deep": '{"prompt":' * 10_000 + "1" + "}" * 10_000,
    "parts nested 10,000 deep": '[{"role": "user", "content": ' + "[" * 10_000 + "]" * 10_000 + "}]",
    "50,000 messages": json.dumps([{"role": "user", "content": "Rate {{x}} from 1 to 5."}] * 50_000),
    "many lines of JSON": '{"prompt": "Rate {{x}} from 1 to 5."}\n' * 25_000,
    "a line of 150 kB": json.dumps({"prompt": "Rate {{x}} from 1 to 5. " + "a " * 75_000}),
    "YAML that doubles": "- role: user\n  content: &a [x]\n"
    + "".join(f"- &b{n} [*a, *a]\n" for n in range(60)),
    "YAML nested deep": "- role: user\n  content: " + "[" * 5_000,
    "much YAML": "- role: user\n  content: Rate {{x}} from 1 to 5.\n" * 2_500,
    "much of what looks like YAML": "prompt:\n" + "a: b\n" * 10_000,
    "many role lines": "system:\nRate {{x}} from 1 to 5.\n\nuser:\n\n" * 20_000,
    "LangChain's nodes nested deep": '{"lc": 1, "kwargs": {"first": ' * 900 + "1" + "}}" * 900,
    "JSON in JSON": json.dumps({"template": json.dumps([{"role": "user", "content": "[" * 90_000}])}),
}
CUSTOM = {
    "many marks": "Answer: [ANSWER]\n" * 1_500 + "From 1 to 5.",
    "many names": "".join(f"Answer: <answer{n}>\n\n" for n in range(10_000)),
    "marks in dollars": "{$x}" * 10_000,
    "a block of angles": "Task: <task>\n" + "<a> b\n" * 10_000,
    "unclosed": "[ANSWER" * 25_000 + "<" * 25_000,
    "announcements": "You are given a question and an answer in <x> tags. " * 2_500 + "Rate from 1 to 5.",
    "one long announcement": "You are given " + "a question, " * 25_000 + "rate from 1 to 5",
    "blanks in braces": "{a b c d e f g} " * 5_000,
}
HANDLEBARS = {
    "blocks nest": "{{#if x}}" * 5_000 + "{{/if}}" * 5_000,
    "loops nest": "".join(f"{{{{#each {'../' * n}xs}}}}" for n in range(30)) + "a" + "{{/each}}" * 30,
    "loops write": "{{#each xs}}{{#each ../xs}}{{#each ../../xs}}{{@root.x}}{{/each}}{{/each}}{{/each}}",
    "sections nest": "{{#xs}}{{#@root.xs}}{{#@root.xs}}{{#@root.xs}}a{{/@root.xs}}{{/@root.xs}}{{/@root.xs}}{{/xs}}",
    "members of members": "{{x" + ".a" * 50_000 + "}}",
    "a thousand steps up": "{{#each xs}}{{" + "../" * 1_000 + "x}}{{/each}}",
    "many else if": "{{#if x}}" + "{{else if x}}a" * 20_000 + "{{/if}}",
    "many else": "{{#if x}}" + "{{else}}" * 20_000 + "{{/if}}",
    "subexpressions nest": "{{lookup " + "(lookup d " * 20_000 + '"a"' + ")" * 20_000 + '"a"}}',
    "many values": "{{lookup " + "x " * 100_000 + "}}",
    "many options": "{{json x " + "a=1 " * 100_000 + "}}",
    "many local names": "{{#each xs as |" + " ".join(f"n{n}" for n in range(50_000)) + "|}}{{/each}}",
    "a long number": "{{lookup xs " + "9" * 100_000 + "}}",
    "a long string": '{{lookup d "' + "a" * 200_000 + '"}}',
    "a string never closed": '{{lookup d "' + "a\\" * 100_000,
    "many quotes": "{{lookup d " + "\"'" * 50_000,
    "a bracket never closed": "{{x.[" + "a" * 200_000,
    "many brackets": "{{x" + ".[" * 100_000,
    "a comment never closed": "{{!--" * 50_000,
    "many comments": "{{! a }}\n" * 50_000,
    "many escapes": "\\{{x}} " * 25_000,
    "many backslashes": "\\" * 100_000 + "{{x}}",
    "many white-space marks": "{{~x~}}" + " " * 100_000 + "{{~x~}}\n" * 10_000,
    "much white space": (" " * 50_000 + "{{#if x}}" + " " * 50_000 + "\n{{/if}}" + " " * 50_000) * 2,
    "many tags": "{{x}}" * 25_000,
    "many blocks": "{{#if x}}\n{{/if}}\n" * 10_000,
    "many inputs": " ".join(f"{{{{a{n}}}}}" for n in range(10_000)),
    "many roles": '{{role "user"}}a' * 25_000,
    "json indents": "{{#each xs}}{{#each ../xs}}{{json @root.d indent=1000000000}}{{/each}}{{/each}}",
    "json of all in a loop": "{{#each xs}}{{#each ../xs}}{{#each ../../xs}}{{json @root.x}}{{/each}}{{/each}}{{/each}}",
    "braces": "{" * 100_000,
    "closing braces": "{{x" + "}" * 100_000,
}
GO = {
    "nested ranges": "{{range $.xs}}" * 30 + "{{$.x}}" + "{{end}}" * 30,
    "nested ranges that write nothing": "{{range $.xs}}" * 30 + "{{end}}" * 30,
    "a range that writes much": "{{range $.xs}}{{range $.xs}}{{range $.xs}}{{$.x}}{{end}}{{end}}{{end}}",
    "deep blocks": "{{if .x}}" * 20_000 + "{{end}}" * 20_000,
    "deep withs": "{{with .x}}" * 20_000,
    "many branches": "{{if .n}}" + "{{else if .n}}" * 10_000 + "{{end}}",
    "many branches that declare": "{{if $a := .n}}" + "{{else if $a := .n}}" * 20_000 + "{{end}}",
    "deep parentheses": "{{" + "(" * 20_000 + ".x" + ")" * 20_000 + "}}",
    "a long pipeline": "{{.x" + " | print" * 20_000 + "}}",
    "a pipeline of sixty": "{{.x" + " | print" * 60 + "}}",
    "a long path": "{{.x" + ".y" * 100_000 + "}}",
    "texts that double": "{{$a := .x}}" + "{{$a = print $a $a}}" * 60 + "{{$a}}",
    "texts that double in declarations": "{{$a0 := .x}}"
    + "".join(f"{{{{$a{n + 1} := print $a{n} $a{n}}}}}" for n in range(60))
    + "{{$a60}}",
    "texts that double in conditions": "".join(
        f"{{{{if $a{n + 1} := print {f'$a{n} $a{n}' if n else '.x'}}}}}" for n in range(31)
    )
    + "{{$a31}}"
    + "{{end}}" * 31,
    "texts that double in a range": "{{$a := .x}}{{range .xs}}{{$a = print $a $a}}{{end}}{{$a}}",
    "texts that double by quoting": "{{$a := `\\`}}" + '{{$a = printf "%q" $a}}' * 60 + "{{$a}}",
    "texts that double by escaping": '{{$a := "&"}}' + "{{$a = html $a | urlquery}}" * 60 + "{{$a}}",
    "a wide printf": '{{printf "%999999999d" 1}}',
    "a precise printf": '{{printf "%.999999999f" 1.5}}',
    "a printf of the widest": '{{printf "' + "%1000d" * 10_000 + '" 1}}',
    "a printf of the widest in ranges": '{{range $.xs}}{{range $.xs}}{{range $.xs}}{{$a := printf "%1000d" 1}}{{end}}{{end}}{{end}}',
    "a printf with a star": '{{printf "%*d" 999999999 1}}',
    "a printf of a value": "{{printf .x .x}}",
    "a printf of many verbs": '{{printf "' + "%s" * 100_000 + '" .x}}',
    "a printf of one value many times": '{{printf "' + "%[1]s" * 100_000 + '" .x}}',
    "lengths in ranges": "{{range $.xs}}{{range $.xs}}{{range $.xs}}{{len $.x}}{{end}}{{end}}{{end}}",
    "slices in ranges": "{{range $.xs}}{{range $.xs}}{{range $.xs}}{{$a := slice $.x 1}}{{end}}{{end}}{{end}}",
    "comparisons in ranges": "{{range $.xs}}{{range $.xs}}{{range $.xs}}{{if eq $.x $.x}}{{end}}{{end}}{{end}}{{end}}",
    "all inputs in ranges": "{{.n}}{{range .xs}}{{range $.xs}}{{range $.xs}}{{$}}{{end}}{{end}}{{end}}",
    "a long comment": "{{/*" + "*" * 300_000 + "*/}}",
    "unclosed comments": "{{/*" * 50_000,
    "unclosed tags": "{{" * 100_000,
    "unclosed texts": '{{"' * 100_000,
    "a long number": "{{" + "9" * 100_000 + "}}",
    "a long exponent": "{{1e" + "9" * 100_000 + "}}",
    "many variables": "".join(f"{{{{$a{n} := .x}}}}" for n in range(10_000)),
    "one variable many times": "{{$a := .x}}" * 10_000,
    "white space to trim": "{{- .x -}}" + " " * 300_000 + "{{- .x -}}",
    "trim marks": "{{- " * 100_000,
}
PROMPTL = {
    "a long path": "{{ x" + "?.y" * 140 + " }}",
    "a path of 200,000 parts": "{{ x" + "?.y" * 200_000 + " }}",
    "computed keys": "{{ x" + "[n]" * 90 + " }}",
    "doubling texts": "{{ a = 'ab' }}{{ for i in xs }}{{ a = a + a }}{{ endfor }}{{ a }}",
    "doubling texts without a loop": "{{ a = 'ab' }}" + "{{ a = a + a }}" * 60 + "{{ a }}",
    "doubling texts in one tag": "{{ a = x }}" + ("{{ a = a" + " + a" * 100 + " }}") * 60 + "{{ a.length }}",
    "doubling lists": "{{ a = ['ab'] }}{{ for i in xs }}{{ a = [a, a] }}{{ endfor }}{{ a }}",
    "doubling lists, tested": "{{ a = ['ab'] }}{{ for i in xs }}{{ a = [a, a] }}{{ endfor }}{{ if a + '' }}x{{ endif }}",
    "doubling lists without a loop": "{{ a0 = [1] }}"
    + "".join(f"{{{{ a{n + 1} = [a{n}, a{n}] }}}}" for n in range(60))
    + "{{ if a60 == a59 }}x{{ endif }}{{ a60 }}",
    "doubling lists, compared": "{{ a = [1] }}{{ b = [1] }}"
    + "{{ a = [a, a] }}{{ b = [b, b] }}" * 60
    + "{{ if a == b }}x{{ endif }}{{ if a === b }}x{{ endif }}",
    "deep lists": "{{ a = [1] }}" + "{{ a = [a] }}" * 2_500 + "{{ a }}",
    "deep lists, compared": "{{ a = [1] }}{{ b = [1] }}"
    + "{{ a = [a] }}{{ b = [b] }}" * 2_500
    + "{{ if a == b }}x{{ endif }}",
    "long lists": "{{ a = xs }}" + "{{ a = [" + ", ".join(["a"] * 100) + "] }}" * 20,
    "a huge integer": "{{ a = " + "9" * 200_000 + " }}{{ a }}",
    "a float beyond all": "{{ a = 1e999 }}{{ a }}{{ a * 2 }}{{ -a }}",
    "products": "{{ a = 9 }}" + "{{ a = a * a }}" * 200 + "{{ if x?.length }}{{ a }}{{ endif }}",
    "nested loops": "{{ for i in xs }}" * 8 + "{{ x }}" + "{{ endfor }}" * 8,
    "nested loops that write nothing": "{{ for i in xs }}" * 8 + "{{ endfor }}" * 8,
    "comparisons in nested loops": "{{ for i in xs }}" * 3
    + "{{ if x == x + '' }}{{ endif }}"
    + "{{ endfor }}" * 3,
    "many tags": "{{ if x }}a{{ endif }}" * 2_500,
    "many sets": "".join(f"{{{{ y{n} = x }}}}" for n in range(10_000)),
    "many branches": "{{ if x }}a" + "{{ else if x }}b" * 5_000 + "{{ endif }}",
    "deep parentheses": "{{ " + "(" * 140 + "x" + ")" * 140 + " }}",
    "many signs": "{{ " + "!" * 290 + "x }}",
    "unclosed strings": "{{ '" * 50_000,
    "unclosed comments": "/* " * 50_000,
    "message tags": "<user>a</user>" * 5_000,
    "unclosed message tags": "x <user> " * 10_000,
}


def _front(lines: str, body: str = 'Rate {{x}}. Reply with JSON: {"score": 1-5}') -> str:
    return f"---\nadjudge: 1\n{lines}\n---\n{body}\n"


FRONT_MATTER = {
    "scale to infinity": _front("scale: [0, 1e999]\nscore: score"),
    "scale to .inf": _front("scale: [0, .inf]\nscore: score"),
    "scale to 1e300": _front("scale: [0, 1e300]\nscore: score"),
    "scale of 1e-300": _front("scale: [0, 1e-300]\nscore: score"),
    "scale of 300 digits": _front("scale: [0, " + "9" * 300 + "]\nscore: score"),
    "scale from -1e308 to 1e308": _front("scale: [-1e308, 1e308]\nscore: score"),
    "a range to 1e300": _front("verdict: {score: {type: number, minimum: 0, maximum: 1e300}}\nscore: score"),
    "a range to 1e999": _front("verdict: {score: {type: number, minimum: 0, maximum: 1e999}}\nscore: score"),
    "a range of 300 digits": _front(
        "verdict: {score: {type: integer, minimum: 0, maximum: " + "9" * 300 + "}}\nscore: score"
    ),
    "whole points to 1e15": _front(
        "verdict: {score: {type: integer, minimum: 0, maximum: 1000000000000000}}\nscore: score"
    ),
    "points to 1e300 in an enum": _front("verdict: {score: {enum: [0, 1e300]}}\nscore: score"),
    "points of 300 digits in an enum": _front(
        "verdict: {score: {enum: [0, " + "9" * 300 + "]}}\nscore: score"
    ),
    "points to 1e999 in an enum": _front("verdict: {score: {enum: [0, 1e999]}}\nscore: score"),
    "a list of 1e15": _front(
        "verdict: {score: {type: list, minItems: 1000000000000000}, n: number}\nscore: n"
    ),
    "pass rule with many digits": _front("passes: score >= " + "9" * 1_900 + "\nscore: score"),
    "pass rule with an exponent": _front("passes: score >= 1e400 * 1e400 * 1e400\nscore: score"),
    "pass rule with a huge exponent": _front("passes: score >= 1e" + "9" * 1_900 + "\nscore: score"),
    "a score of products": _front("score: " + " * ".join(["score"] * 3_000)),
    "a score of 300 products": _front("score: " + " * ".join(["score"] * 250)),
    "a score of exponents": _front("score: score + " + " * ".join(["1e400"] * 200)),
    "a score of sums in parentheses": _front("score: " + "(" * 3_000 + "score" + ")" * 3_000),
    "a score in 900 parentheses": _front("score: " + "(" * 900 + "score" + ")" * 900),
    "a score of a long path": _front("score: score" + ".a" * 200_000),
    "a score of 900 parts": _front("score: score" + ".a" * 900),
    "a score of one long name": _front("score: " + "a" * 200_000),
    "an integer of 200,000 digits": _front("max_output_tokens: " + "9" * 200_000),
    "an integer of 300 digits": _front("max_output_tokens: " + "9" * 300),
    "a temperature of 300 digits": _front("temperature: " + "9" * 300),
    "when missing 1e300": _front("when_missing: {score: 1e300}"),
    "when missing 300 digits": _front("when_missing: {score: " + "9" * 300 + "}"),
    "when empty 1e999": _front("when_empty: {score: 1e999}"),
    "points beyond all": _front("verdict: {label: {enum: [a, b]}}\nscore: {a: 1e999, b: 0}"),
    "points of 1e300": _front("verdict: {label: {enum: [a, b]}}\nscore: {a: 1e300, b: 0}"),
    "points of 300 digits": _front("verdict: {label: {enum: [a, b]}}\nscore: {a: " + "9" * 300 + ", b: 0}"),
    "ignored numbers": "---\nmodel: 1e999\nseed: " + "9" * 300 + "\nlist: [.inf, 1e999]\n---\n" + RATING,
    "anchors and aliases": _front("description: [&a [x, x], *a, *a]"),
    "nested lists": _front("description: " + "[" * 20_000 + "]" * 20_000),
    "nested mappings": _front("verdict: " + "{a: " * 5_000 + "string" + "}" * 5_000),
    "nested types": _front("verdict: {score: number, a: string" + "[]" * 50_000 + "}\nscore: score"),
    "nested by indentation": _front("\n".join(" " * n + "a:" for n in range(600))),
    "8,000 enum values": _front(
        "verdict: {label: {enum: [" + ", ".join(f"v{n}" for n in range(8_000)) + "]}}\nscore: {v0: 1}"
    ),
    "1,500 labels with points": _front(
        "verdict: {label: {enum: ["
        + ", ".join(f"v{n}" for n in range(1_500))
        + "]}}\nscore: {"
        + ", ".join(f"v{n}: {n}" for n in range(1_500))
        + "}"
    ),
    "4,000 fields": _front(
        "verdict: {score: number, " + ", ".join(f"f{n}: string" for n in range(4_000)) + "}\nscore: score"
    ),
    "3,000 inputs": _front(
        "inputs: {x: required, " + ", ".join(f"y{n}: optional" for n in range(3_000)) + "}"
    ),
    "2,000 anchors": _front("anchors: {" + ", ".join(f"{n}: a" for n in range(2_000)) + "}"),
    "2,000 unknown keys": "---\n" + "\n".join(f"k{n}: 1" for n in range(2_000)) + "\n---\n" + RATING,
    "a long name": _front("name: " + "a-" * 100_000),
    "a long key": "---\n" + "a" * 200_000 + ": 1\n---\n" + RATING,
    "an unclosed quote": _front('description: "' + "a " * 100_000),
    "an unclosed bracket": _front("description: [" + "a, " * 30_000),
    "many rules": "---\n" * 25_000,
    "front matter of 300,000 characters": _front("description: " + "a" * 300_000),
}
PROMPTS = {
    "a scale of huge numbers": "Rate {{x}} from 0 to " + "9" * 5_000 + '. Reply with JSON: {"score": 0}',
    "a scale of 1e999": 'Rate {{x}} from 0 to 1e999. Reply with JSON: {"score": 0-1e999}',
    "a scale of 300 digits": "Rate {{x}} on a scale of 0-" + "9" * 300 + '. Reply with JSON: {"score": 0}',
    "a scale of huge numbers in JSON": 'Rate {{x}}. Reply with JSON: {"score": <0-' + "9" * 5_000 + ">}",
    "deep JSON": "Rate {{x}}. Reply with JSON: " + '{"a": ' * 10_000 + "1" + "}" * 10_000,
    "JSON with many fields": "Rate {{x}}. Reply with JSON: {" + ", ".join(f'"f{n}": 1' for n in range(5_000)) + "}",
    "many scales": "Rate {{x}} from 1 to 5.\n" * 5_000,
    "many anchors": "Rate {{x}} from 1 to 5.\n" + "".join(f"{n}: it is so\n" for n in range(10_000)),
    "a long line": "Rate {{x}} from 1 to 5 " + "and " * 50_000,
    "many brackets": "Rate {{x}} from 1 to 5. [[" + "[" * 100_000,
}  # fmt: skip


def _in(dialect: str, bodies: Mapping[str, str]) -> dict[str, str]:
    head = f"---\nadjudge: 1\ndialect: {dialect}\n---\n"
    return {
        f"{dialect}: {name}": head + RATING * (dialect == "jinja") + body for name, body in bodies.items()
    }


def hostile_judges() -> dict[str, str]:
    return {
        **_in("jinja", JINJA),
        **_in("mustache", MUSTACHE),
        **_in("handlebars", HANDLEBARS),
        **_in("promptl", PROMPTL),
        **_in("go", GO),
        **OTHERS,
        **{f"chat: {name}": text for name, text in CHAT.items()},
        **{f"custom: {name}": text for name, text in CUSTOM.items()},
        **{f"front matter: {name}": text for name, text in FRONT_MATTER.items()},
        **{f"prompt: {name}": text for name, text in PROMPTS.items()},
    }


class TooLong(BaseException):
    """Not an Exception: nothing that handles errors may take it for one."""


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong


def outcome(text: str) -> str:
    """`ended` or `refused` when that is how a judge file should end; else what happened."""
    try:
        judge = parse_judge(text, name="hostile")
        json.dumps(describe_judge(judge), allow_nan=False)
        lint_judge(judge)
        render_prompt(judge.messages, VALUES, format_message=judge.format_message)
    except InputError as error:
        return "refused" if len(str(error)) < 20_000 else f"a message of {len(str(error))} characters"
    except TooLong:
        return f"more than {CPU_SECONDS} s of processor time"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what the test is about
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "ended"


def main(part: str = "0/1") -> None:
    first, step = map(int, part.split("/"))
    files = dict(islice(hostile_judges().items(), first, None, step))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.signal(signal.SIGVTALRM, _interrupt)
    for name, text in files.items():
        print(json.dumps({"begun": name}), flush=True)
        started = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS, 1)
        found = outcome(text)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = time.process_time() - started
        print(json.dumps({"name": name, "outcome": found, "seconds": round(took, 2)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
