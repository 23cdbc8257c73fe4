from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ndcg
import ndcg.samples as samples_package
from ndcg.comparison import Comparison, compare
from ndcg.errors import InputError, OptionError
from ndcg.evaluation import evaluate
from ndcg.measures import parse_measure

SAMPLES = Path(next(iter(samples_package.__path__)))
QRELS = SAMPLES / "qrels.txt"
RUNS = {name: SAMPLES / f"{name}.run.gz" for name in ("bm25", "tfidf", "minilm")}

Judgments = dict[str, dict[str, int]]
Lists = dict[str, dict[str, float]]


def made(n: int, ranks: list[int]) -> tuple[Judgments, Lists]:
    """Return n queries whose one relevant document stands at the given ranks, all judged."""
    qrels, run = {}, {}
    for i in range(n):
        docs = [f"d{j}" for j in range(10)]
        place = ranks[i % len(ranks)] - 1
        qrels[f"q{i:03}"] = {doc: int(j == place) for j, doc in enumerate(docs)}
        run[f"q{i:03}"] = {doc: 10.0 - j for j, doc in enumerate(docs)}
    return qrels, run


def moved(run: Lists, qrels: Judgments, queries: list[str], to: float) -> Lists:
    """Return the run with the relevant document of some queries at another score."""
    changed = {query: dict(docs) for query, docs in run.items()}
    for query in queries:
        best = max(qrels[query], key=lambda doc: qrels[query][doc])
        changed[query][best] = to
    return changed


@pytest.fixture(scope="module")
def sample() -> Comparison:
    return compare(QRELS, RUNS, ["nDCG@10", "AP"], slices=SAMPLES / "slices.tsv")


def test_pairs_come_by_measure_and_run_against_the_first(sample: Comparison) -> None:
    assert [(pair.run, repr(pair.measure)) for pair in sample.pairs] == [
        ("tfidf", "nDCG@10"),
        ("minilm", "nDCG@10"),
        ("tfidf", "AP"),
        ("minilm", "AP"),
    ]
    assert {pair.baseline for pair in sample.pairs} == {"bm25"}


def test_the_numbers_are_those_of_the_scores(sample: Comparison) -> None:
    scores = evaluate(QRELS, RUNS, ["nDCG@10", "Judged@10"])
    pair = sample.pairs[1].numbers
    base, run = scores.per_query("nDCG@10", "bm25"), scores.per_query("nDCG@10", "minilm")
    assert pair.means == (scores.mean("bm25")["nDCG@10"], scores.mean("minilm")["nDCG@10"])
    assert pair.difference == pytest.approx(pair.means[1] - pair.means[0])
    assert pair.wins == sum(run[q] > base[q] + 1e-12 for q in base)
    assert pair.losses == sum(run[q] < base[q] - 1e-12 for q in base)
    assert pair.wins + pair.ties + pair.losses == pair.n == 135
    assert pair.judged == pytest.approx(
        (scores.mean("bm25")["Judged@10"], scores.mean("minilm")["Judged@10"])
    )


def test_the_dense_run_is_not_called_worse_while_its_top_was_never_judged(
    sample: Comparison,
) -> None:
    verdict = sample.pairs[1].verdict
    assert verdict.word == "cannot tell"
    assert (
        "coverage is unequal: judged@10 is 73.6% for the baseline and 39.1%" in verdict.reasons[0]
    )
    assert sample.exit_code == 3


def test_the_queries_that_fell_most_are_named(sample: Comparison) -> None:
    pair = sample.pairs[1]
    drops = [change for _, change in pair.fallen]
    assert drops == sorted(drops)
    assert all(change < -0.3 for change in drops)
    assert pair.moved[0] == pair.fallen[0]
    assert any(change > 0 for _, change in pair.moved)


def test_a_slice_below_ten_queries_is_shown_and_not_tested(sample: Comparison) -> None:
    small = [part for part in sample.slices if part.numbers.n < 10]
    assert small
    assert all(part.numbers.pvalue is None and part.numbers.interval is None for part in small)
    tested = [part for part in sample.slices if part.numbers.n >= 10]
    assert all(part.numbers.pvalue_corrected is not None for part in tested)


