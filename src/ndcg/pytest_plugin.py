"""The pytest fixture ``ndcg``: a test fails when a run is worse than its baseline beyond noise.

    def test_the_dense_run_holds(ndcg):
        ndcg.assert_no_regression("qrels.txt", "baselines/dense.run", "dense.run", margin=0.01)

Pytest loads this module at every start, so nothing but pytest itself is imported before a test
asks.
"""

from __future__ import annotations

import warnings
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import pytest

from ndcg.errors import NdcgError, OptionError, check_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Unpack

    from ndcg.comparison import Comparison
    from ndcg.measures import Measure
    from ndcg.reporting.moved_queries import Compared

__all__ = ["CannotTellWarning", "Gate", "GateOptions"]

_ON_UNSURE = ("warn", "fail", "pass")
_PROPERTY = "ndcg"


class CannotTellWarning(UserWarning):
    """A test whose data cannot tell whether the run regressed."""


class GateOptions(TypedDict, total=False):
    """The keywords of `Gate.assert_no_regression`.

    margin, slices, convention, bounds, test, level, n_resamples and seed are those of
    `ndcg.compare`; `on_unsure` says what becomes of "cannot tell".
    """

    margin: float | None
    slices: Any
    convention: Any
    bounds: Any
    test: Literal["bootstrap", "t", "permutation"]
    level: float
    n_resamples: int
    seed: int
    on_unsure: Literal["warn", "fail", "pass"]


def _ignore(_line: str) -> None:
    return


class Gate:
    """What the fixture ``ndcg`` is.

    Parameters
    ----------
    on_unsure
        What "cannot tell" does: ``"warn"``, ``"fail"`` or ``"pass"``.
    update
        Whether the candidate becomes the baseline file (``pytest --ndcg-update``).
    record
        Called with one line for each comparison.
    """

    def __init__(
        self,
        *,
        on_unsure: str = "warn",
        update: bool = False,
        record: Callable[[str], None] = _ignore,
    ) -> None:
        check_choice("on_unsure", on_unsure, _ON_UNSURE)
        self._on_unsure = on_unsure
        self._update = update
        self._record = record

    def assert_no_regression(
        self,
        qrels: Any,
        baseline: Any,
        candidate: Any,
        measure: str | Measure | Sequence[str | Measure] = "nDCG@10",
        **options: Unpack[GateOptions],
    ) -> Comparison:
        """Return the comparison of a candidate with its baseline, or fail the test.

        It fails when `ndcg.compare` calls the candidate worse, overall or on a slice value:
        without a margin, when the difference is negative and its corrected p is at most
        ``1 - level``; with one, when moreover the difference is below ``-margin`` and so is the
        lower end of its one-sided interval. Holes in the judgments that could be the cause make
        it "cannot tell", which warns unless `on_unsure` says otherwise.

        Parameters
        ----------
        qrels
            Anything that `ndcg.as_qrels` takes.
        baseline, candidate
            Anything that `ndcg.as_run` takes, or scores saved with ``ndcg eval --save``.
        measure
            A measure or several; each is a verdict of its own.
        **options
            See `GateOptions`.

        Examples
        --------
        Two queries that fell out of forty are no proof, and that is said:

        >>> qrels = {f"q{i}": {"a": 1} for i in range(40)}
        >>> old = {q: {"a": 2.0, "b": 1.0} for q in qrels}
        >>> new = old | {q: {"b": 2.0, "a": 1.0} for q in ("q0", "q1")}
        >>> gate = Gate(on_unsure="pass")
        >>> gate.assert_no_regression(qrels, old, new).verdict.word
        'cannot tell'
        """
        __tracebackhide__ = True
        try:
            on_unsure = options.pop("on_unsure", self._on_unsure)
            check_choice("on_unsure", on_unsure, _ON_UNSURE)
            rewritten = self._prepare(baseline, candidate, options)
            found = _compare(qrels, baseline, candidate, measure, dict(options))
            if rewritten:
                _write_baseline(baseline, candidate, options.get("convention"))
        except NdcgError as error:
            # Pytest would print every frame between the test and the message.
            pytest.fail(str(error), pytrace=False)
        self._tell(found.comparison, rewritten=rewritten)
        if not rewritten:
            _judge(found, on_unsure)
        return found.comparison

    def _prepare(self, baseline: Any, candidate: Any, options: GateOptions) -> bool:
        """Write a missing baseline; return whether the one that is there is to be rewritten."""
        is_path = isinstance(baseline, (str, PathLike))
        if self._update and not is_path:
            raise OptionError(
                "--ndcg-update writes the baseline's file, and this baseline is no path; name a "
                "file, or run without it"
            )
        if not is_path or _is_there(baseline):
            return self._update
        if not self._update:
            raise OptionError(
                f"{baseline}: no such baseline; to make it from this candidate run "
                "pytest --ndcg-update"
            )
        _write_baseline(baseline, candidate, options.get("convention"))
        self._record(f"baseline written: {baseline}")
        return False

    def _tell(self, comparison: Comparison, *, rewritten: bool) -> None:
        from ndcg.reporting.regressions import pair_line

        prefix = "baseline rewritten; before that " if rewritten else ""
        for pair in comparison.pairs:
            self._record(prefix + pair_line(comparison, pair))


