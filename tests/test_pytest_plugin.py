"""The fixture ``ndcg``: in this process, and in runs of pytest of their own."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

import ndcg as package
from ndcg.pytest_plugin import CannotTellWarning, Gate

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "src" / "ndcg" / "samples"
QRELS = SAMPLES / "qrels.txt"
BM25 = SAMPLES / "bm25.run.gz"
Lists = dict[str, dict[str, float]]


def reversed_tops(share: int) -> Lists:
    """Return bm25 with the first ten of every so manieth query in the reverse order."""
    lists = {}
    for i, (query, docs) in enumerate(package.as_run(BM25).lookup.items()):
        scores = dict(docs)
        top = sorted(scores, key=lambda doc: (-scores[doc], doc))[:10]
        values = [scores[doc] for doc in top]
        if i % share == 0:
            scores |= dict(zip(top, values[::-1], strict=True))
        lists[query] = scores
    return lists


@pytest.fixture(scope="module")
def halved() -> Lists:
    return reversed_tops(2)


def failure(*arguments: Any, gate: Gate | None = None, **options: Any) -> str:
    with pytest.raises(pytest.fail.Exception) as caught:
        (gate or Gate()).assert_no_regression(*arguments, **options)
    return str(caught.value)


def test_the_same_run_passes_and_is_recorded() -> None:
    told: list[str] = []
    found = Gate(record=told.append).assert_no_regression(QRELS, BM25, BM25)
    assert found.verdict.word == "no difference"
    (line,) = told
    assert line == (
        "no difference: nDCG@10 0.6315 -> 0.6315 (+0.0000, 95% [+0.000, +0.000], n 135, "
        "judged 74%/74%), candidate against baseline"
    )


def test_a_loss_beyond_noise_fails_with_all_that_is_known(halved: Lists) -> None:
    text = failure(QRELS, BM25, halved, n_resamples=999)
    pair = package.compare(QRELS, {"bm25": BM25, "candidate": halved}, n_resamples=999).pairs[0]
    worst, fall = pair.moved[0]
    lines = text.splitlines()
    assert lines[0] == "nDCG@10: candidate against bm25: WORSE"
    mean = f"mean         {pair.numbers.means[0]:.4f} -> {pair.numbers.means[1]:.4f}, n 135"
    assert mean in lines
    assert "judged       73.6% -> 72.8% of the top" in lines
    assert any(line.startswith(f"  {worst}: ") and f"({fall:+.4f})" in line for line in lines)
    assert f"qrels        {package.as_qrels(QRELS).digest[:12]}, 135 queries" in lines
    assert f"run          bm25, {package.as_run(BM25).digest[:12]}" in lines
    assert f"run          candidate, {package.as_run(halved).digest[:12]}" in lines
    assert "convention   gain linear, log2, ties trec, unanswered 0, barren 0" in lines
    assert max(map(len, lines)) <= 80


def test_the_documents_of_a_fall_are_named() -> None:
    qrels = {f"q{i:02}": {"good": 3, "poor": 0} for i in range(20)}
    old = {query: {"good": 2.0, "poor": 1.0} for query in qrels}
    new = {query: {"poor": 2.0, "good": 1.0} for query in qrels}
    assert "    good, grade 3: rank 1 -> 2 (-0.3691)" in failure(qrels, old, new).splitlines()
    lines = failure(qrels, old, new, "nDCG@1").splitlines()
    assert "    good, grade 3: rank 1 -> below 1 (-1.0000)" in lines
    lines = failure(qrels, old, new, "RR").splitlines()
    assert "  q00: 1.0000 -> 0.5000 (-0.5000)" in lines
    assert not [line for line in lines if "grade" in line]


def test_a_loss_within_the_margin_passes(halved: Lists) -> None:
    difference = package.compare(QRELS, {"a": BM25, "b": halved}).pairs[0].numbers.difference
    assert difference < -0.02
    found = Gate().assert_no_regression(QRELS, BM25, halved, margin=0.9)
    assert found.verdict.word == "no difference"
    assert "beyond the margin of 0.01" in failure(QRELS, BM25, halved, margin=0.01)


def test_what_cannot_be_told_warns_fails_or_passes() -> None:
    runs = (QRELS, BM25, SAMPLES / "minilm.run.gz")
    with pytest.warns(CannotTellWarning, match="coverage is unequal") as caught:
        Gate().assert_no_regression(*runs)
    assert caught[0].filename == __file__
    assert "minilm against bm25: CANNOT TELL" in failure(*runs, gate=Gate(on_unsure="fail"))
    assert "CANNOT TELL" in failure(*runs, on_unsure="fail")
    gate = Gate(on_unsure="fail")
    assert gate.assert_no_regression(*runs, on_unsure="pass").verdict.word == "cannot tell"


def test_a_slice_that_loses_fails_a_run_that_gains() -> None:
    qrels = {f"q{i:03}": {"good": 1, "poor": 0} for i in range(200)}
    up, down = {"good": 2.0, "poor": 1.0}, {"poor": 2.0, "good": 1.0}
    old = {query: down if i < 170 else up for i, query in enumerate(qrels)}
    new = {query: up if i < 170 else down for i, query in enumerate(qrels)}
    slices = {query: {"kind": "head" if i < 170 else "tail"} for i, query in enumerate(qrels)}
    assert Gate().assert_no_regression(qrels, old, new).verdict.word == "better"
    lines = failure(qrels, old, new, slices=slices).splitlines()
    assert lines[0] == "nDCG@10: candidate against baseline: BETTER"
    at = lines.index("slices that lost beyond noise")
    assert lines[at + 1].startswith("  kind=tail: 1.0000 -> 0.6309 (-0.3691")


def test_a_small_slice_is_not_tested() -> None:
    qrels = {f"q{i:03}": {"good": 1, "poor": 0} for i in range(100)}
    up, down = {"good": 2.0, "poor": 1.0}, {"poor": 2.0, "good": 1.0}
    new = {query: up if i > 5 else down for i, query in enumerate(qrels)}
    slices = {query: {"kind": "head" if i > 5 else "tail"} for i, query in enumerate(qrels)}
    gate = Gate(on_unsure="pass")
    found = gate.assert_no_regression(qrels, dict.fromkeys(qrels, up), new, slices=slices)
    verdicts = {part.value: part.verdict for part in found.slices}
    assert verdicts["tail"] is None
    assert verdicts["head"] is not None
    assert verdicts["head"].word == "no difference"


def test_a_missing_baseline_says_how_to_make_it(tmp_path: Path) -> None:
    missing = tmp_path / "baselines" / "dense.run"
    assert failure(QRELS, missing, BM25) == (
        f"{missing}: no such baseline; to make it from this candidate run pytest --ndcg-update"
    )
    assert not missing.parent.exists()


def test_a_missing_baseline_is_written_on_request(tmp_path: Path) -> None:
    missing, told = tmp_path / "baselines" / "dense.run", list[str]()
    found = Gate(update=True, record=told.append).assert_no_regression(QRELS, missing, BM25)
    assert found.verdict.word == "no difference"
    assert package.as_run(missing).digest == package.as_run(BM25).digest
    assert told[0] == f"baseline written: {missing}"


def test_a_rewritten_baseline_says_what_was_lost(tmp_path: Path, halved: Lists) -> None:
    baseline, told = tmp_path / "dense.run", list[str]()
    package.write_run(package.as_run(BM25), baseline)
    found = Gate(update=True, record=told.append).assert_no_regression(QRELS, baseline, halved)
    assert found.verdict.word == "worse"
    assert told[0].startswith("baseline rewritten; before that worse: nDCG@10 0.6315 -> 0.5")
    assert package.as_run(baseline).digest == package.as_run(halved).digest


def test_saved_scores_are_a_baseline_too(tmp_path: Path, halved: Lists) -> None:
    path = tmp_path / "bm25.parquet"
    package.evaluate(QRELS, {"bm25": BM25}, ["nDCG@10", "Judged@10"]).save(path)
    lines = failure(QRELS, path, halved).splitlines()
    assert lines[0] == "nDCG@10: candidate against bm25: WORSE"
    assert "run          bm25, digest not known" in lines
    saved, target = package.load_scores(path), tmp_path / "new.parquet"
    found = Gate(update=True).assert_no_regression(QRELS, target, saved)
    assert found.verdict.word == "no difference"
    assert "let the baseline's name end in .parquet" in failure(
        QRELS, tmp_path / "new.run", saved, gate=Gate(update=True)
    )


def test_mistakes_are_one_message(tmp_path: Path) -> None:
    assert "no measure named 'nDGC@10'" in failure(QRELS, BM25, BM25, "nDGC@10")
    assert "must be one of warn, fail, pass" in failure(QRELS, BM25, BM25, on_unsure="no")
    assert "this baseline is no path" in failure(QRELS, {}, BM25, gate=Gate(update=True))
    assert "no such file" in failure(QRELS, BM25, tmp_path / "none.run")
    with pytest.raises(package.OptionError, match="did you mean 'warn'"):
        Gate(on_unsure="warm")


TESTS = f"""
QRELS, BM25 = {str(QRELS)!r}, {str(BM25)!r}

