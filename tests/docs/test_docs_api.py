"""The API's page is made from the description that the server itself gives."""

import os
from pathlib import Path

from served import served

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))
FILTERED = "/api/runs/{run}/cases"
FILTER = {"outcome", "passed", "low", "high", "slice", "q", "label", "note", "sort", "first", "size", "cols"}
MARK = "<!-- made from /api/openapi.json -->\n"


def kind(schema, parts):
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "enum" in schema:
        return " or ".join(f"`{value or '(empty)'}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind(each, parts) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'], parts)}"
    return schema.get("type", "any JSON")


def parameter(each):
    schema = each["schema"]
    said = [kind(schema, {})]
    if each.get("required"):
        said.append("required")
    bounds = [
        words.format(schema[name])
        for name, words in (
            ("minimum", "from {:,}"),
            ("maximum", "to {:,}"),
            ("maxLength", "{:,} characters at most"),
        )
        if name in schema and (name != "maxLength" or schema.get("type") == "string")
    ]
    text = each.get("description") or schema.get("description") or ""
    return f"- `{each['name']}` ({', '.join([*said, *bounds])}){': ' + text if text else ''}"


def shape(name, schema):
    lines = [f"### {name}", ""]
    if schema.get("description"):
        lines += [" ".join(schema["description"].split()), ""]
    for field, each in schema.get("properties", {}).items():
        text = each.get("description", "")
        needed = ", required" if field in schema.get("required", ()) else ""
        lines.append(f"- `{field}` ({kind(each, {})}{needed}){': ' + text if text else ''}")
    return [*lines, ""]


def page_of(described):
    lines = []
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            lines += [f"### {method.upper()} {path}", "", " ".join(operation["description"].split()), ""]
            given = operation.get("parameters", [])
            names = {each["name"] for each in given}
            if names >= FILTER and path != FILTERED:
                lines += [parameter(each) for each in given if each["name"] not in FILTER]
                lines.append(f"- the filter of `GET {FILTERED}`")
            else:
                lines += [parameter(each) for each in given]
            for media, body in operation.get("requestBody", {}).get("content", {}).items():
                lines.append(f"- body, `{media}`: {kind(body.get('schema', {}), {})}")
            good = next(value for status, value in operation["responses"].items() if status.startswith("2"))
            answers = [
                f"{kind(value.get('schema', {}), {})}" if media == "application/json" else f"`{media}`"
                for media, value in good.get("content", {}).items()
            ]
            lines += [f"- answers with {' or '.join(answers) or 'a file'}", ""]
    shapes = described["components"]["schemas"]
    asked = [name for name in sorted(shapes) if shapes[name].get("additionalProperties") is False]
    lines += ["## What requests say", ""]
    for name in asked:
        lines += shape(name, shapes[name])
    return "\n".join(lines).rstrip() + "\n"


def test_the_api_page_says_what_the_server_says_of_itself(tmp_path):
    with served(tmp_path / "store") as pages:
        made = page_of(pages.read("/api/openapi.json"))
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    if UPDATE:
        PAGE.write_text(head + MARK + "\n" + made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == head + MARK + "\n" + made, (
        "run with ADJUDGE_UPDATE_DOCS=1 to renew it"
    )
