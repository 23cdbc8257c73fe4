"""Groups of queries: which slice and value each query belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg.errors import InputError, OptionError, near_miss
from ndcg.formats.attributes import name_query_column, read_attributes
from ndcg.formats.layouts import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["NO_VALUE", "Slices", "as_slices"]

NO_VALUE = "(no value)"
_SEPARATORS = r"\s*[|;]\s*"
_NOT_SLICES = {"text", "title", "query", "url", "description", "narrative"}


@dataclass(frozen=True, eq=False, repr=False)
class Slices:
    """Named groups of queries; a query may be in several groups of one slice, or in none.

    Attributes
    ----------
    frame
        One row a membership: slice, value, query_id.
    """

    frame: pl.DataFrame

    def __repr__(self) -> str:
        return f"Slices({', '.join(self.names)}; {self.frame['query_id'].n_unique()} queries)"

    @property
    def names(self) -> list[str]:
        """The slices, in the order in which they were given."""
        return self.frame["slice"].unique(maintain_order=True).to_list()

    def select(self, names: Sequence[str]) -> Slices:
        """Return only some slices; an unknown name is an `OptionError`."""
        known = self.names
        for name in names:
            if name not in known:
                raise OptionError(
                    f"no slice named {name!r}{near_miss(name, known)} (slices: {', '.join(known)})"
                )
        return Slices(self.frame.filter(pl.col("slice").is_in(list(names))))

    def groups(self, name: str, query_ids: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
        """Return the members of each value of a slice as masks over `query_ids`.

        Queries without a value form the group ``(no value)``, last, when there are any.
        """
        place = {query: i for i, query in enumerate(query_ids)}
        rows = self.select([name]).frame
        masks: dict[str, NDArray[np.bool_]] = {}
        for value, query in rows.select("value", "query_id").sort("value").iter_rows():
            mask = masks.setdefault(value, np.zeros(len(query_ids), np.bool_))
            if query in place:
                mask[place[query]] = True
        masks = {value: mask for value, mask in masks.items() if mask.any()}
        rest = np.ones(len(query_ids), np.bool_)
        for mask in masks.values():
            rest &= ~mask
        return masks | ({NO_VALUE: rest} if rest.any() else {})


def as_slices(source: Any) -> Slices:
    """Return slices from a path, a frame, or ``{query_id: {slice: value}}``.

    Parameters
    ----------
    source
        A file (TSV or CSV with a header, JSON lines, Parquet, Arrow IPC) or a frame, wide (query_id
        and a column a slice; several values in a cell are parted by ``|`` or ``;``, or a list) or
        long (query_id, slice, value); a mapping; or `Slices`, which is returned as it is.

    Examples
    --------
    >>> slices = as_slices({"q1": {"kind": "brand|long"}, "q2": {"kind": "long"}})
    >>> {value: mask.tolist() for value, mask in slices.groups("kind", ["q1", "q2", "q3"]).items()}
    {'brand': [True, False, False], 'long': [True, True, False], '(no value)': [False, False, True]}
    """
    if isinstance(source, Slices):
        return source
    if isinstance(source, (str, PathLike)):
        return _of_frame(read_attributes(source), str(source))  # type: ignore[arg-type]
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if isinstance(source, pl.DataFrame):
        return _of_frame(name_query_column(source, "the frame"), "the frame")
    if hasattr(source, "__arrow_c_stream__"):
        return _of_frame(name_query_column(pl.DataFrame(source), "the frame"), "the frame")
    raise InputError(
        f"cannot read slices from {type(source).__name__}: expected a path, a frame or a mapping "
        "{query_id: {slice: value}}"
    )


def _of_mapping(source: Mapping[Any, Any]) -> Slices:
    rows = []
    for query, values in source.items():
        if not isinstance(values, Mapping):
            raise InputError(
                f"query {query!r}: expected a mapping from slice to value, got {values!r}"
            )
        rows += [(str(query), str(name), _listed(value)) for name, value in values.items()]
    names = ["query_id", "slice", "value"]
    frame = pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
    return _memberships(frame, "the mapping")


def _listed(value: Any) -> list[str]:
    cells = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
    return [str(cell) for cell in cells if cell is not None]


def _of_frame(frame: pl.DataFrame, where: str) -> Slices:
    folded = {fold(name): name for name in frame.columns}
    if {"slice", "value"} <= set(folded):
        long = frame.select(
            "query_id",
            pl.col(folded["slice"]).cast(pl.String).alias("slice"),
            _as_list(frame[folded["value"]]).alias("value"),
        )
        return _memberships(long, where)
    names = [name for name in frame.columns[1:] if fold(name) not in _NOT_SLICES]
    if not names:
        raise InputError(
            f"{where}: no slice in it; expected query_id and a column a slice, or query_id, slice, "
            "value"
        )
    repeated = frame.filter(frame["query_id"].is_duplicated())
    if len(repeated):
        raise InputError(
            f"{where}: query {repeated['query_id'][0]!r} has several rows; one row a query, with "
            "several values in a cell parted by |, or the long form query_id, slice, value"
        )
    parts = [
        frame.select("query_id", pl.lit(name).alias("slice"), _as_list(frame[name]).alias("value"))
        for name in names
    ]
    return _memberships(pl.concat(parts), where)


def _as_list(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.List):
        return column.cast(pl.List(pl.String))
    cells = [[cell] for cell in column.cast(pl.String)]
    return pl.Series(column.name, cells, dtype=pl.List(pl.String))


def _memberships(frame: pl.DataFrame, where: str) -> Slices:
    cells = frame.explode("value").drop_nulls("value")
    split = cells.with_columns(
        pl.col("value").str.replace_all(_SEPARATORS, "|").str.strip_chars().str.split("|")
    ).explode("value")
    kept = split.filter(pl.col("value").is_not_null() & (pl.col("value") != ""))
    if not len(kept):
        raise InputError(f"{where}: no query has a value in any slice")
    return Slices(kept.select("slice", "value", "query_id").unique(maintain_order=True))
