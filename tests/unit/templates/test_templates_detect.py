"""The dialect is found out from the text: prompts in the manner of real ones, in every dialect."""

import pytest

from adjudge import templates

JSON_SHAPE = '{\n  "score": <1-5>,\n  "reason": "why"\n}'
ESCAPED_SHAPE = '{{\n  "score": <1-5>,\n  "reason": "why"\n}}'

MUSTACHE = {
    "rag faithfulness": (
        f"Is every claim of the answer supported?\n\nContext:\n{{{{context}}}}\n\nAnswer:\n{{{{answer}}}}\n\n{JSON_SHAPE}",
        ["context", "answer"],
    ),
    "spaces in tags": (
        "Query: {{ query }}\nGeneration: {{ generation }}\nScore 0 to 1.",
        ["query", "generation"],
    ),
    "namespaces": (
        "<q>{{ item.question }}</q> <a>{{ sample.output_text }}</a>",
        ["item.question", "sample.output_text"],
    ),
    "triple braces": (
        "[Question]: {{{input}}}\n[Expert]: {{{expected}}}\n(A) subset (B) superset",
        ["input", "expected"],
    ),
    "sections": (
        "{{question}}{{#reference}}\nReference: {{reference}}{{/reference}}",
        ["question", "reference"],
    ),
    "inverted": (
        "{{^context}}No context was given.{{/context}}{{#context}}{{context}}{{/context}}{{q}}",
        ["context", "q"],
    ),
    "a name with a space": (
        "Question: {{question}}\nGold: {{Reference Answer}}",
        ["question", "Reference Answer"],
    ),
    "history": ("{{history}}\n{{answer}}", ["history", "answer"]),
    "single braces in a shape": (
        'Rate {{answer}} for {{question}}.\nReply {"score": {score}, "why": "{reason}"}.',
        ["answer", "question"],
    ),
    "single braces in a format line": (
        "{{input}}\n{{output}}\nAnswer as: Rating: {rating}",
        ["input", "output"],
    ),
    "about shell": (
        "Review the script.\n```bash\nfor f in $FILES; do echo \"${f}\" | printf '%s' $HOME; done\n```\nScript: {{code}}",
        ["code"],
    ),
    "about printf": (
        'Explain `printf("%s %d\\n", name, age)` to {{user}}. Response: {{response}}',
        ["user", "response"],
    ),
    "about python": ("Does the f-string `f'{x}'` fit?\nCode: {{code}}\nTask: {{task}}", ["code", "task"]),
    "money and per cent": (
        "A $5 tip is 20% of $25. Compare {{response}} with {{reference}}.",
        ["response", "reference"],
    ),
    "latex": (
        "Let $x$ be such that $x^2 = \\frac{a}{b}$ and $$\\sum_{i=1}^{n} x_i$$.\nProblem: {{problem}}\nSolution: {{solution}}",
        ["problem", "solution"],
    ),
    "nested json": ('{"a": {"b": {"c": 1}}}\n{{answer}}', ["answer"]),
    "message tags as boundaries": (
        "Judge the conversation below.\n<user>\n{{question}}\n</user>\n<assistant>\n{{answer}}\n</assistant>\nScore it.",
        ["question", "answer"],
    ),
    "json input": ('{"question": {{question}}, "answer": {{answer}}}', ["question", "answer"]),
    "comment": ("{{! for the reader }}{{question}}", ["question"]),
}
HANDLEBARS = {
    "if": (
        "{{#if reference}}Gold: {{reference}}{{else}}No gold.{{/if}}\n{{answer}}",
        ["reference", "answer"],
    ),
    "each": (
        "{{#each documents}}- {{this.text}}\n{{/each}}\nQ: {{question}}",
        ["documents", "question"],
    ),
    "each with members": (
        "{{#each documents}}{{@index}}. {{title}}{{/each}}{{question}}",
        ["documents", "question"],
    ),
    "a name from outside": (
        "{{#each answers}}{{../question}} {{text}}{{/each}}",
        ["answers", "question"],
    ),
    "unless": ("{{#unless context}}No context.{{/unless}}{{answer}}", ["context", "answer"]),
    "with": ("{{#with parameters}}{{query}}{{/with}} {{answer}}", ["parameters", "answer"]),
    "a section with else": ("{{#context}}{{this}}{{else}}none{{/context}}{{answer}}", ["context", "answer"]),
    "white-space control": ("Q: {{~ question ~}} A: {{answer}}", ["question", "answer"]),
    "a long comment": ("{{!-- for {{you}} --}}{{question}}", ["question"]),
    "an odd name": ("{{item.[the question]}} {{answer}}", ["item.the question", "answer"]),
    "lookup": ("{{lookup labels 0}} {{answer}}", ["labels", "answer"]),
    "roles": ('{{role "system"}}\nJudge.\n{{role "user"}}\n{{question}}\n{{answer}}', ["question", "answer"]),
    "media": ("Describe {{media url=picture}}: {{answer}}", ["picture", "answer"]),
    "single braces in a shape": (
        '{{#if answer}}{{answer}}{{/if}}\nReply {"score": {score}, "why": "{reason}"}.',
        ["answer"],
    ),
}
JINJA = {
    "for": (
        "{% for doc in documents %}\n[{{ loop.index }}] {{ doc.text }}\n{% endfor %}\n{{ question }}",
        ["documents", "question"],
    ),
    "if": (
        "{% if reference %}Reference: {{ reference }}{% endif %}\nAnswer: {{ answer }}",
        ["reference", "answer"],
    ),
    "trimmed": ("{%- if rubric -%}\n{{ rubric }}\n{%- endif -%}{{output}}", ["rubric", "output"]),
    "filter": ("Question: {{ question | trim }}\nAnswer: {{ answer }}", ["question", "answer"]),
    "json filter": ("Tools: {{ tool_calls|tojson }}", ["tool_calls"]),
    "default": ("{{ context | default('none') }} {{ output }}", ["context", "output"]),
    "comment": ("{# grading #}\n{{ input }}\n{{ output }}", ["input", "output"]),
    "inline if": ("{{ reference if reference else 'none' }}\n{{ output }}", ["reference", "output"]),
    "test": ("{{ 'yes' if context is defined else 'no' }}{{ output }}", ["context", "output"]),
    "macro": (
        "{% macro turn(m) %}{{ m.role }}: {{ m.content }}{% endmacro %}{% for m in messages %}{{ turn(m) }}{% endfor %}",
        ["messages"],
    ),
    "set": ("{% set name = item.name %}Judge {{ name }}: {{ output }}", ["item.name", "output"]),
    "or": ("{{ reference or 'none' }} {{ answer }}", ["reference", "answer"]),
}
PROMPTL = {
    "division": ("The run cost {{cost / 100000}} dollars. Rate {{answer}}.", ["cost", "answer"]),
    "index": ("{{ messages[0].text }} against {{ answer }}", ["messages", "answer"]),
    "if": (
        "{{ if tools?.length }}\n{{ tools }}\n{{ else }}\nNone.\n{{ endif }}\n{{ response }}",
        ["tools", "response"],
    ),
    "tight if": ("{{if context}}Context: {{context}}{{endif}}{{answer}}", ["context", "answer"]),
    "for": ("{{ for m, i in messages }}{{ i }}. {{ m.content }}\n{{ endfor }}", ["messages"]),
    "substitute": ("Reference: {{ reference ?? 'none' }}\nAnswer: {{ answer }}", ["reference", "answer"]),
    "optional": ("{{ metadata?.topic }}: {{ answer }}", ["metadata", "answer"]),
    "ternary": ("{{ context ? context : 'none' }}{{ answer }}", ["context", "answer"]),
    "messages": (
        "<system>\nYou judge.\n</system>\n\n<user>\n{{ question }} {{ answer }}\n</user>\n",
        ["question", "answer"],
    ),
    "message with attributes": ('<system cache="true">Judge.</system>\n<user>{{ q }}</user>', ["q"]),
    "assignment": ("{{ shown = context || 'none' }}{{ shown }}{{ answer }}", ["context", "answer"]),
    "else if": ("{{ if a === 1 }}x{{ else if b }}y{{ endif }}", ["a", "b"]),
}
GO = {
    "fields": ("Question: {{ .Question }}\nAnswer: {{ .Answer }}", ["Question", "Answer"]),
    "range": (
        "{{range $i, $doc := .Documents}}\n{{$i}}. {{$doc.Title}}\n{{end}}Rate {{.Answer}}.",
        ["Documents", "Answer"],
    ),
    "if": ('{{if eq .Mode "strict"}}Be strict.{{end}} {{ .Answer | printf "%q" }}', ["Mode", "Answer"]),
    "with": (
        "{{- with .Reference }}\nReference: {{ . }}\n{{- end }}\n{{ .Answer }}",
        ["Reference", "Answer"],
    ),
}
PRINTF = {
    "labels": ("Question: %s\nAnswer: %s\n\nIs it right?", ["question", "answer"]),
    "named": (
        "Compare %(response)s with %(reference)s on a scale of 1%% to 100%%.",
        ["response", "reference"],
    ),
    "xml": ("<question>%s</question>\n<answer>\n%s\n</answer>", ["question", "answer"]),
    "json shape": (f"Passage:\n%s\n\nQuestion:\n%s\n\n{JSON_SHAPE}", ["passage", "question"]),
    "numbers": ("Response: %s\nMax score: %d", ["response", "max_score"]),
    "bare": ("Is %s as good as %s?", ["arg1", "arg2"]),
    "quoted": ('The student wrote: "%s". The reference is "%s".', ["student_wrote", "arg2"]),
    "per cent in prose": ("If 50% of the facts hold give 3.\n\nOutput: %s", ["output"]),
}
PYTHON = {
    "langchain": (
        "You are grading.\nQUESTION: {query}\nSTUDENT ANSWER: {result}\nTRUE ANSWER: {answer}\nGRADE:",
        ["query", "result", "answer"],
    ),
    "escaped json": (
        f"Question: {{question}}\nAnswer: {{answer}}\n\n{ESCAPED_SHAPE}",
        ["question", "answer"],
    ),
    "inline escaped json": ('Reply {{"score": 1}} for {output}', ["output"]),
    "escaped names": (
        "Reply with {{score}} and {{reason}}.\n{question}\n{response}",
        ["question", "response"],
    ),
    "unescaped json": (f"Query: {{query}}\nDocument: {{document}}\n{JSON_SHAPE}", ["query", "document"]),
    "mt-bench": (
        "[Question]\n{question}\n\n[The Start of Assistant A's Answer]\n{answer_a}\n[The End of A]\nOutput [[A]] or [[B]].",
        ["question", "answer_a"],
    ),
    "xml": (
        "<input>\n{inputs}\n</input>\n<output>\n{outputs}\n</output>\n<ref>{reference_outputs}</ref>",
        ["inputs", "outputs", "reference_outputs"],
    ),
    "phoenix": (
        "[BEGIN DATA]\n************\n[Question]: {input}\n************\n[Reference]: {reference}\n[END DATA]",
        ["input", "reference"],
    ),
    "g-eval": (
        "Source Text:\n\n{document}\n\nSummary:\n\n{summary}\n\n- Coherence (1-5):",
        ["document", "summary"],
    ),
    "attributes": ("{row.question} {row[answer]} {score:.2f}", ["row", "score"]),
    "latex": ("Solve \\frac{{1}}{{2}} of {problem} given $5 and 20%.", ["problem"]),
    "json with fields": ('{{"question": "{question}", "answer": "{answer}"}}', ["question", "answer"]),
    "placeholder in json": ('{"question": "{question}", "score": 1}', ["question"]),
    "code": ("def f(x) {{ return x; }}\nCode: {code}\nIs it right?", ["code"]),
}
SHELL = {
    "names": ("Question: $question\nAnswer: $answer", ["question", "answer"]),
    "braces": ("Question: ${question}\nAnswer: ${answer}\n", ["question", "answer"]),
    "member": ("${item.question} and ${item.answer}", ["item.question", "item.answer"]),
    "escape": ("It costs $$5, said $user. Rate $response.", ["user", "response"]),
    "json shape": (f"Input: ${{input}}\nOutput: ${{output}}\n{JSON_SHAPE}", ["input", "output"]),
    "money": ("$5 or US$ 20 or $1,000: is ${response} right?", ["response"]),
}
CUSTOM = {
    "dollars in braces": ("Read <text>{$PASSAGE}</text> and grade {$SUMMARY}.", ["PASSAGE", "SUMMARY"]),
    "capitals in brackets": (
        "Question:\n[QUESTION]\n\nAnswer:\n[ANSWER]\n\nGrade it.",
        ["QUESTION", "ANSWER"],
    ),
    "names in angles": (
        "Grade it.\n\nQuestion: <question>\nAnswer: <answer>\n\nBe fair.",
        ["question", "answer"],
    ),
}
NONE = {
    "plain": ("You are a fair judge. Reply with a number from 1 to 5.", []),
    "much else": (f"Costs $5, 50% off, $x$ and {{1, 2}}.\n{JSON_SHAPE}\n%Y-%m-%d", []),
}
CORPUS = [
    pytest.param(dialect, text, inputs, id=f"{dialect}: {name}")
    for dialect, prompts in (
        ("mustache", MUSTACHE),
        ("handlebars", HANDLEBARS),
        ("jinja", JINJA),
        ("promptl", PROMPTL),
        ("go", GO),
        ("printf", PRINTF),
        ("python", PYTHON),
        ("shell", SHELL),
        ("custom", CUSTOM),
        ("none", NONE),
    )
    for name, (text, inputs) in prompts.items()
]


