"""What people would say of two runs' difference, from a judge's scores for both and people's labels for some cases."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge.records import Scale
from adjudge.stats.clusters import warn_of_few
from adjudge.stats.corrected import FEWEST_LABELS, Corrected, JudgedCase, ppi_mean
from adjudge.stats.intervals import Undefined

FEWEST_DIFFERENT = 5
_OF_PEOPLE = "by how much people would find B better, on average over the cases that these were drawn from"


def differences(
    a: Mapping[str, JudgedCase],
    b: Mapping[str, JudgedCase],
    chances: Mapping[str, float],
    *,
    sign: float = 1.0,
) -> list[JudgedCase]:
    """B - A for the cases in both, in the order of `a`; A - B with a `sign` of -1.

    `chances` has the chance with which both answers to a case were labelled. One draw that asks for both has one chance
    for each case; of two draws made independently it is the product. A case that is not there was labelled by whatever
    nobody knows, and its labels are not used.
    """
    return [
        JudgedCase(
            judge=sign * (b[name].judge - first.judge),
            person=None if name not in chances else _said(first, b[name], sign),
            probability=chances.get(name),
            cluster=first.cluster,
        )
        for name, first in a.items()
        if name in b
    ]


def corrected_difference(rows: Sequence[JudgedCase], width: float | None = None) -> Corrected | Undefined:
    """PPI++ over `differences`; `width` is the length of the scale that both sides were judged on.

    The judge's errors cancel in a difference only if it makes the same ones on both sides. This does not suppose so: the
    mean difference of the judge's scores is moved by what the labelled cases say of its errors.
    """
    scale = None if width is None else Scale(low=-width, high=width)
    found = ppi_mean(rows, scale)
    if isinstance(found, Undefined):
        return found
    labelled = [row for row in rows if row.person is not None]
    estimate = replace(found.estimate, warning=_warning(labelled))
    return replace(found, estimate=estimate, target=_OF_PEOPLE)


def _said(a: JudgedCase, b: JudgedCase, sign: float) -> float | None:
    return None if a.person is None or b.person is None else sign * (b.person - a.person)


def _warning(labelled: Sequence[JudgedCase]) -> str | None:
    """A mean of differences rests on those that are not 0, by people or by the judge: few of them are a small sample."""
    if len(labelled) < FEWEST_LABELS:
        return f"an interval over fewer than {FEWEST_LABELS} cases with labels on both sides is unreliable"
    different = sum(bool(row.person) or bool(row.judge) for row in labelled)
    if different < FEWEST_DIFFERENT:
        return (
            f"only {different} labelled cases differ between the runs: an interval over so few is unreliable"
        )
    return warn_of_few(
        len({("row", at) if row.cluster is None else row.cluster for at, row in enumerate(labelled)})
    )
