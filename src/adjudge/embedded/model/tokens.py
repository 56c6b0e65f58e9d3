"""Text -> token ids of the base model; text never turns into a token that steers it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from adjudge.embedded.model.base import SPECIAL, BaseWeights
from adjudge.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

START, END = "<|im_start|>", "<|im_end|>"


@dataclass(frozen=True, kw_only=True)
class ModelTokenizer:
    vocabulary: Sequence[str]
    merges: Sequence[str]
    token_types: Sequence[int]

    @classmethod
    def of(cls, base: BaseWeights) -> "ModelTokenizer":
        return cls(vocabulary=base.vocabulary, merges=base.merges, token_types=base.token_types)

    def encode(self, text: str) -> list[int]:
        """`<|im_end|>` inside the text comes out as its letters, so that no text can end its own field."""
        ids: list[int] = self.pieces.encode(text, add_special_tokens=False).ids
        return ids

    def cut(self, text: str, most: int) -> list[int]:
        """At most that many tokens: the head's two thirds and the tail's third, since conclusions come last."""
        ids = self.encode(text)
        if len(ids) <= most:
            return ids
        head = most * 2 // 3
        return ids[:head] + ids[len(ids) - (most - head) :]

    def lines(self, ids: Sequence[int]) -> str:
        """A sequence as the model reads it, each field on a line: field texts hold no line breaks of their own."""
        fields: list[list[int]] = [[]]
        for number in ids:
            if number == self.end:
                fields.append([])
            elif number != self.start:
                fields[-1].append(number)
        return "\n".join(self.pieces.decode(field, skip_special_tokens=False) for field in fields if field)

    @cached_property
    def start(self) -> int:
        return self.special(START)

    @cached_property
    def end(self) -> int:
        return self.special(END)

    def special(self, name: str) -> int:
        if name not in self.vocabulary or self.token_types[self.vocabulary.index(name)] != SPECIAL:
            raise InputError("the base model", f"its vocabulary has no {name}", "fetch the base model again")
        return self.vocabulary.index(name)

    @cached_property
    def pieces(self) -> "Tokenizer":
        try:
            from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: PLC0415 - an optional package
        except ModuleNotFoundError:
            raise MissingExtraError("the embedded judge", "embedded") from None
        left_right = [(left, right) for left, _, right in (merge.partition(" ") for merge in self.merges)]
        ids = {piece: number for number, piece in enumerate(self.vocabulary)}
        tokenizer = Tokenizer(models.BPE(vocab=ids, merges=left_right))
        # No added tokens on purpose: without them the special names in a text split like any other letters.
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
        tokenizer.decoder = decoders.ByteLevel()
        return tokenizer
