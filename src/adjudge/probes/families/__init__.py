"""The attacks by family; all of them, in a fixed order."""

from adjudge.probes.attacks import Attack
from adjudge.probes.families.boundaries import BOUNDARIES
from adjudge.probes.families.encoded import ENCODED
from adjudge.probes.families.openers import OPENERS
from adjudge.probes.families.orders import ORDERS
from adjudge.probes.families.persuasion import PERSUASION
from adjudge.probes.families.scenes import SCENES
from adjudge.probes.families.tongues import TONGUES
from adjudge.probes.families.verdicts import VERDICTS

ATTACKS: tuple[Attack, ...] = (
    *ORDERS,
    *VERDICTS,
    *BOUNDARIES,
    *ENCODED,
    *TONGUES,
    *PERSUASION,
    *SCENES,
    *OPENERS,
)

__all__ = ["ATTACKS"]
