"""``ndcg explain`` and ``ndcg why``."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import ndcg as library

Ndcg = Callable[..., Result]

WORKED = """\
query q1
nDCG@5 = DCG / IDCG = 3.2541 / 4.7619 = 0.6834 (a)
gain linear, log2, ties trec, unanswered 0, barren 0

rank  document  grade  gain  log2(i+1)  gain/log2(i+1)
   1  d7         hole     0     1.0000          0.0000
   2  d2            3     3     1.5850          1.8928
   3  d9            1     1     2.0000          0.5000
   4  d4            2     2     2.3219          0.8614
   5  d1         hole     0     2.5850          0.0000
      DCG                                       3.2541

ideal order
rank  document  grade  gain  log2(i+1)  gain/log2(i+1)
   1  d2            3     3     1.0000          3.0000
   2  d4            2     2     1.5850          1.2619
   3  d9            1     1     2.0000          0.5000
      IDCG                                      4.7619

2 of 5 documents are holes: never judged, counted as not relevant
"""
MOVED = """\

what if d2 at rank 1
nDCG@5 = DCG / IDCG = 4.3614 / 4.7619 = 0.9159 (a), +0.2325
rank  document  grade  gain  log2(i+1)  gain/log2(i+1)
   1  d2            3     3     1.0000          3.0000
   2  d7         hole     0     1.5850          0.0000
   3  d9            1     1     2.0000          0.5000
   4  d4            2     2     2.3219          0.8614
   5  d1         hole     0     2.5850          0.0000
      DCG                                       4.3614
"""
AGAINST = """\