def test_slices_of_a_partition_add_up_to_the_whole(sample: Comparison) -> None:
    parts = [
        part.numbers
        for part in sample.slices
        if (part.run, part.slice, repr(part.measure)) == ("tfidf", "n_terms", "nDCG@10")
    ]
    total = sum(part.n * part.difference for part in parts) / sum(part.n for part in parts)
    assert total == pytest.approx(sample.pairs[0].numbers.difference)


def test_queries_without_a_value_are_a_group_of_their_own() -> None:
    found = compare(QRELS, {"a": RUNS["bm25"], "b": RUNS["tfidf"]}, slices={"c001": {"k": "x"}})
    assert [(part.value, part.numbers.n) for part in found.slices] == [
        ("x", 1),
        ("(no value)", 134),
    ]


def test_better_and_worse_and_the_exit_code() -> None:
    qrels, run = made(60, [3, 4, 5])
    better = moved(run, qrels, list(qrels)[:40], 99.0)
    up = compare(qrels, {"old": run, "new": better})
    assert (up.verdict.word, up.exit_code) == ("better", 0)
    down = compare(qrels, {"old": better, "new": run})
    assert (down.verdict.word, down.exit_code) == ("worse", 1)


def test_identical_runs_are_no_difference_with_p_1() -> None:
    qrels, run = made(20, [1, 2])
    found = compare(qrels, {"a": run, "b": dict(run)})
    numbers = found.pairs[0].numbers
    assert (numbers.difference, numbers.interval, numbers.pvalue) == (0.0, (0.0, 0.0), 1.0)
    assert str(found.verdict) == "no difference: the same value on all 20 queries"


@pytest.mark.parametrize("test", ["bootstrap", "t", "permutation"])
@pytest.mark.parametrize("correction", ["holm", "maxt", "bh", "none"])
def test_every_test_and_correction_gives_a_whole_answer(test: Any, correction: Any) -> None:
    found = compare(QRELS, RUNS, test=test, correction=correction, n_resamples=999)
    for pair in found.pairs:
        numbers = pair.numbers
        assert numbers.pvalue is not None
        assert numbers.pvalue_corrected is not None
        assert 0 < numbers.pvalue <= 1
        assert numbers.pvalue <= numbers.pvalue_corrected + 1e-9 or correction == "maxt"
        assert numbers.interval is not None
        assert numbers.interval[0] <= numbers.difference <= numbers.interval[1]


def test_holm_doubles_the_smaller_of_two() -> None:
    found = compare(QRELS, RUNS, correction="holm", test="t")
    plain = compare(QRELS, RUNS, correction="none", test="t")
    ps = sorted(pair.numbers.pvalue or 0.0 for pair in plain.pairs)
    corrected = sorted(pair.numbers.pvalue_corrected or 0.0 for pair in found.pairs)
    assert corrected[0] == pytest.approx(2 * ps[0])


def test_all_pairs_compares_every_run_with_every_other() -> None:
    found = compare(QRELS, RUNS, all_pairs=True, n_resamples=999)
    assert [(pair.baseline, pair.run) for pair in found.pairs] == [
        ("bm25", "tfidf"),
        ("bm25", "minilm"),
        ("tfidf", "minilm"),
    ]
    for pair in found.pairs:
        assert pair.numbers.interval is not None
        assert np.mean(pair.numbers.interval) == pytest.approx(pair.numbers.difference)


def test_the_same_seed_gives_the_same_digits() -> None:
    first, second = (compare(QRELS, RUNS, seed=7, n_resamples=500).to_dict() for _ in range(2))
    assert first == second


def test_any_run_can_be_the_baseline() -> None:
    found = compare(QRELS, RUNS, baseline="minilm", n_resamples=99)
    assert [pair.run for pair in found.pairs] == ["bm25", "tfidf"]
    with pytest.raises(OptionError, match=r"no run named 'minlim' as baseline; did you mean"):
        compare(QRELS, RUNS, baseline="minlim")


def test_saved_scores_stand_in_for_runs(tmp_path: Path) -> None:
    path = tmp_path / "bm25.parquet"
    evaluate(QRELS, {"bm25": RUNS["bm25"]}, ["nDCG@10", "Judged@10"]).save(path)
    fresh = compare(QRELS, {"bm25": RUNS["bm25"], "tfidf": RUNS["tfidf"]})
    for first in (path, str(path)):
        found = compare(QRELS, {"bm25": first, "tfidf": RUNS["tfidf"]})
        assert found.pairs[0].numbers == fresh.pairs[0].numbers


