"""A comparison as the text of a failed test: what changed, how surely, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ndcg.reporting.comparison_text import (
    comparison_notes,
    interval_text,
    judged_text,
    procedure_line,
    pvalue_text,
)
from ndcg.reporting.grids import printable
from ndcg.reporting.score_tables import DIGEST_SHOWN, convention_line, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ndcg.comparison import Comparison, Pair, SlicePair
    from ndcg.comparison.pairs import Numbers
    from ndcg.reporting.moved_queries import Compared, MovedDocument, MovedQuery

_INDENT = " " * 13


def pair_line(comparison: Comparison, pair: Pair) -> str:
    """Return a pair in one line: verdict, means, difference, interval, n and judged@k."""
    numbers = pair.numbers
    level = f"{100 * comparison.procedure.level:g}%"
    return printable(
        f"{pair.verdict.word}: {pair.measure!r} {numbers.means[0]:.4f} -> {numbers.means[1]:.4f} "
        f"({numbers.difference:+.4f}, {level} {interval_text(numbers)}, n {numbers.n}, "
        f"judged {judged_text(numbers)}), {pair.run} against {pair.baseline}"
    )


def regression_text(compared: Compared, pairs: Sequence[Pair]) -> str:
    """Return all that a failed gate has to say of some pairs, in lines of 80 columns."""
    comparison = compared.comparison
    parts = [_pair_text(compared, pair) for pair in pairs]
    notes = [wrapped(note, "note: ") for note in comparison_notes(comparison)]
    return "\n\n".join([*parts, _basis(compared), *(["\n".join(notes)] if notes else [])])


def _pair_text(compared: Compared, pair: Pair) -> str:
    comparison = compared.comparison
    title = f"{pair.measure!r}: {pair.run} against {pair.baseline}: {pair.verdict.word.upper()}"
    lines = [wrapped(printable(title)), "", *_numbers(comparison, pair)]
    lost = lost_slices(comparison, pair)
    if lost:
        lines += ["", "slices that lost beyond noise"]
        lines += [_slice_line(part) for part in lost]
    moves = compared.moved(pair)
    down = [move for move in moves if move.difference < 0]
    up = [move for move in moves if move.difference > 0]
    if down:
        lines += ["", "fell most"]
        for move in down:
            lines += _move_lines(move, pair)
    if up:
        rises = ", ".join(f"{move.query_id} {move.difference:+.4f}" for move in up)
        lines += ["", wrapped(printable(rises), "rose most    ", _INDENT)]
    return "\n".join(lines)


def _numbers(comparison: Comparison, pair: Pair) -> list[str]:
    numbers = pair.numbers
    level = f"{100 * comparison.procedure.level:g}% interval"
    tested = pvalue_text(numbers.pvalue_corrected)
    margin = comparison.procedure.margin
    allowed = [] if margin is None else [_row("margin", f"{margin:g}")]
    return [
        _row("mean", f"{numbers.means[0]:.4f} -> {numbers.means[1]:.4f}, n {numbers.n}"),
        _row("change", f"{numbers.difference:+.4f}, {level} {interval_text(numbers)}, p {tested}"),
        *allowed,
        _row("queries", f"{numbers.wins} up, {numbers.ties} same, {numbers.losses} down"),
        _row("judged", _judged(numbers)),
        _row("verdict", "; ".join(pair.verdict.reasons)),
    ]


def _judged(numbers: Numbers) -> str:
    if numbers.judged is None:
        return "not known"
    return f"{numbers.judged[0]:.1%} -> {numbers.judged[1]:.1%} of the top"


def _row(name: str, text: str) -> str:
    return wrapped(printable(text), f"{name:<11}  ", _INDENT)


def lost_slices(comparison: Comparison, pair: Pair) -> list[SlicePair]:
    """Return the slice values on which a pair is worse beyond noise, p corrected over them all."""
    return [
        part
        for part in comparison.slices
        if (part.run, part.baseline, part.measure) == (pair.run, pair.baseline, pair.measure)
        and part.verdict is not None
        and part.verdict.word == "worse"
    ]


def _slice_line(part: SlicePair) -> str:
    numbers = part.numbers
    return wrapped(
        printable(
            f"{part.slice}={part.value}: {numbers.means[0]:.4f} -> {numbers.means[1]:.4f} "
            f"({numbers.difference:+.4f} {interval_text(numbers)}, "
            f"p {pvalue_text(numbers.pvalue_corrected)}, n {numbers.n})"
        ),
        "  ",
        "    ",
    )


def _move_lines(move: MovedQuery, pair: Pair) -> list[str]:
    head = f"{move.query_id}: {move.before:.4f} -> {move.after:.4f} ({move.difference:+.4f})"
    return [
        wrapped(printable(head), "  ", "    "),
        *(
            wrapped(
                printable(f"{one.doc_id}, {document_words(one, pair.measure.cutoff)}"),
                "    ",
                "      ",
            )
            for one in move.documents
        ),
    ]


def document_words(document: MovedDocument, cutoff: int | None) -> str:
    """Return what became of a document: ``grade 3: rank 1 -> below 10 (-0.6309)``."""
    out = "not retrieved" if cutoff is None else f"below {cutoff}"
    grade = "unjudged" if document.grade is None else f"grade {document.grade:g}"
    ranks = [out if rank is None else str(rank) for rank in (document.rank_before, document.rank)]
    moved = f"rank {ranks[0]}" if ranks[0] == ranks[1] else f"rank {ranks[0]} -> {ranks[1]}"
    return f"{grade}: {moved} ({document.difference:+.4f})"


def _basis(compared: Compared) -> str:
    comparison = compared.comparison
    scores = comparison.scores
    runs = [_row("run", f"{name}, {_digest(compared.digest(name))}") for name in compared.runs]
    return "\n".join(
        [
            _row("convention", convention_line(scores.convention)),
            _row("tested by", procedure_line(comparison)),
            _row("qrels", f"{_digest(scores.qrels_digest)}, {len(scores.query_ids)} queries"),
            *runs,
        ]
    )


def _digest(digest: str | None) -> str:
    return "digest not known" if digest is None else digest[:DIGEST_SHOWN]