def test_same(ndcg):
    ndcg.assert_no_regression(QRELS, BM25, BM25, n_resamples=199)

def test_worse(ndcg):
    import ndcg as package
    lists = package.as_run(BM25).lookup
    turned = {{q: {{d: -s for d, s in docs.items()}} for q, docs in lists.items()}}
    ndcg.assert_no_regression(QRELS, BM25, turned, n_resamples=199, on_unsure="fail")

def test_unsure(ndcg):
    dense = BM25.replace("bm25", "minilm")
    ndcg.assert_no_regression(QRELS, BM25, dense, n_resamples=199)
"""


@pytest.fixture
def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a run of pytest that finds the plugin by the entry point of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    site = pytester.mkdir("site") / "ndcg_entry-0.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: ndcg-entry\nVersion: 0\n")
    points = project["entry-points"]["pytest11"]
    text = "".join(f"{name} = {target}\n" for name, target in points.items())
    (site / "entry_points.txt").write_text(f"[pytest11]\n{text}")
    paths = [str(site.parent), str(ROOT / "src")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    return pytester


def test_a_run_of_pytest_shows_every_comparison(installed: pytest.Pytester) -> None:
    installed.makepyfile(TESTS)
    done = installed.runpytest_subprocess("-p", "no:cacheprovider", "--junitxml=out.xml")
    done.assert_outcomes(passed=2, failed=1, warnings=1)
    done.stdout.fnmatch_lines(
        [
            "*nDCG@10: candidate against bm25: *",
            "*CannotTellWarning: cannot tell: nDCG@10 0.6315 -> 0.5042*",
            "*= ndcg =*",
            "*::test_same: no difference: nDCG@10 0.6315 -> 0.6315 (*n 135*",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
    assert '<property name="ndcg" value="no difference: nDCG@10' in Path("out.xml").read_text()


def test_the_options_are_those_of_the_command_line(installed: pytest.Pytester) -> None:
    installed.makepyfile(TESTS)
    arguments = ("-p", "no:cacheprovider", "-k", "unsure")
    done = installed.runpytest_subprocess(*arguments, "--ndcg-on-unsure=fail")
    done.assert_outcomes(failed=1, deselected=2)
    done.stdout.fnmatch_lines(["*minilm against bm25: CANNOT TELL"])


def test_starting_pytest_imports_nothing_heavy(installed: pytest.Pytester) -> None:
    installed.makepyfile(
        """
        import sys
        def test_light(request):
            assert request.config.pluginmanager.has_plugin("ndcg")
            assert "ndcg.pytest_plugin" in sys.modules
            assert {"numpy", "polars", "scipy", "click"} & set(sys.modules) == set()
        """
    )
    installed.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
