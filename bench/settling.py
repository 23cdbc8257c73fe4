"""Labels until one run is settled against another: by `ndcg next`, by rank, at random.

    python -m bench.settling FOLDER FOLDER [--pairs 6] [--stops 30] [--write]

A FOLDER is a collection with qrels.txt (or .gz) and runs/*.run.gz. The judgments of every document
in the top 10 of two runs are hidden and revealed one by one, as if rated; a document without a
judgment counts as rated 0. ``--stops`` pairs a collection say how often the belief stop is wrong.
``--write`` puts the table and the figure beside this file.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ndcg import as_qrels, as_run, nDCG
from ndcg.conventions import Convention
from ndcg.holes.candidates import find_candidates
from ndcg.holes.limits import ROUNDING
from ndcg.holes.priors import grade_prior
from ndcg.holes.queue import BELIEF_STOP, prepare_duel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ndcg.data import FloatArray, IntArray, Qrels, Run
    from ndcg.holes.duels import Duel

HERE = Path(__file__).parent
MEASURE = nDCG @ 10
STRATEGIES = ("ndcg next", "rank order", "random")
EVERY = 10
WORLDS = 400


def main() -> None:
    """Measure each pair of runs of each collection."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pairs", type=int, default=6, help="pairs a collection, to the end")
    parser.add_argument("--stops", type=int, default=45, help="pairs a collection, to the stop")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    settled, stops = [], []
    for folder in given.folders:
        for number, hidden in enumerate(islice(read_pairs(folder), given.stops)):
            stops.append(stop_by_belief(hidden))
            if number < given.pairs:
                settled += settle(hidden)
    frame, told = pl.DataFrame(settled), pl.DataFrame(stops)
    text = render(frame, told)
    print(text)
    if given.write:
        (HERE / "SETTLING.md").write_text(f"{text}\n")
        draw(frame).save(HERE / "settling.svg")


@dataclass
class Hidden:
    """Two runs whose judgments are hidden: the grade and the best rank of each document."""

    collection: str
    pair: str
    qrels: Qrels
    runs: dict[str, Run]
    scale: tuple[float, ...]

    def duel(self) -> Duel:
        """Return the two runs with every document of either top 10 unjudged."""
        duel, holes, _, _ = prepare_duel(
            self._left(), self.runs, MEASURE, grades=self.scale, convention=Convention()
        )
        known = holes.join(
            self.qrels.frame, on=["query_id", "doc_id"], how="left", maintain_order="left"
        )
        self.truth: FloatArray = np.maximum(known["relevance"].fill_null(0.0).to_numpy(), 0.0)
        best = holes.select(pl.min_horizontal("rank_a", "rank_b"))
        self.ranks: IntArray = best.to_series().to_numpy()
        return duel

    def _left(self) -> Qrels:
        tops = find_candidates(self.runs, 10).select("query_id", "doc_id")
        frame = self.qrels.frame
        left = frame.join(tops, on=["query_id", "doc_id"], how="anti")
        # A query whose judgments are all hidden stays judged, by a document that no run has.
        none = frame.select("query_id").unique(maintain_order=True)
        none = none.with_columns(doc_id=pl.lit("\x00none"), relevance=pl.lit(0.0))
        return as_qrels(pl.concat([left, none]))

    def learn(self, duel: Duel) -> None:
        """Take the grades revealed so far into the chances of the others."""
        seen = ~duel.is_open
        duel.chance = grade_prior(
            self.ranks[seen], self.truth[seen], duel.labels.grades, self.ranks
        )

    def difference(self, duel: Duel) -> float:
        """Return b less a when every label is known."""
        gains = duel.labels.worth(self.truth)[None, :]
        low, _ = duel.bounds_after(gains, np.ones(gains.shape, np.bool_))
        return float(low[0])


def read_pairs(folder: Path) -> Iterator[Hidden]:
    """Yield the pairs of different runs of a collection."""
    (path,) = [p for p in (folder / "qrels.txt", folder / "qrels.txt.gz") if p.exists()]
    qrels = as_qrels(path)
    files = sorted((folder / "runs").iterdir())
    runs = {file.name.split(".run")[0]: as_run(file) for file in files}
    different = {run.digest: name for name, run in reversed(runs.items())}
    scale = tuple(sorted({0.0, *qrels.frame["relevance"].clip(0.0).to_list()}))
    for first, second in combinations(sorted(different.values()), 2):
        pair = {first: runs[first], second: runs[second]}
        yield Hidden(folder.name, f"{first} - {second}", qrels, pair, scale)


