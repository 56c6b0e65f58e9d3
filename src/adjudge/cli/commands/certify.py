"""`adjudge certify`: test a judge against attacks and other probes, and write its card."""

import asyncio
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import orjson

from adjudge.analysis.certification.document import card_document, count_answers
from adjudge.analysis.certification.examine import Examination, examination_plan, examine, prepare, reach
from adjudge.analysis.certification.figures import make_card
from adjudge.analysis.certification.records import JudgeCard
from adjudge.analysis.certification.shelf import card_json, keep_card, shelf_of, write_whole
from adjudge.cli.console import print_document, print_json, print_message
from adjudge.cli.interrupts import Interrupts, plan_judges
from adjudge.cli.main import EXIT_INTERRUPTED, EXIT_NOT_MEASURED
from adjudge.cli.options import CertifyOptions
from adjudge.cli.progress import ProgressLine
from adjudge.dataset import read_cases
from adjudge.documents.markdown import render_markdown
from adjudge.documents.numbers import show_count, show_duration
from adjudge.errors import InputError, SettingsError
from adjudge.options import RunOptions
from adjudge.probes.names import HALO, INJECTION, ORDER, PROBES, RETEST
from adjudge.probes.subjects import Panel, built_in_panel, seat
from adjudge.probes.trials import Extent
from adjudge.records import CombineScore, Judge
from adjudge.runs.estimate import ASSUMED_SECONDS
from adjudge.runs.find_model import is_embedded, one_model
from adjudge.runs.plan import Plan, check_scored, with_parts
from adjudge.runs.session import Session, open_session

EMBEDDED_PER_SECOND = 12.0
"""Judgements on two cores, where the embedded judge's card does not say."""
RESUME = "run the same command again to resume"
WRITERS = (".json", ".html", ".md")


def command(*, judge: str, options: RunOptions, extent: CertifyOptions) -> int:
    _check_outputs(extent.outputs, extent.cases)
    plan = plan_judges([judge], options)
    _check_asks(plan.named[0])
    check_scored(plan.named[0], "attacks are measured by what they do to scores")
    _check_probes(plan.named[0], extent.probes)
    panel = _panel(plan, extent)
    examination = prepare(
        plan.named[0],
        panel,
        Extent(
            retests=extent.retests,
            tries=extent.tries,
            seed=extent.seed,
            probes=frozenset({RETEST, *extent.probes}) if extent.probes else frozenset(PROBES),
        ),
    )
    model = one_model(options)
    named = None if model is None else str(model)
    opened = open_session(examination_plan(plan, examination.name(named, plan)), [])
    try:
        with ProgressLine(examination.judgements) as progress:
            end = asyncio.run(_examine(opened, examination, progress))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print_message(f"interrupted after {progress.done} judgements; {RESUME}")
        return EXIT_INTERRUPTED
    card = end.card
    for path in extent.outputs:
        _write(card, path)
    # a part of the probes, or an examination that stopped, is not what --require-card asks for
    if card.complete and not extent.probes:
        print_message(f"card written to {keep_card(card, shelf_of(str(options.store)))}")
    if extent.as_json:
        print_json(card_json(card))
    else:
        print_document(card_document(card), verbose=extent.verbose)
    if end.interrupted:
        print_message(f"interrupted; {RESUME}")
        return EXIT_INTERRUPTED
    if end.halted is not None or not any(finding.n for finding in card.findings):
        print_message(f"not measured: {end.halted or 'nothing could be judged'}; {RESUME}")
        return EXIT_NOT_MEASURED
    return 0


def _check_probes(judge: Judge, probes: Collection[str]) -> None:
    if ORDER in probes and judge.pair is None:
        raise InputError(
            judge.name,
            f"judges one answer, and `{ORDER}` is about the order in which two are shown",
            "leave the probe out, or certify a judge that compares two answers, such as `preference`",
        )
    if HALO in probes and not judge.ratings:
        raise InputError(
            judge.name,
            f"gives one score, and `{HALO}` compares several ratings asked for together and alone",
            "list them under `ratings:` in the judge file, or leave the probe out",
        )


