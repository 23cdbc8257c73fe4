"""Runs against a baseline on the same queries and judgments, ending in a verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from ndcg.comparison.gathering import gather_scores, read_all
from ndcg.comparison.pairs import Pair, Procedure, ProcedureOptions, pairs_against, pairs_of_all
from ndcg.comparison.slice_pairs import SlicePair, compare_slices, slice_notices
from ndcg.errors import InputError, OptionError, near_miss
from ndcg.holes.bounding import Bounds, BoundsOptions
from ndcg.holes.bounding import bounds as bound_runs
from ndcg.measures import Measure, nDCG, parse_measures
from ndcg.slicing import as_slices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ndcg.comparison.verdicts import Verdict
    from ndcg.conventions import Convention
    from ndcg.data import Notice
    from ndcg.evaluation import Scores
    from ndcg.formats.reading import QrelsLike, RunLike

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` returns: a pair for every run and measure, slices, and what could mislead.

    Attributes
    ----------
    baseline
        The run that the others are compared with; of the first pair's with ``all_pairs``.
    pairs
        One a measure and run.
    slices
        One a slice value, measure and run.
    scores
        The scores of all runs.
    procedure
        How it was tested, the seed included.
    notices
        Counted warnings.
    bounds
        What labels could make of each run, by measure; empty where it was not asked for.
    """

    baseline: str
    pairs: tuple[Pair, ...]
    slices: tuple[SlicePair, ...]
    scores: Scores
    procedure: Procedure
    notices: tuple[Notice, ...]
    bounds: Mapping[Measure, Bounds] = field(default_factory=dict)

    def __repr__(self) -> str:
        told = ", ".join(f"{pair.run} {pair.verdict.word}" for pair in self.pairs)
        return f"Comparison(against {self.baseline}: {told})"

    def _repr_html_(self) -> str:
        verdicts = "".join(f"<li>{pair.run}: {pair.verdict}</li>" for pair in self.pairs)
        return f"<p>against {self.baseline}</p><ul>{verdicts}</ul>{self.to_frame()._repr_html_()}"

    @property
    def verdict(self) -> Verdict:
        """The verdict of the only pair; with several name one of `pairs`."""
        if len(self.pairs) != 1:
            raise OptionError(f"there are {len(self.pairs)} pairs; take the verdict of one of them")
        return self.pairs[0].verdict

    @property
    def exit_code(self) -> int:
        """0 fine, 1 some run is worse, 3 for some run it cannot be told."""
        words = {pair.verdict.word for pair in self.pairs}
        return 1 if "worse" in words else (3 if "cannot tell" in words else 0)

    @property
    def differences(self) -> pl.DataFrame:
        """Per-query differences: query_id, run, measure, difference (run less baseline)."""
        frames = []
        for pair in self.pairs:
            base = self.scores.per_query(pair.measure, pair.baseline)
            mine = self.scores.per_query(pair.measure, pair.run)
            shared = [query for query in base if query in mine]
            frames.append(
                pl.DataFrame(
                    {
                        "query_id": shared,
                        "run": [pair.run] * len(shared),
                        "measure": [repr(pair.measure)] * len(shared),
                        "difference": [mine[query] - base[query] for query in shared],
                    }
                )
            )
        return pl.concat(frames)

    def to_frame(self) -> pl.DataFrame:
        """Return one row a pair."""
        return pl.DataFrame([pair.to_dict() for pair in self.pairs], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values: the machine-readable contract of the manual."""
        return {
            "schema": 1,
            "baseline": self.baseline,
            "convention": self.scores.convention.to_dict(),
            "qrels": {
                "digest": self.scores.qrels_digest,
                "queries": len(self.scores.query_ids),
                "judgments": self.scores.judgments,
            },
            "procedure": asdict(self.procedure),
            "unjudged": self._assumed(),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "slices": [part.to_dict() for part in self.slices],
            "notices": [notice.to_dict() for notice in self.notices],
        }  # fmt: skip

    def _assumed(self) -> dict[str, Any] | None:
        """Return what bounds assume of unjudged documents; None without bounds."""
        for found in self.bounds.values():
            return {"grades": list(found.grades), "open_world": found.open_world}
        return None


def compare(
    qrels: QrelsLike | None,
    runs: Mapping[str, RunLike | Scores] | Sequence[Any] | Scores,
    measures: str | Measure | Sequence[str | Measure] = nDCG @ 10,
    *,
    baseline: str | None = None,
    slices: Any = None,
    convention: Convention | str | None = None,
    bounds: bool | BoundsOptions = False,
    **options: Unpack[ProcedureOptions],
) -> Comparison:
    """Compare runs with a baseline, query by query, and say what can be told.

    Parameters
    ----------
    qrels
        Anything that `ndcg.as_qrels` takes; None when every run is saved `Scores`.
    runs
        ``{name: run}``, a list of paths, or `Scores` of many runs; a run may be saved `Scores` or
        the path of saved ones.
    measures
        Measures or spellings.
    baseline
        The run to compare with; the first when not given.
    slices
        Anything that `ndcg.as_slices` takes.
    convention
        A `Convention` or a profile's name.
    bounds
        Also bound every difference under every labelling of the unjudged documents, so that the
        verdict says ``settled`` or ``not settled``; needs the runs, not saved scores. True, or
        what `ndcg.bounds` is to assume: ``{"grades": (0, 1), "open_world": True}``.
    **options
        test, correction, level, n_resamples, margin, all_pairs, seed: see `Procedure`.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For bad data, and for saved scores under other judgments, conventions or query sets.

    Examples
    --------
    Two queries that differ can never be significant, and that is said:

    >>> qrels = {f"q{i}": {"a": 1} for i in range(40)}
    >>> old = {q: {"b": 2.0, "a": 1.0} for q in qrels}
    >>> new = old | {q: {"a": 2.0, "b": 1.0} for q in ("q0", "q1")}
    >>> print(compare(qrels, {"old": old, "new": new}).verdict)
    cannot tell: only 2 of 40 queries differ, no outcome could reach p <= 0.05 (best 0.5)
    """
    procedure = Procedure(**options)
    wanted = parse_measures(measures)
    limits: dict[Measure, Bounds] = {}
    if bounds is not False:
        assumed = BoundsOptions() if bounds is True else bounds
        qrels, runs = read_all(qrels, runs, convention)
        limits = {
            measure: bound_runs(qrels, runs, measure, convention=convention, **assumed)
            for measure in wanted
        }
    scores = gather_scores(qrels, runs, wanted, convention)
    names = [run.name for run in scores.runs]
    if len(names) < 2:  # noqa: PLR2004
        raise InputError(f"a comparison needs two runs or more, got {', '.join(names)} alone")
    base = names[0] if baseline is None else baseline
    if base not in names:
        hint = near_miss(base, names)
        raise OptionError(f"no run named {base!r} as baseline{hint} (runs: {', '.join(names)})")
    pairs: list[Pair] = []
    for measure in wanted:
        if procedure.all_pairs:
            pairs += pairs_of_all(scores, measure, procedure, limits.get(measure))
        else:
            others = [name for name in names if name != base]
            pairs += pairs_against(scores, measure, base, others, procedure, limits.get(measure))
    told = [notice for found in limits.values() for notice in found.notices if notice.run is None]
    notices = list(dict.fromkeys([*scores.notices, *told]))
    parts: list[SlicePair] = []
    if slices is not None:
        groups = as_slices(slices)
        for pair in pairs:
            found = compare_slices(scores, pair, groups, procedure)
            parts += found
            notices += slice_notices(pair, found)
    return Comparison(base, tuple(pairs), tuple(parts), scores, procedure, tuple(notices), limits)