b 0.9159, a 0.6834: difference -0.2325
document  grade  a  b  difference
d2            3  2  1     -0.2325
"""


@pytest.mark.usefixtures("worked")
def test_the_worked_example(ndcg: Ndcg) -> None:
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "-m", "nDCG@5")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == WORKED


@pytest.mark.usefixtures("worked")
def test_a_move_shows_what_if(ndcg: Ndcg) -> None:
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "-m", "nDCG@5", "--move", "d2=1")
    assert result.stdout == WORKED + MOVED


@pytest.mark.usefixtures("worked")
def test_moves_follow_one_another(ndcg: Ndcg) -> None:
    moves = ("--move", "d2=1", "--move", " d4 = 2".replace(" ", ""), "--move", "d9=3")
    result = ndcg("explain", "qrels.txt", "a.run", "q1", *moves)
    assert "what if d2 at rank 1, d4 at rank 2, d9 at rank 3\n" in result.stdout
    assert "4.7619 / 4.7619 = 1.0000 (a), +0.3166\n" in result.stdout


def test_another_run_shows_which_documents_make_the_difference(ndcg: Ndcg, worked: Path) -> None:
    lines = (worked / "a.run").read_text().replace("d2 2 4", "d2 1 9")
    (worked / "b.run").write_text(lines)
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "-m", "nDCG@5", "--against", "b.run")
    assert result.stdout == WORKED + AGAINST


def test_a_run_that_ranks_alike_makes_no_difference(ndcg: Ndcg, worked: Path) -> None:
    (worked / "b.run").write_text((worked / "a.run").read_text())
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--against", "b.run")
    assert result.stdout.endswith(
        "b 0.6834, a 0.6834: difference +0.0000; no document makes a difference\n"
    )


@pytest.mark.usefixtures("samples")
def test_a_page_fits_80_columns(ndcg: Ndcg) -> None:
    options = ("--against", "minilm.run.gz", "--queries", "queries.tsv", "--move", "77192154=1")
    for profile in library.PROFILES:
        result = ndcg("explain", "qrels.txt", "bm25.run.gz", "c014", *options, "--as", profile)
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("samples")
def test_the_text_of_a_query_is_shown(ndcg: Ndcg) -> None:
    arguments = ("explain", "qrels.txt", "bm25.run.gz", "c014", "--queries", "queries.tsv")
    assert ndcg(*arguments).stdout.startswith("query c014: gaming mouse\nnDCG@10 = ")
    assert json.loads(ndcg(*arguments, "--format", "json").stdout)["text"] == "gaming mouse"


@pytest.mark.usefixtures("worked")
def test_a_query_without_a_text_is_said(ndcg: Ndcg) -> None:
    Path("queries.tsv").write_text("q2\tshoes\n")
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--queries", "queries.tsv")
    assert result.exit_code == 0
    assert result.stderr == "note: queries.tsv: no text for query 'q1'\n"
    assert result.stdout.startswith("query q1\n")


@pytest.mark.parametrize("named", ["set", "set/qrels/test.tsv"])
def test_a_beir_folder_brings_the_text_of_its_queries(ndcg: Ndcg, worked: Path, named: str) -> None:
    (worked / "set" / "qrels").mkdir(parents=True)
    (worked / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    (worked / "set" / "queries.jsonl").write_text('{"_id": "q1", "text": "red\\tshoes"}\n')
    result = ndcg("explain", named, "a.run", "q1")
    assert result.stdout.startswith("query q1: red\\tshoes\n")


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("d2", "--move takes DOC=RANK, such as d2=1, got 'd2'"),
        ("=1", "--move takes DOC=RANK, such as d2=1, got '=1'"),
        ("d2=", "--move takes DOC=RANK, such as d2=1, got 'd2='"),
        ("d2=x", "--move takes DOC=RANK, such as d2=1, got 'd2=x'"),
        ("d2=1.5", "--move takes DOC=RANK, such as d2=1, got 'd2=1.5'"),
        ("d2=-1", "--move takes DOC=RANK, such as d2=1, got 'd2=-1'"),
        ("d2=²", "--move takes DOC=RANK, such as d2=1, got 'd2=²'"),
        ("d2=0", "rank of 'd2' must be an integer of 1 or more, got 0"),
        (
            "d22=1",
            "document 'd22' is neither retrieved nor judged for query 'q1'; did you mean 'd2'?",
        ),
    ],
)
def test_a_bad_move_is_refused(ndcg: Ndcg, move: str, message: str) -> None:
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--move", move)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"ndcg: {message}\n"


def test_a_document_with_an_equals_sign_moves(ndcg: Ndcg, worked: Path) -> None:
    (worked / "a.run").write_text((worked / "a.run").read_text().replace("d2", "u?a=2"))
    (worked / "qrels.txt").write_text((worked / "qrels.txt").read_text().replace("d2", "u?a=2"))
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--move", "u?a=2=1")
    assert "what if u?a=2 at rank 1\n" in result.stdout


@pytest.mark.usefixtures("worked")
def test_a_rank_far_beyond_the_end_is_the_end(ndcg: Ndcg) -> None:
    result = ndcg("explain", "qrels.txt", "a.run", "q1", "--move", "d2=999999999999")
    assert "what if d2 at rank 5\n" in result.stdout


def test_an_unjudged_query_of_the_run_is_said_so(ndcg: Ndcg, worked: Path) -> None:
    (worked / "a.run").write_text((worked / "a.run").read_text() + "q2 Q0 d1 1 1 sys\n")
    result = ndcg("explain", "qrels.txt", "a.run", "q2")
    assert result.exit_code == 2
    assert result.stderr == (
        "ndcg: query 'q2' is not judged, though the run has it (the qrels have 'q1')\n"
    )


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize(
    ("query", "profile", "line"),
    [
        ("c005", "default", "nDCG@10 = 0.0000 (bm25): the run does not have this query"),
        (
            "c005",
            "pytrec_eval",
            "nDCG@10 (bm25) is left out of the mean: the run does not have this query",
        ),
        (
            "c007",
            "default",
            "nDCG@10 = 0.0000 (bm25): no relevant document was judged, which counts 0",
        ),
        (
            "c007",
            "lightgbm",
            "nDCG@10 = 1.0000 (bm25): no relevant document was retrieved, which counts 1",
        ),
    ],
)
def test_a_query_without_a_quotient_says_why(
    ndcg: Ndcg, query: str, profile: str, line: str
) -> None:
    result = ndcg("explain", "qrels.txt", "bm25.run.gz", query, "--as", profile)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1] == line
    told = ndcg(
        "explain", "qrels.txt", "bm25.run.gz", query, "--as", profile, "--format", "json"
    ).stdout
    value = json.loads(told)["value"]
    assert value == (None if "left out" in line else float(line.split()[2]))


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize(
    ("profile", "remark"),
    [
        ("default", "= shares its score with other documents; their ids decide, descending"),
        ("ranx", "= shares its score with other documents; the order given decides"),
        (
            "sklearn",
            (
                "= shares its score with other documents; the expected value over their orders\n"
                "  counts"
            ),
        ),
    ],
)
def test_tied_documents_are_marked(ndcg: Ndcg, profile: str, remark: str) -> None:
    result = ndcg("explain", "qrels.txt", "bm25.run.gz", "c014", "-m", "nDCG@5", "--as", profile)
    assert "\n   4=  77195849 " in result.stdout
    assert "\n   5=  77195848 " in result.stdout
    assert f"\n{remark}\n" in result.stdout


def explained(ndcg: Ndcg, *arguments: str) -> dict[str, Any]:
    result = ndcg("explain", *arguments, "--format", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.mark.usefixtures("worked")
def test_json_has_steps_ideal_and_convention(ndcg: Ndcg) -> None:
    told = explained(ndcg, "qrels.txt", "a.run", "q1", "-m", "nDCG@5")
    assert list(told) == [
        *("schema", "measure", "query_id", "run", "convention", "value", "dcg", "idcg"),
        *("answered", "moves", "steps", "ideal", "text"),
    ]
    assert told["convention"] == library.PROFILES["default"].to_dict()
    assert told["value"] == library.evaluate("qrels.txt", "a.run", "nDCG@5")["nDCG@5"]["q1"]
    assert told["steps"][0] == {
        "rank": 1,
        "doc_id": "d7",
        "grade": None,
        "gain": 0.0,
        "discount": 1.0,
        "value": 0.0,
        "tied": False,
        "retrieved": True,
    }
    assert [step["doc_id"] for step in told["ideal"]] == ["d2", "d4", "d9"]
    assert (told["moves"], told["text"]) == ([], None)


def test_json_has_the_move_and_the_other_run(ndcg: Ndcg, worked: Path) -> None:
    (worked / "b.run").write_text((worked / "a.run").read_text().replace("d2 2 4", "d2 1 9"))
    options = ("--move", "d2=1", "--against", "b.run")
    told = explained(ndcg, "qrels.txt", "a.run", "q1", *options)
    assert told["moved"]["moves"] == [["d2", 1]]
    assert told["moved"]["value"] == told["against"]["value"]
    assert told["against"]["run"] == "b"
    assert told["against"]["documents"][0] == {
        "doc_id": "d2",
        "grade": 3.0,
        "rank": 2,
        "other_rank": 1,
        "difference": pytest.approx(told["value"] - told["against"]["value"], abs=1e-15),
    }


def test_chunks_are_explained_as_documents(ndcg: Ndcg, worked: Path) -> None:
    (worked / "a.run").write_text((worked / "a.run").read_text().replace(" d2 ", " d2#4 "))
    told = json.loads(
        ndcg("explain", "qrels.txt", "a.run", "q1", "--parent", "#", "--format", "json").stdout
    )
    assert told["steps"][1]["doc_id"] == "d2"


WHY = """\
nDCG@10 as trec_eval 0.6315 over 135 queries, as sklearn 0.6512 over 131 queries