def _check_asks(judge: Judge) -> None:
    """What the probes test is a model that reads hostile text and answers differently from one time to the next."""
    if judge.has_prompt:
        return
    nothing = f"none of the probes applies to it ({', '.join(PROBES)})"
    if isinstance(judge.score, CombineScore):
        parts = [part.name for part in with_parts([judge]) if part.has_prompt]
        raise InputError(
            judge.name,
            f"computes its score in code from other judges: {nothing}",
            f"certify the parts that ask a model: {', '.join(f'`adjudge certify {part}`' for part in parts)}"
            if parts
            else "none of its parts asks a model: there is nothing to certify",
        )
    raise InputError(
        judge.name,
        f"is a check in code, which reads no instructions and gives the same score each time: {nothing}",
        "compare it with people's labels instead: `adjudge agree RUN LABELS`",
    )


class CertifyEnd(NamedTuple):
    card: JudgeCard
    halted: str | None
    interrupted: bool


async def _examine(
    opened: AbstractAsyncContextManager[Session], examination: Examination, progress: ProgressLine
) -> CertifyEnd:
    async with opened as session:
        _announce(session, examination)
        progress.watched = session

        def expect(judgements: int) -> None:
            progress.total = judgements

        with Interrupts(session) as interrupts:
            done = await examine(session, examination, progress.count, plan_more=expect)
        complete = session.halted is None and not interrupts.seen
        return CertifyEnd(
            make_card(done.examination, done.answers, model=session.model, complete=complete),
            halted=session.halted,
            interrupted=interrupts.seen,
        )


def _announce(session: Session, examination: Examination) -> None:
    judge, panel = examination.judge, examination.panel
    print_message(f"model {session.model} · {judge.name}@{judge.hash} · run {session.run_id}")
    attacks = {trial.variant for trial in examination.probes if trial.probe == INJECTION}
    left_out = f" ({panel.left_out} rows lack something the judge needs)" if panel.left_out else ""
    more = examination.most_to_follow
    further = f" (and up to {show_count(more)} more for attacks that succeed)" if more else ""
    orders = ", each in both orders" if panel.compares else ""
    counts = count_answers(
        len(panel.right), len(panel.wrong), undecided=panel.undecided, compares=panel.compares
    )
    print_message(
        f"{show_count(examination.judgements)} judgements{further}{orders}: {counts}{left_out}, "
        f"{len(attacks)} attacks; about {show_duration(_seconds(session, examination) * 1000)}"
    )
    for probe, (answers, needed, _) in reach(examination).items():
        if answers < needed:
            print_message(
                f"{probe} cannot pass: it is tried on {answers} answers to different questions, and a pass takes {needed}; give "
                "more --cases"
            )
    if session.resumes:
        print_message(f"resuming run {session.run_id}")


def _seconds(session: Session, examination: Examination) -> float:
    if is_embedded(session.model):
        from adjudge.embedded.card import read_card

        rate = read_card().speed.get(examination.judge.name) or EMBEDDED_PER_SECOND
        return examination.judgements / rate
    judge = examination.judge
    calls = examination.judgements * (1 if judge.items is None and judge.pair is None else 2)
    return max(1.0, calls / session.plan.options.jobs) * ASSUMED_SECONDS[1]


def _panel(plan: Plan, extent: CertifyOptions) -> Panel:
    judge, bindings, cases = plan.named[0], plan.settings.bindings, extent.cases
    if cases is None:
        return built_in_panel(judge, bindings)
    rows = plan.turns(read_cases(cases, maps=bindings.maps))
    return seat(
        judge,
        rows,
        bindings,
        most=extent.sample,
        seed=extent.seed,
        source=cases,
        label_map=extent.label_map,
    )


def _check_outputs(outputs: tuple[str, ...], cases: str | None) -> None:
    for path in outputs:
        if Path(path).suffix.lower() not in WRITERS:
            raise SettingsError(
                f"-o {path}", "is not .json, .html or .md", "name a file that ends in one of them"
            )
        if cases is not None and Path(path).resolve() == Path(cases).resolve():
            raise SettingsError(f"-o {path}", "is the file that --cases reads", "name another file")
        if not Path(path).resolve().parent.is_dir():
            raise SettingsError(f"-o {path}", "its folder does not exist", "create the folder first")


def _write(card: JudgeCard, path: str) -> None:
    match Path(path).suffix.lower():
        case ".html":
            from adjudge.documents.html import render_html

            data = render_html(card_document(card)).encode()
        case ".md":
            data = render_markdown(card_document(card)).encode()
        case _:
            data = orjson.dumps(card_json(card), option=orjson.OPT_INDENT_2)
    write_whole(Path(path), data)
