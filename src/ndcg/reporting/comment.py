"""A comparison as a pull-request comment: the verdict first, the details folded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ndcg import __version__
from ndcg.errors import OptionError
from ndcg.reporting.comparison_text import (
    bounds_text,
    comparison_notes,
    interval_text,
    judged_text,
    pvalue_text,
    settings_line,
)
from ndcg.reporting.grids import printable, to_markdown
from ndcg.reporting.regressions import document_words, lost_slices
from ndcg.reporting.score_tables import DIGEST_SHOWN, convention_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ndcg.comparison import Comparison, Pair, SlicePair
    from ndcg.comparison.pairs import Numbers
    from ndcg.comparison.verdicts import Word
    from ndcg.reporting.moved_queries import Compared, MovedQuery

__all__ = ["marker", "render_comment"]

# GitHub refuses a comment of more than 65,536 characters.
_LIMIT = 60_000
_MARKS: dict[Word, str] = {"worse": "▼", "cannot tell": "◆", "better": "▲", "no difference": "●"}
_MENTION = re.compile(r"(?<![\w`])@(?=\w)")


def marker(key: str = "default") -> str:
    """Return the hidden first line by which a later comment finds and replaces this one.

    >>> marker()
    '<!-- ndcg compare: default -->'
    """
    if not re.fullmatch(r"[A-Za-z0-9._-]+", key):
        raise OptionError(f"key must be letters, digits, dots, dashes and underscores, got {key!r}")
    return f"<!-- ndcg compare: {key} -->"


def render_comment(compared: Compared, *, key: str = "default") -> str:
    """Return a comparison as the Markdown of a pull-request comment.

    Verdict, table and what lost come first; queries that moved, slices, notices and digests are
    folded. Where all of it is more than a comment may hold, the longest part is left out, and said.
    """
    comparison = compared.comparison
    shown = [
        marker(key),
        _headline(comparison),
        "\n".join(_verdicts(comparison)),
        _pair_table(comparison),
        *_lost(comparison),
    ]
    folded = {
        "queries that moved most": _moves(compared),
        "slices": _slice_table(comparison),
        "notices": _list(comparison_notes(comparison)),
        "how it was made": _list(_origin(compared)),
    }
    return _fitting(shown, {name: text for name, text in folded.items() if text})


def _fitting(shown: Sequence[str], folded: dict[str, str]) -> str:
    left_out: list[str] = []
    while True:
        parts = [*shown, *(_folded(name, text) for name, text in folded.items())]
        if left_out:
            parts.append(f"Left out, too long for a comment: {', '.join(left_out)}.")
        whole = _MENTION.sub("@\u200b", "\n\n".join(parts))
        if len(whole) <= _LIMIT or not folded:
            return whole
        longest = max(folded, key=lambda name: len(folded[name]))
        del folded[longest]
        left_out.append(longest)


def _headline(comparison: Comparison) -> str:
    pairs = comparison.pairs
    if len(pairs) == 1:
        word = pairs[0].verdict.word
        subject = f"{_code(pairs[0].run)} against {_code(pairs[0].baseline)}"
        return f"### {_MARKS[word]} {word}: {subject} on {pairs[0].measure!r}"
    words = [pair.verdict.word for pair in pairs]
    found = [word for word in _MARKS if word in words]
    told = ", ".join(f"{words.count(word)} {word}" for word in found)
    return f"### {_MARKS[found[0]]} {told}, against {_code(comparison.baseline)}"


def _verdicts(comparison: Comparison) -> list[str]:
    return [
        f"- {_MARKS[pair.verdict.word]} {_code(pair.run)}, {pair.measure!r}: "
        f"**{pair.verdict.word}**, {_text('; '.join(pair.verdict.reasons))}"
        for pair in comparison.pairs
    ]


def _pair_table(comparison: Comparison) -> str:
    interval = f"{100 * comparison.procedure.level:g}% interval"
    names = ["run", "measure", "n", "before", "after", "change", interval, "p", "up/same/down"]
    names += ["judged", "MDE", *(["bounds"] if comparison.bounds else [])]
    rows = [
        [_code(pair.run), repr(pair.measure), *_cells(pair.numbers)] for pair in comparison.pairs
    ]
    return _table(names, rows, texts=2)


def _cells(numbers: Numbers) -> list[str]:
    return [
        str(numbers.n),
        *(f"{mean:.4f}" for mean in numbers.means),
        f"{numbers.difference:+.4f}",
        interval_text(numbers),
        _text(pvalue_text(numbers.pvalue_corrected)),
        f"{numbers.wins}/{numbers.ties}/{numbers.losses}",
        judged_text(numbers),
        "-" if numbers.detectable is None else f"{numbers.detectable:.3f}",
        *([] if numbers.limits is None else [bounds_text(numbers)]),
    ]


def _lost(comparison: Comparison) -> list[str]:
    lost = [part for pair in comparison.pairs for part in lost_slices(comparison, pair)]
    told = [
        f"{_slice_name(part)} ({_code(part.run)}, {part.measure!r}: "
        f"{part.numbers.difference:+.4f}, n {part.numbers.n})"
        for part in lost
    ]
    return [f"**Slices that lost beyond noise:** {'; '.join(told)}"] if told else []


def _slice_name(part: SlicePair) -> str:
    return _code(f"{part.slice}={part.value}")


def _slice_table(comparison: Comparison) -> str:
    if not comparison.slices:
        return ""
    interval = f"{100 * comparison.procedure.level:g}% interval"
    names = ["slice", "run", "measure", "n", "before", "after", "change", interval, "p"]
    rows = [
        [_slice_name(part), _code(part.run), repr(part.measure), *_cells(part.numbers)[:6]]
        for part in comparison.slices
    ]
    return _table(names, rows, texts=3)


def _moves(compared: Compared) -> str:
    tables = []
    for pair in compared.comparison.pairs:
        moves = compared.moved(pair)
        if moves:
            title = f"{_code(pair.run)} against {_code(pair.baseline)}, {pair.measure!r}"
            tables.append(f"{title}\n\n{_move_table(moves, pair)}")
    return "\n\n".join(tables)


def _move_table(moves: Iterable[MovedQuery], pair: Pair) -> str:
    rows = [
        [
            _code(move.query_id),
            f"{move.before:.4f}",
            f"{move.after:.4f}",
            f"{move.difference:+.4f}",
            "<br>".join(
                f"{_code(one.doc_id)} {document_words(one, pair.measure.cutoff)}"
                for one in move.documents
            ),
        ]
        for move in moves
    ]
    return _table(["query", "before", "after", "change", "documents"], rows, texts=1)


def _origin(compared: Compared) -> list[str]:
    scores = compared.comparison.scores
    runs = [f"run {name}: {_digest(compared.digest(name))}" for name in compared.runs]
    size = f"{len(scores.query_ids)} queries, {scores.judgments} judgments"
    return [
        f"convention: {convention_line(scores.convention)}",
        f"test: {settings_line(compared.comparison)}",
        f"qrels: {_digest(scores.qrels_digest)}, {size}",
        *runs,
        f"ndcg {__version__}",
    ]


def _digest(digest: str | None) -> str:
    return "digest not known" if digest is None else f"digest {digest[:DIGEST_SHOWN]}"


def _table(names: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int) -> str:
    """Return a table whose first columns are texts and whose others stand to the right."""
    rule = ["---" if i < texts or name == "documents" else "---:" for i, name in enumerate(names)]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in [names, rule, *cells])


def _text(text: str) -> str:
    return to_markdown(printable(text))


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_text(line)}" for line in lines)


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{content}\n\n</details>"


def _code(text: str) -> str:
    """Return an id as it is, whatever marks are in it."""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{printable(text)}{pad}{fence}"
