"""A cascade's figures in words."""

from collections.abc import Iterator

from adjudge.analysis.cascade.figures import CascadeFigures
from adjudge.documents.document import Block, Command, Fact, Quote, Table
from adjudge.documents.numbers import NOTHING_TO_SHOW, counted, show_count, show_percent, show_rate


def cascade_blocks(figures: CascadeFigures) -> Iterator[Block]:
    yield Table(
        kind="cascade",
        caption=("Cascade of ", Quote(figures.judge)),
        header=("Stage", "Decides from", "Asked", "Decided"),
        rows=tuple(
            (
                Quote(stage.model.partition("@")[0]),
                NOTHING_TO_SHOW if stage.threshold is None else f"{stage.threshold:.3g}",
                show_count(stage.asked),
                show_count(stage.decided),
            )
            for stage in figures.stages
        ),
        numeric=(1, 2, 3),
    )
    yield _guarantee(figures)
    if figures.spared is not None:
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


def _guarantee(figures: CascadeFigures) -> Fact:
    labels = f"{counted(figures.calibration, 'labelled case')}, which are no decisions of the cascade"
    calibrated = figures.calibrated
    if calibrated is None:
        return Fact(
            kind="cascade",
            label="Cascade",
            text="thresholds not known: the judge's file is no longer in this store",
        )
    if calibrated.decides:
        tested = calibrated.tested
        text = (
            f"what it decides agrees with people at {show_percent(figures.agree, 0)} or more, with 95 % confidence: "
            f"{tested.agreed} of {tested.cases} in the test; calibrated on {labels}"
        )
        return Fact(kind="cascade", label="Cascade", text=text)
    hint = (
        "even the surest verdicts do not agree with people that often"
        if figures.needed is None
        else f"about {show_count(figures.needed)} labels would be needed"
    )
    text = f"decides nothing: {show_percent(figures.agree, 0)} agreement could not be shown with {labels}; {hint}"
    return Fact(kind="cascade", label="Cascade", text=text, tone="warning")
