"""Case ids as numbers, in little more memory than their letters."""

from array import array

_NONE = -1


class CaseNumbers:
    """Numbers the cases as they come, and knows them by name again.

    An id is looked up only while rows of its case are still to come; after that only its letters are kept.
    """

    __slots__ = ("_ends", "_letters", "_open", "_rows_each")

    def __init__(self, rows_each: int | None) -> None:
        """`rows_each` is how many rows every case gets; None when that is not known, and every id stays open."""
        self._rows_each = rows_each
        self._open: dict[str, tuple[int, int]] = {}
        self._letters = bytearray()
        self._ends = array("q")

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def open(self) -> int:
        """Cases of which rows are still to come."""
        return len(self._open)

    def count(self, case_id: str) -> int:
        """The number of the case that this judged row is of."""
        number, seen = self._open.get(case_id, (_NONE, 0))
        if number == _NONE:
            number = len(self._ends)
            self._letters += case_id.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._letters))
        self._see(case_id, number, seen + 1)
        return number

    def pass_over(self, case_id: str) -> None:
        """A row of the case that was not judged; a case without any other gets no number."""
        if self._rows_each is not None:
            number, seen = self._open.get(case_id, (_NONE, 0))
            self._see(case_id, number, seen + 1)

    def _see(self, case_id: str, number: int, seen: int) -> None:
        if seen == self._rows_each:
            self._open.pop(case_id, None)
        else:
            self._open[case_id] = (number, seen)

    def name(self, number: int) -> str:
        start = self._ends[number - 1] if number else 0
        return self._letters[start : self._ends[number]].decode("utf-8", "surrogatepass")