@pytest.mark.parametrize(("dialect", "text", "inputs"), CORPUS)
def test_dialect_and_inputs_of_prompts_as_people_write_them(dialect, text, inputs):
    assert templates.detect(text) == dialect
    assert [reference.name for reference in templates.inputs(text, dialect)] == inputs


@pytest.mark.parametrize(
    ("dialect", "text"),
    # Message tags decide only while they hold the whole text.
    [
        (dialect, text)
        for dialect, text, inputs in (param.values for param in CORPUS)
        if inputs and "<system" not in text
    ],
)
def test_long_prose_around_a_prompt_does_not_change_its_dialect(dialect, text):
    prose = "Consider facts (100% of them), costs of $5, sets like {1, 2} and the 'why'.\n" * 300
    assert templates.detect(prose + text) == dialect
    assert templates.detect(text + "\n" + prose) == dialect


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "100% sure",
        "$5",
        "{}",
        "{1, 2}",
        '{"a": {"b": 1}}',
        "$x$ and $y^2$",
        "%Y-%m-%d",
        "a } b {{ c",
    ],
)
def test_text_without_placeholders_has_no_dialect(text):
    assert templates.detect(text) == "none"


def test_the_corpus_is_large_and_covers_every_dialect():
    assert len(CORPUS) >= 60
    assert {param.values[0] for param in CORPUS} == set(templates.DIALECTS)


def test_a_dollar_inside_braces_is_a_shell_name_beside_other_shell_names():
    assert templates.detect("Read <text>{$PASSAGE}</text> and grade $SUMMARY.") == "shell"