def test_saved_scores_alone_need_no_judgments(tmp_path: Path) -> None:
    saved = {}
    for name in ("bm25", "tfidf"):
        saved[name] = tmp_path / f"{name}.parquet"
        evaluate(QRELS, {name: RUNS[name]}).save(saved[name])
    assert compare(None, saved).pairs[0].numbers.n == 135
    with pytest.raises(InputError, match="to evaluate a run the judgments are needed"):
        compare(None, {"a": saved["bm25"], "b": RUNS["tfidf"]})


def changed_judgments() -> Judgments:
    from ndcg import as_qrels

    table: Judgments = {q: dict(docs) for q, docs in as_qrels(QRELS).lookup.items()}  # type: ignore[arg-type]
    first = next(iter(table))
    table[first] = table[first] | {"never": 3}
    return table


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"qrels": "changed"}, r"saved scores 'tfidf' rests on other judgments \(qrels"),
        ({"convention": "pytrec_eval"}, "saved scores 'tfidf' has another convention"),
        ({"measures": "nDCG@5"}, r"lacks nDCG@5 \(it has nDCG@10, R@100, Judged@10\)"),
    ],
)
def test_what_cannot_be_compared_is_refused(keywords: dict[str, Any], message: str) -> None:
    saved = evaluate(QRELS, {"tfidf": RUNS["tfidf"]})
    qrels = changed_judgments() if keywords.pop("qrels", None) else QRELS
    with pytest.raises(InputError, match=message):
        compare(qrels, {"bm25": RUNS["bm25"], "tfidf": saved}, **keywords)


