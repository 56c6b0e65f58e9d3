"""The file we ship: what training added to the base model, its outputs, their calibration and its provenance."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.embedded.model.questions import HEADS, QUESTIONS, Calibration, Question
from adjudge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = 1
DESCRIPTION = "adapter.json"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""Every member's time, so that the same adapter is the same bytes."""


class AdapterError(InputError):
    """The adapter's file is missing, damaged or of another version."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Factor:
    """A low-rank matrix `up.T @ down` in bytes, with one scale for each rank on either side."""

    down: "NDArray[np.int8]"
    down_scale: "NDArray[np.float32]"
    up: "NDArray[np.int8]"
    up_scale: "NDArray[np.float32]"

    def scaled(self) -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
        """`up` and `down` as numbers."""
        import numpy as np  # noqa: PLC0415 - an optional package

        up = self.up.astype(np.float32) * self.up_scale[:, None]
        return up, self.down.astype(np.float32) * self.down_scale[:, None]

    def product(self) -> "NDArray[np.float32]":
        up, down = self.scaled()
        product: NDArray[np.float32] = up.T @ down
        return product


@dataclass(frozen=True, kw_only=True, slots=True)
class Adapter:
    factors: Mapping[str, Factor]
    """By the name of the weight they add to."""
    heads: Mapping[Question, "NDArray[np.float32]"]
    """One row for each output of the question; applied to the last normalised hidden state."""
    calibration: Mapping[Question, Sequence[Calibration]]
    """One for each output."""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def delta(self, name: str) -> "NDArray[np.float32] | None":
        """What to add to the base weight of that name, shaped like it; None when it stays as it is."""
        factor = self.factors.get(name)
        return None if factor is None else factor.product()


def factorise(up: "NDArray[np.floating[Any]]", down: "NDArray[np.floating[Any]]") -> Factor:
    """Round `up.T @ down` (rank × out, rank × in) to bytes, along the rank so that weak ranks keep their digits."""
    rounded_down, down_scale = to_bytes(down)
    rounded_up, up_scale = to_bytes(up)
    return Factor(down=rounded_down, down_scale=down_scale, up=rounded_up, up_scale=up_scale)


def to_bytes(matrix: "NDArray[np.floating[Any]]") -> "tuple[NDArray[np.int8], NDArray[np.float32]]":
    import numpy as np  # noqa: PLC0415 - an optional package

    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-12).astype(np.float32) / 127
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale


def write_adapter(path: Path, adapter: Adapter) -> None:
    description = {
        "version": VERSION,
        "calibration": {name: [asdict(one) for one in many] for name, many in adapter.calibration.items()},
        "provenance": adapter.provenance,
    }
    arrays: dict[str, NDArray[Any]] = {}
    for name, factor in adapter.factors.items():
        for part in ("down", "down_scale", "up", "up_scale"):
            arrays[f"{name}.{part}"] = getattr(factor, part)
    arrays |= {f"head.{question}": rows for question, rows in adapter.heads.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            zipfile.ZipInfo(DESCRIPTION, EPOCH), json.dumps(description, indent=1, ensure_ascii=False)
        )
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, as_npy(array))


def as_npy(array: "NDArray[Any]") -> bytes:
    import numpy as np  # noqa: PLC0415 - an optional package

    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def read_adapter(path: Path) -> Adapter:
    """Read what write_adapter wrote; nothing in the file is executed."""
    try:
        import numpy as np  # noqa: PLC0415 - an optional package
    except ModuleNotFoundError:
        raise MissingExtraError(str(path), "embedded") from None
    try:
        with zipfile.ZipFile(path) as archive:
            description = json.loads(archive.read(DESCRIPTION))
            arrays = {
                name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
        if description["version"] != VERSION:
            raise refused(path, f"its format is version {description['version']}, this one reads {VERSION}")
        adapter = Adapter(
            factors={name: read_factor(arrays, name) for name in factor_names(arrays)},
            heads={question: arrays[f"head.{question}"] for question in QUESTIONS},
            calibration={
                question: [Calibration(**one) for one in description["calibration"][question]]
                for question in QUESTIONS
            },
            provenance=description["provenance"],
        )
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise refused(path, f"not a readable adapter ({error})") from error
    for question, count in HEADS.items():
        if len(adapter.heads[question]) != count or len(adapter.calibration[question]) != count:
            raise refused(path, f"{question!r} needs {count} outputs")
    return adapter


def refused(path: Path, problem: str) -> AdapterError:
    return AdapterError(str(path), problem, "install adjudge again: the adapter comes with it")


def factor_names(arrays: Mapping[str, Any]) -> list[str]:
    return [name.removesuffix(".down") for name in arrays if name.endswith(".down")]


def read_factor(arrays: Mapping[str, Any], name: str) -> Factor:
    parts = {part: arrays[f"{name}.{part}"] for part in ("down", "down_scale", "up", "up_scale")}
    return Factor(**parts)