def settle(hidden: Hidden) -> list[dict[str, Any]]:
    """Return a row a strategy: the labels that settled the pair, and their share of all."""
    rows = []
    for strategy in STRATEGIES:
        duel = hidden.duel()
        count = sum(1 for _ in reveal(hidden, duel, strategy))
        row = {"collection": hidden.collection, "pair": hidden.pair, "strategy": strategy}
        rows.append(row | {"hidden": len(hidden.truth), "share": count / len(hidden.truth)})
        print(rows[-1], flush=True)
    return rows


def reveal(hidden: Hidden, duel: Duel, strategy: str) -> Iterator[float]:
    """Reveal label after label until the pair is settled; yield the belief before each."""
    rng = np.random.default_rng(0)
    fixed = rng.permutation(len(hidden.truth))
    if strategy == "rank order":
        fixed = fixed[np.argsort(hidden.ranks[fixed], kind="stable")]
    belief = 0.5
    for count in range(len(fixed)):
        if duel.is_settled:
            return
        if strategy == "ndcg next":
            if count % EVERY == 0:
                hidden.learn(duel)
                belief = duel.belief(WORLDS, rng)
            hole = int(np.where(duel.is_open, duel.values(belief), -1.0).argmax())
        else:
            hole = int(fixed[count])
        yield belief
        duel.reveal(hole, hidden.truth[hole])


def stop_by_belief(hidden: Hidden) -> dict[str, Any]:
    """Return when the belief stop would have ended the judging, and whether it was wrong."""
    duel = hidden.duel()
    truth = hidden.difference(duel)
    row = {"collection": hidden.collection, "pair": hidden.pair, "difference": truth}
    for count, belief in enumerate(reveal(hidden, duel, "ndcg next")):
        if max(belief, 1 - belief) >= BELIEF_STOP:
            wrong = abs(truth) > ROUNDING and (belief > 0.5) != (truth > 0)
            row |= {"stop": count / len(hidden.truth), "wrong": wrong}
            break
    else:
        row |= {"stop": None, "wrong": None}
    print(row, flush=True)
    return row


def render(frame: pl.DataFrame, stops: pl.DataFrame) -> str:
    """Return the tables."""
    wide = frame.pivot(on="strategy", index=["collection", "pair", "hidden"], values="share")
    lines = [
        "# Labels until settled",
        "",
        "Share of the hidden labels that settled the pair (`python -m bench.settling`; nDCG@10).",
        "",
        f"| collection | pair | hidden | {' | '.join(STRATEGIES)} |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for row in wide.iter_rows(named=True):
        shares = " | ".join(f"{row[name]:.1%}" for name in STRATEGIES)
        lines.append(f"| {row['collection']} | {row['pair']} | {row['hidden']} | {shares} |")
    for (name,), part in wide.group_by("collection", maintain_order=True):
        shares = " | ".join(f"**{percent(part[one])}**" for one in STRATEGIES)
        lines.append(f"| **{name}** | mean of {len(part)} | | {shares} |")
    lines += [
        "",
        f"## Belief stop, {BELIEF_STOP:.0%} of the drawn worlds agree",
        "",
        "| collection | pairs | stopped | labels at the stop | wrong |",
        "|---|---:|---:|---:|---:|",
    ]
    for (name,), part in stops.group_by("collection", maintain_order=True):
        lines.append(stop_row(str(name), part))
    return "\n".join([*lines, stop_row("**all**", stops)])


def stop_row(name: str, part: pl.DataFrame) -> str:
    """Return a row of the second table."""
    stopped = part.drop_nulls("stop")
    wrong = f"{int(stopped['wrong'].sum())} of {len(stopped)}"
    share = "-" if stopped.is_empty() else percent(stopped["stop"])
    return f"| {name} | {len(part)} | {len(stopped)} | {share} | {wrong} |"


def percent(shares: pl.Series) -> str:
    """Return the mean of shares."""
    return f"{np.mean(shares.to_numpy()):.1%}"


def draw(frame: pl.DataFrame) -> Any:
    """Return the figure: a mark a pair, and the mean, by collection and strategy."""
    import altair as alt

    axis = alt.Axis(format="%")
    base = alt.Chart(frame).encode(
        y=alt.Y("strategy:N", sort=list(STRATEGIES), title=None),
        x=alt.X("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1])).title(
            "share of the labels until settled"
        ),
    )
    marks = base.mark_point(opacity=0.6, color="#4c78a8")
    means = base.mark_tick(thickness=3, size=24, color="#c0392b").encode(x="mean(share):Q")
    layers = alt.layer(marks, means).properties(width=420, height=90)
    return layers.facet(row=alt.Row("collection:N", title=None))


if __name__ == "__main__":
    main()
