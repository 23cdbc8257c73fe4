"""What a pool holds and costs, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.data import counted
from ndcg.reporting.grids import Grid, render_grid
from ndcg.reporting.score_tables import notice_lines, wrapped

if TYPE_CHECKING:
    from ndcg.holes.pooling import Pool
    from ndcg.planning import Effort


def render_pool(found: Pool, effort: Effort) -> str:
    """Return the candidates, what each run brings, what is to be judged, and its cost."""
    told = found.provenance
    a_query = found.candidates / found.queries
    lines = [
        (
            f"{counted(found.candidates, 'unique document')} in the top {told['depth']} of "
            f"{counted(len(found.contributions), 'run')}, {a_query:.1f} a query over "
            f"{counted(found.queries, 'query', 'queries')}; {found.overlap:.0%} found by two runs "
            f"or more; {found.already} judged already"
        ),
        (
            f"to judge: {counted(len(found), 'document')} ({_chosen(found)}"
            + (f", {found.rejudged} of them once more" if found.rejudged else "")
            + f"); pool {found.id}"
        ),
    ]
    parts = ["\n".join(wrapped(line) for line in lines), render_grid(runs_grid(found), "table")]
    if told["method"] == "sample":
        parts.append(render_grid(strata_grid(found), "table"))
    parts.append(render_grid(costs_grid(found, effort), "table"))
    notes = [wrapped(line, "note: ") for line in notice_lines(found.notices)]
    return "\n\n".join([*parts, "\n".join(notes)] if notes else parts)


def _chosen(found: Pool) -> str:
    told = found.provenance
    budget = "" if told["budget"] is None else f" with a budget of {told['budget']}"
    return f"method {told['method']}{budget}, seed {told['seed']}"


def runs_grid(found: Pool) -> Grid:
    """Return one row a run: its candidates, those that only it has, those judged already."""
    rows = tuple((one.run, one.documents, one.own, one.judged) for one in found.contributions)
    return Grid(("run", "documents", "only in it", "judged"), rows)


def strata_grid(found: Pool) -> Grid:
    """Return one row a stratum of a sample: its ranks, labels, and the chance of each document."""
    new = found.frame.filter(~found.frame["rejudge"])
    rows = []
    for part in new.sort("stratum").partition_by("stratum", maintain_order=True):
        chance = part["probability"][0]
        low, high = part["best_rank"].sort()[[0, -1]].to_list()
        rows.append((str(part["stratum"][0]), f"{low}-{high}", len(part), chance))
    return Grid(("stratum", "ranks", "labels", "chance"), tuple(rows))


def costs_grid(found: Pool, effort: Effort) -> Grid:
    """Return one row for each number of raters."""
    rows = tuple(
        (int(row["raters"]), int(row["labels"]), f"{row['hours']:.2f}", f"{row['money']:.0f}")
        for row in found.costs(effort)
    )
    names = ("raters", "labels", "hours", "money")
    return Grid(names, rows, right=frozenset(names))
