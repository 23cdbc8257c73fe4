"""``ndcg eval``: every option and every format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import Result

import ndcg as library
from ndcg.reporting.grids import display_width

if TYPE_CHECKING:
    from pathlib import Path

Ndcg = Callable[..., Result]


def test_the_table_has_convention_means_and_notices(ndcg: Ndcg, worked: Path) -> None:
    result = ndcg("eval", "qrels.txt", "a.run")
    digest = library.as_qrels(worked / "qrels.txt").digest[:12]
    assert result.stderr == ""
    assert result.stdout == (
        f"gain linear, log2, ties trec, unanswered 0, barren 0; qrels {digest}\n"
        "\n"
        "run  nDCG@10   R@100  Judged@10  n\n"
        "a     0.6834  1.0000     0.6000  1\n"
        "\n"
        "note: a: judged@10 is 60.0%: 40.0% of the top 10 was never judged and counts as\n"
        "  not relevant\n"
        "note: a: no list reaches rank 100 (deepest 5)\n"
    )


@pytest.mark.usefixtures("samples")
def test_the_table_of_real_runs_fits_80_columns(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt", "bm25.run.gz", "tfidf.run.gz", "minilm.run.gz", "-q")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert result.stdout.splitlines()[2:9] == [
        "run            nDCG@10           R@100       Judged@10    n",
        "bm25            0.6315          0.7663          0.7359  135",
        "        [0.563, 0.697]  [0.698, 0.825]  [0.679, 0.787]",
        "tfidf           0.5364          0.7044          0.6364  135",
        "        [0.470, 0.607]  [0.634, 0.769]  [0.576, 0.697]",
        "minilm          0.5042          0.6866          0.3911  135",
        "        [0.440, 0.571]  [0.617, 0.747]  [0.337, 0.448]",
    ]


@pytest.mark.usefixtures("samples")
def test_intervals_may_be_left_out(ndcg: Ndcg) -> None:
    runs = ("bm25.run.gz", "tfidf.run.gz", "minilm.run.gz")
    result = ndcg("eval", "qrels.txt", *runs, "--no-ci")
    assert result.stdout.splitlines()[2:6] == [
        "run     nDCG@10   R@100  Judged@10    n",
        "bm25     0.6315  0.7663     0.7359  135",
        "tfidf    0.5364  0.7044     0.6364  135",
        "minilm   0.5042  0.6866     0.3911  135",
    ]
    told = report(ndcg, "qrels.txt", *runs, "--no-ci")
    assert told["runs"][0]["measures"]["nDCG@10"]["interval"] is None
    csv_names = ndcg("eval", "qrels.txt", *runs, "--no-ci", "--format", "csv").stdout
    assert csv_names.startswith("run,nDCG@10,R@100,Judged@10,n\n")


@pytest.mark.usefixtures("samples")
def test_every_format_has_the_intervals(ndcg: Ndcg) -> None:
    arguments = ("eval", "qrels.txt", "bm25.run.gz", "-m", "nDCG@10")
    low, high = library.evaluate("qrels.txt", "bm25.run.gz", "nDCG@10").intervals()[
        library.nDCG @ 10
    ] or (0.0, 0.0)
    printed = {
        form: ndcg(*arguments, "--format", form).stdout for form in ("csv", "tsv", "md", "latex")
    }
    assert printed["csv"].splitlines()[0] == "run,nDCG@10,nDCG@10 low,nDCG@10 high,n"
    assert [float(cell) for cell in printed["csv"].splitlines()[1].split(",")[2:4]] == [low, high]
    assert printed["tsv"] == printed["csv"].replace(",", "\t")
    cell = f"0.6315 [{low:.3f}, {high:.3f}]"
    assert f"| bm25 | {cell} | 135 |" in printed["md"]
    assert f"bm25 & {cell} & 135 \\\\" in printed["latex"]
    (run,) = report(ndcg, *arguments[1:])["runs"]
    assert run["measures"]["nDCG@10"]["interval"] == [low, high]


@pytest.mark.usefixtures("samples")
def test_many_measures_follow_in_blocks(ndcg: Ndcg) -> None:
    wanted = "nDCG@5,nDCG@10,nDCG@20,AP,RR@10,P@5,P@10,R@100,Judged@10"
    result = ndcg("eval", "qrels.txt", "bm25.run.gz", "-m", wanted, "--no-ci")
    assert result.stdout.splitlines()[2:7] == [
        "run   nDCG@5  nDCG@10  nDCG@20      AP   RR@10     P@5    P@10   R@100",
        "bm25  0.6378   0.6315   0.6338  0.5822  0.7111  0.5556  0.4667  0.7663",
        "",
        "run   Judged@10    n",
        "bm25     0.7359  135",
    ]


@pytest.mark.usefixtures("worked")
def test_each_query_is_shown_on_request(ndcg: Ndcg) -> None:
    for option in ("-q", "--per-query"):
        lines = ndcg("eval", "qrels.txt", "a.run", "-m", "nDCG@5", option).stdout.splitlines()
        assert lines[5:7] == ["run  query_id  nDCG@5", "a    q1        0.6834"]


@pytest.mark.usefixtures("worked")
def test_measures_repeat_and_the_first_is_primary(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt", "a.run", "--measure", "AP", "-m", "map,P_5", "-m", "RR@1")
    assert result.stdout.splitlines()[2:4] == [
        "run      AP     P@5    RR@1  n",
        "a    0.6389  0.6000  0.0000  1",
    ]


@pytest.mark.usefixtures("samples")
def test_another_tools_convention_is_named_in_the_heading(ndcg: Ndcg) -> None:
    options = ("--as", "sklearn", "-m", "nDCG@10", "--no-ci")
    result = ndcg("eval", "qrels.txt", "bm25.run.gz", *options)
    heading = " ".join(result.stdout.partition("\n\n")[0].split())
    assert heading.startswith("as sklearn: gain linear, log2, ties average, unanswered left out,")
    assert "bm25   0.6512  131" in result.stdout


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_csv_and_tsv_carry_every_digit(ndcg: Ndcg, form: str, separator: str) -> None:
    options = ("-m", "nDCG@5", "-m", "R@100", "--no-ci")
    result = ndcg("eval", "qrels.txt", "a.run", *options, "--format", form)
    rows = list(csv.reader(io.StringIO(result.stdout), delimiter=separator))
    scores = library.evaluate("qrels.txt", "a.run", ["nDCG@5", "R@100"])
    assert rows[0] == ["run", "nDCG@5", "R@100", "n"]
    assert rows[1][:1] + rows[1][2:] == ["a", "1.0", "1"]
    assert float(rows[1][1]) == scores.mean()["nDCG@5"]


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("tsv", "\t")])
def test_csv_and_tsv_of_each_query_read_back(ndcg: Ndcg, form: str, separator: str) -> None:
    result = ndcg("eval", "qrels.txt", "bm25.run.gz", "minilm.run.gz", "-q", "--format", form)
    rows = list(csv.DictReader(io.StringIO(result.stdout), delimiter=separator))
    scores = library.evaluate("qrels.txt", ["bm25.run.gz", "minilm.run.gz"])
    for name in ("bm25", "minilm"):
        for measure in scores.measures:
            read = {
                row["query_id"]: float(row[repr(measure)])
                for row in rows
                if row["run"] == name and row[repr(measure)] != ""
            }
            assert read == scores.per_query(measure, name)


@pytest.mark.usefixtures("worked")
def test_notices_of_data_formats_go_to_standard_error(ndcg: Ndcg) -> None:
    for form in ("csv", "tsv", "md", "latex", "trec"):
        result = ndcg("eval", "qrels.txt", "a.run", "--format", form)
        assert "note" not in result.stdout
        notes = result.stderr.splitlines()
        assert notes[0].startswith("note: gain linear, log2, ties trec, unanswered 0, barren 0; qr")
        assert notes[2] == "note: a: no list reaches rank 100 (deepest 5)"


@pytest.mark.usefixtures("worked")
def test_markdown(ndcg: Ndcg) -> None:
    assert ndcg("eval", "qrels.txt", "a.run", "--format", "md").stdout == (
        "| run | nDCG@10 |  R@100 | Judged@10 |   n |\n"
        "| --- | ------: | -----: | --------: | --: |\n"
        "| a   |  0.6834 | 1.0000 |    0.6000 |   1 |\n"
    )


@pytest.mark.usefixtures("worked")
def test_latex(ndcg: Ndcg) -> None:
    assert ndcg("eval", "qrels.txt", "a.run", "--format", "latex", "-m", "nDCG@5").stdout == (
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "run & nDCG@5 & n \\\\\n"
        "\\midrule\n"
        "a & 0.6834 & 1 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


@pytest.mark.usefixtures("worked")
def test_trec(ndcg: Ndcg) -> None:
    measures = "nDCG@5,AP,RR,P@5,R@100,Success@1,NumRet,NumRel,NumRelRet,Judged@10"
    result = ndcg("eval", "qrels.txt", "a.run", "--format", "trec", "-m", measures, "-q")
    values = [
        ("ndcg_cut_5", "0.6834"),
        ("map", "0.6389"),
        ("recip_rank", "0.5000"),
        ("P_5", "0.6000"),
        ("recall_100", "1.0000"),
        ("success_1", "0.0000"),
        ("num_ret", "5"),
        ("num_rel", "3"),
        ("num_rel_ret", "3"),
        ("Judged@10", "0.6000"),
    ]
    expected = [f"{name:<22}\tq1\t{value}" for name, value in values]
    expected += [f"{'runid':<22}\tall\ta", f"{'num_q':<22}\tall\t1"]
    expected += [f"{name:<22}\tall\t{value}" for name, value in values]
    assert result.stdout.splitlines() == expected


@pytest.mark.usefixtures("samples")
def test_trec_totals_counts_over_queries(ndcg: Ndcg) -> None:
    result = ndcg("eval", "qrels.txt", "bm25.run.gz", "--format", "trec", "-m", "NumRet,NumRelRet")
    scores = library.evaluate("qrels.txt", "bm25.run.gz", ["NumRet", "NumRelRet"])
    totals = [sum(scores[name].values()) for name in ("NumRet", "NumRelRet")]
    assert result.stdout.splitlines() == [
        f"{'runid':<22}\tall\tbm25",
        f"{'num_q':<22}\tall\t135",
        f"{'num_ret':<22}\tall\t{totals[0]:.0f}",
        f"{'num_rel_ret':<22}\tall\t{totals[1]:.0f}",
    ]


def test_trec_holds_one_run(ndcg: Ndcg, worked: Path) -> None:
    (worked / "b.run").write_text((worked / "a.run").read_text())
    result = ndcg("eval", "qrels.txt", "a.run", "b.run", "--format", "trec")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "ndcg: format trec holds one run, got 2; name one run\n"


def report(ndcg: Ndcg, *arguments: str) -> dict[str, Any]:
    """Return what ``--format json`` prints; a NaN in it is an error."""

    def refuse(text: str) -> None:
        raise AssertionError(text)

    result = ndcg("eval", *arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    told: dict[str, Any] = json.loads(result.stdout, parse_constant=refuse)
    return told


@pytest.mark.usefixtures("samples")
def test_json_has_exactly_the_keys_of_the_contract(ndcg: Ndcg) -> None:
    told = report(ndcg, "qrels.txt", "bm25.run.gz", "minilm.run.gz")
    assert list(told) == ["schema", "convention", "qrels", "runs", "unjudged", "notices"]
    assert told["schema"] == 1
    assert told["convention"] == library.PROFILES["default"].to_dict()
    assert told["qrels"] == {
        "digest": library.as_qrels("qrels.txt").digest,
        "queries": 135,
        "judgments": 3668,
    }
    assert [run["name"] for run in told["runs"]] == ["bm25", "minilm"]
    for run in told["runs"]:
        assert list(run) == ["name", "digest", "queries", "measures", "slices"]
        assert list(run["measures"]) == ["nDCG@10", "R@100", "Judged@10"]
        for measure in run["measures"].values():
            assert list(measure) == ["mean", "interval", "n", "bounds"]
        assert run["slices"] == []
    assert all(list(notice) == ["code", "run", "text"] for notice in told["notices"])


@pytest.mark.usefixtures("samples")
def test_json_has_the_numbers_to_the_last_digit(ndcg: Ndcg) -> None:
    told = report(ndcg, "qrels.txt", "bm25.run.gz")
    scores = library.evaluate("qrels.txt", "bm25.run.gz", run_digests=True)
    run = told["runs"][0]
    assert run["digest"] == scores.run().digest == library.as_run("bm25.run.gz").digest
    assert run["queries"] == {"evaluated": 135, "unanswered": 4, "barren": 19, "unjudged": 0}
    for name, measure in run["measures"].items():
        assert measure["mean"] == scores.mean()[name]
        assert measure["n"] == scores.count(name)
    assert [(n["code"], n["run"]) for n in told["notices"]] == [
        ("barren", None),
        ("unanswered", "bm25"),
        ("undefined", "bm25"),
        ("coverage", "bm25"),
        ("ties", "bm25"),
        ("shallow", "bm25"),
    ]


@pytest.mark.usefixtures("samples")
def test_json_of_each_query_has_null_where_a_measure_is_undefined(ndcg: Ndcg) -> None:
    (run,) = report(ndcg, "qrels.txt", "bm25.run.gz", "-q")["runs"]
    assert list(run) == ["name", "digest", "queries", "measures", "slices", "per_query"]
    scores = library.evaluate("qrels.txt", "bm25.run.gz")
    assert list(run["per_query"]) == scores.query_ids
    assert run["per_query"]["c005"] == {"nDCG@10": 0.0, "R@100": 0.0, "Judged@10": None}
    for query, values in run["per_query"].items():
        known = {name: value for name, value in values.items() if value is not None}
        assert known == scores.to_dict()[query]


@pytest.mark.usefixtures("samples")
def test_json_of_queries_that_a_convention_leaves_out(ndcg: Ndcg) -> None:
    told = report(ndcg, "qrels.txt", "bm25.run.gz", "-q", "--as", "pytrec_eval", "-m", "nDCG@10")
    run = told["runs"][0]
    assert told["convention"]["profile"] == "pytrec_eval"
    assert run["measures"]["nDCG@10"]["n"] == run["queries"]["evaluated"] == 131
    assert run["per_query"]["c005"] == {"nDCG@10": None}


def test_json_keeps_ids_of_any_script(ndcg: Ndcg, worked: Path) -> None:
    (worked / "q.json").write_text(json.dumps({"日本\t": {"é": 1}}))
    (worked / "r.json").write_text(json.dumps({"日本\t": {"é": 1.0}}))
    told = report(ndcg, "q.json", "r.json", "-q", "-m", "nDCG@5")
    assert told["runs"][0]["per_query"] == {"日本\t": {"nDCG@5": 1.0}}


def test_named_formats_overrule_the_content(ndcg: Ndcg, worked: Path) -> None:
    (worked / "q.txt").write_text("q1 d1 1\nq1 d2 1\n")
    (worked / "r.txt").write_text("q1 d2 2\nq1 d1 1\n")
    result = ndcg("eval", "q.txt", "r.txt", "-m", "RR", "--run-format", "msmarco")
    assert result.exit_code == 0
    result = ndcg("eval", "q.txt", "r.txt", "-m", "RR")
    assert result.exit_code == 2
    assert "cannot tell whether the third column is a rank or a score" in result.stderr


def test_chunks_stand_for_their_documents(ndcg: Ndcg, worked: Path) -> None:
    chunked = (worked / "a.run").read_text().replace(" d2 ", " d2#1 ").replace(" d1 ", " d2#7 ")
    (worked / "chunks.run").write_text(chunked)
    result = ndcg("eval", "qrels.txt", "chunks.run", "-m", "nDCG@5", "--parent", "#")
    assert "\nchunks  0.6834  1\n" in result.stdout
    assert "chunks: 2 chunks stand for their documents; 1 left out below a better" in result.stdout


def test_chunks_may_be_named_by_a_file(ndcg: Ndcg, worked: Path) -> None:
    (worked / "chunks.run").write_text((worked / "a.run").read_text().replace(" d2 ", " c9 "))
    (worked / "parents.tsv").write_text("c9\td2\n")
    result = ndcg("eval", "qrels.txt", "chunks.run", "-m", "nDCG@5", "--parent", "parents.tsv")
    assert "\nchunks  0.6834  1\n" in result.stdout


@pytest.mark.parametrize(("policy", "value"), [("first", "0.6834"), ("last", "0.5862")])
def test_duplicates_count_as_asked(ndcg: Ndcg, worked: Path, policy: str, value: str) -> None:
    doubled = (worked / "a.run").read_text() + "q1 Q0 d2 6 0.5 sys\n"
    (worked / "twice.run").write_text(doubled)
    result = ndcg("eval", "qrels.txt", "twice.run", "-m", "nDCG@5", "--duplicates", policy)
    assert f"\ntwice  {value}  1\n" in result.stdout
    assert f"the {policy} counts" in result.stdout
    assert f"duplicates {policy}" in " ".join(result.stdout.split())


def test_duplicates_are_refused_unless_asked(ndcg: Ndcg, worked: Path) -> None:
    (worked / "twice.run").write_text((worked / "a.run").read_text() * 2)
    for options in ((), ("--duplicates", "error")):
        result = ndcg("eval", "qrels.txt", "twice.run", *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "twice.run:6: document 'd7' is retrieved twice for query 'q1'" in result.stderr


def test_duplicates_may_be_refused_against_a_profile(ndcg: Ndcg, worked: Path) -> None:
    (worked / "twice.run").write_text((worked / "a.run").read_text() * 2)
    assert ndcg("eval", "qrels.txt", "twice.run", "--as", "ranx").exit_code == 0
    strict = ndcg("eval", "qrels.txt", "twice.run", "--as", "ranx", "--duplicates", "error")
    assert strict.exit_code == 2


def test_a_folder_or_a_pattern_is_one_run(ndcg: Ndcg, worked: Path) -> None:
    lines = (worked / "a.run").read_text().splitlines(keepends=True)
    (worked / "parts").mkdir()
    (worked / "parts" / "part-0").write_text("".join(lines[:2]))
    (worked / "parts" / "part-1").write_text("".join(lines[2:]))
    for name in ("parts", "parts/part-*"):
        told = report(ndcg, "qrels.txt", name, "-m", "nDCG@5")
        (run,) = told["runs"]
        assert run["digest"] == library.as_run(worked / "a.run").digest


def test_runs_of_one_name_keep_apart(ndcg: Ndcg, worked: Path) -> None:
    for folder in ("x", "y"):
        (worked / folder).mkdir()
        (worked / folder / "a.run").write_text((worked / "a.run").read_text())
    names = [run["name"] for run in report(ndcg, "qrels.txt", "x/a.run", "y/a.run")["runs"]]
    assert len(set(names)) == 2


def test_a_file_name_that_is_no_utf_8_names_a_run_all_the_same(ndcg: Ndcg, worked: Path) -> None:
    (worked / "bad\udcff.run").write_text((worked / "a.run").read_text())
    result = ndcg(
        "eval", "qrels.txt", "bad\udcff.run", "--save", "s.parquet", "-o", "o.json",
        "--format", "json",
    )  # fmt: skip
    assert result.exit_code == 0
    assert json.loads((worked / "o.json").read_text())["runs"][0]["name"] == "bad\\xff"
    assert library.load_scores("s.parquet").runs[0].name == "bad\\xff"


AWKWARD = ["a\tb", "a\nb", "a\r\nb", "\x1b[31mred", "\u202egnip", '"q", r', "日本語", "x" * 5_000]


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "md", "latex", "json"])
def test_ids_of_any_kind_keep_every_format_in_form(ndcg: Ndcg, worked: Path, form: str) -> None:
    (worked / "q.json").write_text(json.dumps({query: {"d": 1} for query in AWKWARD}))
    (worked / "r.json").write_text(json.dumps({query: {"d": 1.0} for query in AWKWARD}))
    arguments = ("eval", "q.json", "r.json", "-m", "RR", "-q", "--no-ci", "--format", form)
    printed = ndcg(*arguments).stdout_bytes.decode()
    if form == "json":
        assert sorted(json.loads(printed)["runs"][0]["per_query"]) == sorted(AWKWARD)
        return
    if form in {"csv", "tsv"}:
        separator = "," if form == "csv" else "\t"
        rows = list(csv.reader(io.StringIO(printed, newline=""), delimiter=separator))
        assert [row[0:3:2] for row in rows[1:]] == [["r", "1.0"]] * len(AWKWARD)
        assert {row[1] for row in rows[1:]} == set(AWKWARD)
        return
    lines = printed.splitlines()
    assert all(line.isprintable() for line in lines)
    extra = {"table": 6, "md": 2, "latex": 6}[form]
    assert len(lines) == len(AWKWARD) + extra
    if form == "table":
        assert max(map(display_width, lines)) <= 80
        assert len({display_width(line) for line in lines[-len(AWKWARD) :]}) == 1


def test_bounds_stand_beside_the_value_in_every_format(ndcg: Ndcg, worked: Path) -> None:
    page = ndcg("eval", "qrels.txt", "a.run", "--bounds", "--no-ci").stdout
    assert "bounds of nDCG@10: unjudged grades 0,1,2,3, closed pool" in page
    lower, upper = library.bounds(worked / "qrels.txt", worked / "a.run").of()
    assert f"{lower:.4f}   {upper:.4f}" in page
    told = json.loads(
        ndcg("eval", "qrels.txt", "a.run", "--bounds", "-q", "--format", "json").stdout
    )
    (run,) = told["runs"]
    assert run["measures"]["nDCG@10"]["bounds"] == [lower, upper]
    assert run["measures"]["R@100"]["bounds"] is None
    assert run["per_query_bounds"] == {"q1": {"nDCG@10": [lower, upper]}}
    assert told["unjudged"] == {"grades": [0, 1, 2, 3], "open_world": False}
    rows = ndcg("eval", "qrels.txt", "a.run", "--bounds", "--format", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(rows))
    assert (float(row["nDCG@10 at least"]), float(row["nDCG@10 at most"])) == (lower, upper)
    queries = ndcg("eval", "qrels.txt", "a.run", "--bounds", "-q", "--format", "csv").stdout
    (row,) = csv.DictReader(io.StringIO(queries))
    assert float(row["nDCG@10 at most"]) == upper


@pytest.mark.usefixtures("samples")
def test_bounds_of_slices_average_to_those_of_the_run(ndcg: Ndcg) -> None:
    asked = ("--bounds", "--slices", "slices.tsv", "--by", "n_terms", "--format", "json")
    told = json.loads(ndcg("eval", "qrels.txt", "bm25.run.gz", *asked).stdout)
    (run,) = told["runs"]
    parts = [(part["n"], part["measures"]["nDCG@10"]["bounds"]) for part in run["slices"]]
    for end in (0, 1):
        mean = sum(n * ends[end] for n, ends in parts) / sum(n for n, _ in parts)
        assert mean == pytest.approx(run["measures"]["nDCG@10"]["bounds"][end])
    page = ndcg("eval", "qrels.txt", "bm25.run.gz", *asked[:-2]).stdout
    assert "nDCG@10 at least" in page
    assert max(map(len, page.splitlines())) <= 80


@pytest.mark.usefixtures("worked")
def test_bounds_that_cannot_be_are_refused(ndcg: Ndcg) -> None:
    for options, message in (
        (("--format", "trec"), "format trec has no place for bounds"),
        (("-m", "AP"), "bounds are known for nDCG, DCG, CG, P, not AP"),
        (("--grades", "0,1,2"), "have grade 3, which is outside the scale 0,1,2"),
    ):
        result = ndcg("eval", "qrels.txt", "a.run", "--bounds", *options)
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in result.stderr
