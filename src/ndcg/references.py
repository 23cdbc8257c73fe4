"""Published reference points: what others measured on public collections.

Approximate by nature: other indexes, tokenisers and releases move them by a point or two. They
serve to see whether a reproduction is sane, never to decide between systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcg.errors import OptionError, near_miss

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SOURCE", "SYSTEMS", "Reference", "find_references"]

SOURCE = (
    "Thakur, Reimers, Rücklé, Srivastava & Gurevych: BEIR, NeurIPS 2021 Datasets and Benchmarks, "
    "table 2 (nDCG@10)"
)
SYSTEMS = (
    "BM25", "DeepCT", "SPARTA", "docT5query", "DPR", "ANCE", "TAS-B", "GenQ", "ColBERT", "BM25+CE",
)  # fmt: skip

# nDCG@10 in thousandths, in the order of SYSTEMS.
_TABLE: dict[str, tuple[int, ...]] = {
    "MS MARCO": (228, 296, 351, 338, 177, 388, 408, 408, 401, 413),
    "TREC-COVID": (656, 406, 538, 713, 332, 654, 481, 619, 677, 757),
    "BioASQ": (465, 407, 351, 431, 127, 306, 383, 398, 474, 523),
    "NFCorpus": (325, 283, 301, 328, 189, 237, 319, 319, 305, 350),
    "NQ": (329, 188, 398, 399, 474, 446, 463, 358, 524, 533),
    "HotpotQA": (603, 503, 492, 580, 391, 456, 584, 534, 593, 707),
    "FiQA-2018": (236, 191, 198, 291, 112, 295, 300, 308, 317, 347),
    "Signal-1M": (330, 269, 252, 307, 155, 249, 289, 281, 274, 338),
    "TREC-NEWS": (398, 220, 258, 420, 161, 382, 377, 396, 393, 431),
    "Robust04": (408, 287, 276, 437, 252, 392, 427, 362, 391, 475),
    "ArguAna": (315, 309, 279, 349, 175, 415, 429, 493, 233, 311),
    "Touché-2020": (367, 156, 175, 347, 131, 240, 162, 182, 202, 271),
    "CQADupStack": (299, 268, 257, 325, 153, 296, 314, 347, 350, 370),
    "Quora": (789, 691, 630, 802, 248, 852, 835, 830, 854, 825),
    "DBPedia": (313, 177, 314, 331, 263, 281, 384, 328, 392, 409),
    "SCIDOCS": (158, 124, 126, 162, 77, 122, 149, 143, 145, 166),
    "FEVER": (753, 353, 596, 714, 562, 669, 700, 669, 771, 819),
    "Climate-FEVER": (213, 66, 82, 201, 148, 198, 228, 175, 184, 253),
    "SciFact": (665, 630, 582, 675, 318, 507, 643, 644, 671, 688),
}


@dataclass(frozen=True)
class Reference:
    """One published value: nDCG@10 of a system on a collection."""

    collection: str
    system: str
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return the reference as plain values."""
        return {
            "collection": self.collection,
            "system": self.system,
            "measure": "nDCG@10",
            "value": self.value,
            "approximate": True,
            "source": SOURCE,
        }


def find_references(collection: str | None = None) -> tuple[Reference, ...]:
    """Return the published values of a collection, or of all.

    Examples
    --------
    >>> find_references("scifact")[0]
    Reference(collection='SciFact', system='BM25', value=0.665)
    """
    names = list(_TABLE) if collection is None else [_match(collection)]
    return tuple(
        Reference(name, system, thousandths / 1000)
        for name in names
        for system, thousandths in zip(SYSTEMS, _TABLE[name], strict=True)
    )


def _match(collection: str) -> str:
    wanted = _plain(collection)
    for name in _TABLE:
        if wanted in {_plain(name), _plain(name).removesuffix("2020").removesuffix("2018")}:
            return name
    raise OptionError(
        f"no collection named {collection!r}{near_miss(collection, _TABLE)} "
        f"(known: {', '.join(_TABLE)})"
    )


def _plain(name: str) -> str:
    return "".join(c for c in name.lower().replace("é", "e") if c.isalnum())


def references_frame(references: tuple[Reference, ...]) -> pl.DataFrame:
    """Return references as a Polars frame: collection, then a column a system."""
    import polars as pl

    rows = pl.DataFrame([vars(reference) for reference in references])
    return rows.pivot(on="system", index="collection", values="value", maintain_order=True)