def test_one_run_alone_is_no_comparison() -> None:
    with pytest.raises(InputError, match="needs two runs or more, got bm25 alone"):
        compare(QRELS, {"bm25": RUNS["bm25"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxon"}, "test must be one of bootstrap, t, permutation"),
        ({"correction": "bonferroni"}, "correction must be one of holm, maxt, bh, none"),
        ({"level": 1.0}, "level must be above 0 and below 1"),
        ({"n_resamples": 0}, "n_resamples must be 1 or more"),
        ({"margin": -0.1}, "margin must be above 0"),
        ({"margin": 0.1, "all_pairs": True}, "a margin goes with a baseline"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        compare(QRELS, RUNS, **options)


def test_queries_that_one_run_lacks_are_left_out_of_the_pair_when_skipped() -> None:
    found = compare(QRELS, RUNS, convention="pytrec_eval", n_resamples=99)
    assert [pair.numbers.n for pair in found.pairs] == [129, 131]


def test_a_reversal_in_every_slice_is_noticed() -> None:
    qrels = {f"q{i:02}": {"a": 1} for i in range(44)}
    good, bad = {"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}
    groups = {query: ["x", "y"] if i < 20 else ["xy"[i % 2]] for i, query in enumerate(qrels)}
    old = {query: good if i < 20 else bad for i, query in enumerate(qrels)}
    new = {query: bad if i < 20 else good for i, query in enumerate(qrels)}
    slices = {query: {"part": values} for query, values in groups.items()}
    found = compare(qrels, {"old": old, "new": new}, slices=slices, n_resamples=99)
    assert found.pairs[0].numbers.difference > 0
    assert [part.numbers.difference < 0 for part in found.slices] == [True, True]
    assert [notice.code for notice in found.notices if notice.code == "simpson"] == ["simpson"]


def test_a_wide_spread_between_slices_is_noticed() -> None:
    qrels, run = made(40, [1, 9])
    kinds = {query: {"kind": "easy" if i % 2 == 0 else "hard"} for i, query in enumerate(qrels)}
    other = moved(run, qrels, list(qrels)[:3], 8.5)
    found = compare(qrels, {"a": run, "b": other}, slices=kinds)
    spread = [notice.text for notice in found.notices if notice.code == "slice-spread"]
    assert len(spread) == 1
    assert "between the values of slice 'kind'" in spread[0]


def test_the_comparison_shows_itself(sample: Comparison) -> None:
    assert repr(sample).startswith("Comparison(against bm25: tfidf cannot tell")
    assert "<ul>" in sample._repr_html_()
    told = sample.to_dict()
    assert list(told["pairs"][0])[:6] == ["run", "baseline", "measure", "n", "means", "difference"]
    assert told["procedure"]["seed"] == 0
    assert sample.to_frame()["verdict"].to_list() == ["cannot tell"] * 4
    changes = sample.differences
    mine = changes.filter((changes["run"] == "tfidf") & (changes["measure"] == "AP"))
    assert math.fsum(mine["difference"]) / len(mine) == pytest.approx(
        sample.pairs[2].numbers.difference
    )
    with pytest.raises(OptionError, match="there are 4 pairs"):
        _ = sample.verdict


def test_a_measure_is_kept_as_a_value(sample: Comparison) -> None:
    assert sample.pairs[0].measure == parse_measure("ndcg_cut_10")


def test_runs_without_a_common_query_are_named() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {"old": {"q1": {"a": 1.0}}, "new": {"q2": {"a": 1.0}}}
    with pytest.raises(InputError, match="old and new have no query in common"):
        compare(qrels, runs, convention="pytrec_eval")


def test_slices_of_all_pairs_say_which_pair_they_are_of() -> None:
    slices = SAMPLES / "slices.tsv"
    found = compare(QRELS, RUNS, slices=slices, all_pairs=True, n_resamples=99)
    pairs = {(part.baseline, part.run) for part in found.slices}
    assert pairs == {("bm25", "tfidf"), ("bm25", "minilm"), ("tfidf", "minilm")}


def test_a_difference_of_values_from_0_to_1_has_no_interval_beyond_1() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(10)}
    good, bad = {"a": 2.0, "b": 1.0}, {"b": 2.0}
    old = dict.fromkeys(qrels, good)
    new = old | dict.fromkeys(list(qrels)[:2], bad)
    ends = compare(qrels, {"old": old, "new": new}, "P@1").pairs[0].numbers.interval
    assert ends is not None
    assert -1.0 <= ends[0] < ends[1] <= 1.0


def test_bounds_are_those_of_the_runs_and_of_every_slice() -> None:
    found = compare(QRELS, RUNS, slices=SAMPLES / "slices.tsv", bounds=True)
    expected = ndcg.bounds(QRELS, RUNS)
    assert [pair.run for pair in found.pairs] == ["tfidf", "minilm"]
    for pair in found.pairs:
        told = pair.to_dict()
        assert told["bounds"] == list(expected.difference("bm25", pair.run))
        assert told["settled"] is False
        assert "not settled" in str(pair.verdict)
    assert found.to_dict()["unjudged"] == {"grades": [0, 1, 2, 3], "open_world": False}
    groups = [part for part in found.slices if part.run == "minilm" and part.slice == "n_terms"]
    weighted = sum(part.numbers.n * part.to_dict()["bounds"][0] for part in groups) / 135
    assert weighted == pytest.approx(expected.difference("bm25", "minilm").lower)


def test_bounds_of_all_pairs_and_of_another_scale() -> None:
    qrels, run = made(40, [1, 2, 3])
    other = moved(run, qrels, [f"q{i:03}" for i in range(20)], 20.0)
    third = {query: {"new": 30.0, **docs} for query, docs in run.items()}
    found = compare(
        qrels, {"a": run, "b": other, "c": third}, all_pairs=True, bounds={"grades": (0, 1)}
    )
    told = {(pair.baseline, pair.run): pair.to_dict() for pair in found.pairs}
    assert told["a", "b"]["settled"] is True
    assert told["a", "b"]["holes"] == 0
    assert told["a", "c"]["holes"] == 40
    assert told["a", "c"]["settled"] is False
    assert found.to_dict()["unjudged"]["grades"] == [0, 1]


def test_bounds_need_judgments_and_runs() -> None:
    scores = evaluate(QRELS, RUNS["bm25"], ["nDCG@10", "Judged@10"])
    with pytest.raises(InputError, match="bm25: bounds need the run itself, these are saved"):
        compare(QRELS, {"bm25": scores, "tfidf": RUNS["tfidf"]}, bounds=True)
    with pytest.raises(InputError, match="bounds need the judgments, got none"):
        compare(None, {"bm25": scores, "tfidf": scores}, bounds=True)
