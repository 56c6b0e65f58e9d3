"""`adjudge lint`: find what would make a judge unreliable."""

import click

from adjudge.cli.console import plain, print_json
from adjudge.cli.interrupts import reading_limit
from adjudge.cli.main import EXIT_GATE_FAILED
from adjudge.judges import load_judge, validate_certain
from adjudge.judges.lint import Finding, lint_judge


def command(*, judges: tuple[str, ...], strict: bool, as_json: bool) -> int:
    found: list[tuple[str, Finding]] = []
    for name in judges:
        with reading_limit(f"judge {name}"):
            judge = load_judge(name)
            if strict:
                validate_certain(judge)
            found += [(name, finding) for finding in lint_judge(judge)]
    if as_json:
        rows = [
            {
                "judge": name,
                "line": finding.line,
                "code": finding.code,
                "rule": finding.rule,
                "message": finding.message,
                "hint": finding.hint,
            }
            for name, finding in found
        ]
        print_json(rows)
    else:
        for name, finding in found:
            where = f"{name}:{finding.line}" if finding.line else name
            click.echo(plain(f"{where}: {finding.code} {finding.rule}: {finding.message}"))
            click.echo(plain(f"    hint: {finding.hint}"))
        count = len(found)
        click.echo(
            f"{count} finding{'' if count == 1 else 's'} in {len(judges)} judge{'' if len(judges) == 1 else 's'}"
        )
    return EXIT_GATE_FAILED if found else 0
