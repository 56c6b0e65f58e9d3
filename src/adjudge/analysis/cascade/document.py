"""A cascade's figures in words."""

from collections.abc import Iterator

from adjudge.analysis.cascade.figures import CascadeFigures
from adjudge.documents.document import Block, Command, Fact, Quote, Table
from adjudge.documents.numbers import NOTHING_TO_SHOW, counted, show_count, show_percent, show_rate


def cascade_blocks(figures: CascadeFigures) -> Iterator[Block]:
    counts = figures.cases > 0
    yield Table(
        kind="cascade",
        caption=("Cascade of ", Quote(figures.judge)),
        header=("Stage", "Decides from", *(("Asked", "Decided") if counts else ())),
        rows=tuple(
            (
                Quote(stage.model.partition("@")[0]),
                NOTHING_TO_SHOW if stage.threshold is None else f"{stage.threshold:.3g}",
                *((show_count(stage.asked), show_count(stage.decided)) if counts else ()),
            )
            for stage in figures.stages
        ),
        numeric=(1, 2, 3) if counts else (1,),
    )
    if not counts and figures.calibration:
        text = f"nothing left to decide: all {counted(figures.calibration, 'case')} were used for calibration"
        yield Fact(kind="cascade cases", label="Cascade", text=text)
    yield _guarantee(figures)
    if figures.off_scale:
        text = f"{counted(figures.off_scale, 'label')} not used: not on the judge's scale"
        yield Fact(kind="cascade labels", label="Cascade", text=text, tone="warning")
    if figures.spared is not None and _decides(figures):
        last = figures.stages[-1].model.partition("@")[0]
        yield Fact(
            kind="cascade saved",
            label="Cascade",
            text=(
                Quote(last),
                f" was not asked for {show_rate(figures.spared)} of {counted(figures.cases, 'case')}",
            ),
        )
    if figures.undecided:
        yield Fact(
            kind="cascade undecided",
            label="Cascade",
            text=(
                f"{counted(figures.undecided, 'case')} undecided; have people label them: ",
                Command("adjudge agree RUN --next N"),
                " draws them",
            ),
        )


def _decides(figures: CascadeFigures) -> bool:
    """Whether any stage decides: a cascade that decides nothing has saved nothing."""
    return figures.calibrated is None or figures.calibrated.decides


def _guarantee(figures: CascadeFigures) -> Fact:
    calibrated = figures.calibrated
    if calibrated is None:
        return Fact(
            kind="cascade",
            label="Cascade",
            text="thresholds not known: the judge's file is no longer in this store",
        )
    labels = _labels(figures)
    rate, tested = show_percent(figures.agree, 0), calibrated.tested
    if tested is not None:
        clusters = (
            f" in {show_count(tested.clusters)} clusters" if tested.clusters not in {None, tested.n} else ""
        )
        text = (
            f"of cases like these, {rate} or more of its decisions agree with people, with 95 % confidence: "
            f"{show_percent(tested.value)} of {counted(tested.n, 'test case')}{clusters} (lower limit "
            f"{show_percent(tested.low)}); calibrated on {labels}"
        )
        return Fact(kind="cascade", label="Cascade", text=text)
    hint = (
        "by these labels, even the surest verdicts do not agree with people that often"
        if figures.needed is None
        else f"about {show_count(figures.needed)} labelled cases would be needed, did the surest verdicts go on agreeing as "
        "often as in the test"
    )
    text = f"decides nothing: {rate} agreement could not be shown with {labels}; {hint}"
    return Fact(kind="cascade", label="Cascade", text=text, tone="warning")


def _labels(figures: CascadeFigures) -> str:
    people = ""
    if figures.labels != figures.calibration:
        people = f" with {counted(figures.labels, 'label')}"
    if figures.contested:
        people += (
            f" (people disagree on {show_count(figures.contested)}, which count by the share that agrees)"
        )
    return f"{counted(figures.calibration, 'labelled case')}{people}, which are not counted as decisions"