def _is_there(path: str | PathLike[str]) -> bool:
    # A quoted pattern names the parts of one run.
    return Path(path).exists() or any(mark in str(path) for mark in "*?[")


def _compare(
    qrels: Any, baseline: Any, candidate: Any, measure: Any, options: dict[str, Any]
) -> Compared:
    from ndcg.evaluation import distinct_names
    from ndcg.reporting.moved_queries import compare_in_memory

    given = {"baseline": baseline, "candidate": candidate}
    names = [
        distinct_names([run])[0] if isinstance(run, (str, PathLike)) else role
        for role, run in given.items()
    ]
    if names[0] == names[1]:
        names = list(given)
    runs = dict(zip(names, (baseline, candidate), strict=True))
    return compare_in_memory(qrels, runs, measure, **options)


def _write_baseline(path: str | PathLike[str], candidate: Any, convention: Any) -> None:
    from ndcg.conventions import as_convention
    from ndcg.evaluation import find_scores
    from ndcg.formats.reading import as_run
    from ndcg.formats.writing import write_run

    target = Path(path)
    saved = find_scores(candidate)
    run = None
    if saved is None:
        run = as_run(candidate, duplicates=as_convention(convention).duplicates)
    elif target.suffix != ".parquet":
        raise OptionError(
            f"{target}: the candidate is saved scores, which are Parquet; let the baseline's name "
            "end in .parquet"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    if saved is not None:
        saved.save(target)
    elif run is not None:
        write_run(run, target)


def _judge(found: Compared, on_unsure: str) -> None:
    """Fail for a regression, and warn or fail where it cannot be told."""
    __tracebackhide__ = True
    from ndcg.reporting.regressions import lost_slices, pair_line, regression_text

    pairs = found.comparison.pairs
    worse = [p for p in pairs if p.verdict.word == "worse" or lost_slices(found.comparison, p)]
    if worse:
        pytest.fail(regression_text(found, worse), pytrace=False)
    unsure = [pair for pair in pairs if pair.verdict.word == "cannot tell"]
    if unsure and on_unsure == "fail":
        pytest.fail(regression_text(found, unsure), pytrace=False)
    if unsure and on_unsure == "warn":
        for pair in unsure:
            told = f"{pair_line(found.comparison, pair)}: {'; '.join(pair.verdict.reasons)}"
            # The frame of the test, which is what the summary of warnings names.
            warnings.warn(told, CannotTellWarning, stacklevel=3)


@pytest.fixture
def ndcg(request: pytest.FixtureRequest) -> Gate:
    """Gate on a run's quality: ``ndcg.assert_no_regression(qrels, baseline, candidate)``."""
    properties = request.node.user_properties
    return Gate(
        on_unsure=request.config.getoption("ndcg_on_unsure"),
        update=request.config.getoption("ndcg_update"),
        record=lambda line: properties.append((_PROPERTY, line)),
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the fixture."""
    group = parser.getgroup("ndcg", "ndcg: a run against its baseline")
    group.addoption(
        "--ndcg-update",
        action="store_true",
        default=False,
        help="Write each candidate over its baseline's file; no test fails for a regression.",
    )
    group.addoption(
        "--ndcg-on-unsure",
        choices=_ON_UNSURE,
        default="warn",
        help="What a comparison that cannot tell does. Default: warn.",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show every comparison, passed or failed, with its numbers."""
    lines = [
        f"{report.nodeid}: {line}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, line in report.user_properties
        if name == _PROPERTY
    ]
    if lines:
        terminalreporter.section("ndcg")
        for line in lines:
            terminalreporter.line(line)