each rule changed alone, from the first to the second
rule         trec_eval  sklearn  queries moved  mean then
ties         trec       average             31     0.6319
grades       truncated  exact                0     0.6315
unanswered   zero       skip                 4     0.6508
short_lists  end        fill                 1     0.6320

35 queries differ
query  trec_eval  sklearn  difference  rules
c005      0.0000        -           -  unanswered
c051      0.0000        -           -  unanswered
c052      0.0000        -           -  unanswered
c129      0.0000        -           -  unanswered
c073      0.5806   0.6782      0.0976  ties
(30 more)
"""


@pytest.mark.usefixtures("samples")
def test_why_names_queries_and_rules(ndcg: Ndcg) -> None:
    profiles = ("--as", "trec_eval", "--as", "sklearn")
    result = ndcg("why", "qrels.txt", "bm25.run.gz", *profiles, "--top", "5")
    assert (result.exit_code, result.stdout) == (0, WHY)


@pytest.mark.usefixtures("samples")
def test_why_shows_no_query_on_request_and_refuses_fewer(ndcg: Ndcg) -> None:
    profiles = ("--as", "trec_eval", "--as", "sklearn")
    result = ndcg("why", "qrels.txt", "bm25.run.gz", *profiles, "--top", "0")
    assert result.stdout.endswith("query  trec_eval  sklearn  difference  rules\n(35 more)\n")
    refused = ndcg("why", "qrels.txt", "bm25.run.gz", *profiles, "--top", "-1")
    assert refused.exit_code == 2
    assert "Invalid value for '--top'" in refused.stderr


@pytest.mark.usefixtures("samples")
def test_why_fits_80_columns_for_every_two_profiles(ndcg: Ndcg) -> None:
    names = list(library.PROFILES)
    for first, second in itertools.pairwise(names):
        result = ndcg("why", "qrels.txt", "bm25.run.gz", "--as", first, "--as", second)
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.usefixtures("worked")
def test_why_says_that_nothing_differs(ndcg: Ndcg) -> None:
    result = ndcg("why", "qrels.txt", "a.run", "--as", "beir", "--as", "pytrec_eval")
    assert result.stdout == (
        "nDCG@10 as beir 0.6834 over 1 query, as pytrec_eval 0.6834 over 1 query\n"
        "\n"
        "each rule changed alone, from the first to the second\n"
        "rule      beir  pytrec_eval  queries moved  mean then\n"
        "same_ids  drop  keep                     0     0.6834\n"
        "\n"
        "no query differs on this data\n"
    )


@pytest.mark.usefixtures("samples")
def test_why_as_json(ndcg: Ndcg) -> None:
    profiles = ("--as", "trec_eval", "--as", "sklearn")
    result = ndcg("why", "qrels.txt", "bm25.run.gz", *profiles, "--format", "json", "-m", "P@5")
    told = json.loads(result.stdout)
    assert list(told) == [
        *("schema", "measure", "conventions", "means", "counts", "rules", "queries"),
    ]
    assert (told["schema"], told["measure"]) == (1, "P@5")
    assert (told["conventions"], told["counts"]) == (["trec_eval", "sklearn"], [135, 131])
    assert [rule["rule"] for rule in told["rules"]] == [
        *("ties", "grades", "unanswered", "short_lists"),
    ]
    assert told["queries"][0] == {
        "query_id": "c005",
        "first": 0.0,
        "second": None,
        "difference": None,
        "rules": "unanswered",
    }


def test_why_refuses_a_run_that_answers_no_judged_query(ndcg: Ndcg, worked: Path) -> None:
    (worked / "other.run").write_text("x1 Q0 d1 1 1 sys\n")
    for form in ("table", "json"):
        profiles = ("--as", "trec_eval", "--as", "sklearn")
        result = ndcg("why", "qrels.txt", "other.run", *profiles, "--format", form)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "ndcg: other: none of its queries is judged; the run has 'x1', the qrels have 'q1'\n"
        )


def test_why_reads_duplicates_as_the_laxer_profile_does(ndcg: Ndcg, worked: Path) -> None:
    (worked / "twice.run").write_text((worked / "a.run").read_text() * 2)
    assert ndcg("why", "qrels.txt", "twice.run", "--as", "trec_eval", "--as", "gdeval").exit_code
    result = ndcg("why", "qrels.txt", "twice.run", "--as", "trec_eval", "--as", "ranx")
    assert result.exit_code == 0
    assert "the last counts" in result.stderr
