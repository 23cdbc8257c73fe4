"""``ndcg eval --format trec`` against the expected outputs in trec_eval's own tests.

golden/trec_eval/out.* are copies from trec_eval 10.0-rc3; each was made by the command beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from ndcg import evaluate
from ndcg.cli import main

TREC_EVAL = Path(__file__).parent / "golden" / "trec_eval"

# The names that both print, as regular expressions, with our spelling.
SPELLINGS = {
    r"num_ret": "NumRet",
    r"num_rel": "NumRel",
    r"num_rel_ret": "NumRelRet",
    r"map": "AP",
    r"Rprec": "Rprec",
    r"bpref": "Bpref",
    r"recip_rank": "RR",
    r"P_(\d+)": "P@",
    r"recall_(\d+)": "R@",
    r"infAP": "infAP",
    r"ndcg": "nDCG",
    r"ndcg_cut_(\d+)": "nDCG@",
    r"map_cut_(\d+)": "AP@",
    r"success_(\d+)": "Success@",
    r"set_P": "P",
    r"set_recall": "R",
}
# They do not depend on the grade from which a document is relevant.
WITHOUT_REL = {"NumRet", "nDCG"}


@dataclass(frozen=True)
class Expected:
    """An output of trec_eval, and the files that it was made from."""

    file: str
    qrels: str = "qrels.test.gz"
    run: str = "results.test"
    rel: int = 1
    lines: int = 0

    @property
    def text(self) -> list[str]:
        """The lines of the measures that we have, in their order."""
        content = (TREC_EVAL / self.file).read_text().splitlines()
        return [line for line in content if self.spelling(line.split()[0]) or line[:6] == "num_q "]

    @property
    def per_query(self) -> bool:
        return any(line.split("\t")[1] != "all" for line in self.text)

    @property
    def measures(self) -> list[str]:
        """The measures of the first query, or of all, in order."""
        first = self.text[0].split("\t")[1]
        names = [line.split()[0] for line in self.text if line.split("\t")[1] == first]
        return [spelling for name in names if (spelling := self.spelling(name))]

    def spelling(self, name: str) -> str | None:
        for pattern, spelling in SPELLINGS.items():
            found = re.fullmatch(pattern, name)
            if found:
                family, at, _ = spelling.partition("@")
                rel = f"(rel={self.rel})" if self.rel > 1 and family not in WITHOUT_REL else ""
                return f"{family}{rel}{at}{found.group(1) if found.groups() else ''}"
        return None


OUTPUTS = {
    # trec_eval qrels.test results.test
    "summary": Expected("out.test", lines=17),
    # trec_eval -m all_trec -q qrels.test results.test
    "every measure": Expected("out.test.aq", lines=201),
    # trec_eval -m all_trec -q -c qrels.test results.trunc
    "judged query missing from the run": Expected("out.test.aqc", run="results.trunc", lines=201),
    # trec_eval -m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test
    "relevant from grade 2 up": Expected("out.test.aql", "qrels.rel_level.gz", rel=2, lines=201),
    # trec_eval -q -m P.5,7,3 -m recall.20,2000 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 (and more)
    "cutoffs": Expected("out.test.meas_params", lines=44),
}


def printed(expected: Expected, *options: str) -> list[str]:
    """Return what our command prints for the measures of an output."""
    files = [str(TREC_EVAL / expected.qrels), str(TREC_EVAL / expected.run)]
    measures = [option for measure in expected.measures for option in ("-m", measure)]
    query = ["-q"] if expected.per_query else []
    result = CliRunner().invoke(
        main, ["eval", *files, "--format", "trec", *query, *measures, *options]
    )
    assert (result.exit_code, result.exception) == (0, None), result.output
    return result.stdout.splitlines()


@pytest.mark.parametrize("options", [(), ("--as", "trec_eval")], ids=["default", "trec_eval"])
@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_trec_evals_line_by_line(name: str, options: tuple[str, ...]) -> None:
    expected = OUTPUTS[name]
    assert len(expected.text) == expected.lines
    lines = printed(expected, *options)
    # trec_eval prints the tag in the run's lines for runid; we print the name of the run. And with
    # -m it prints runid and num_q only when they are asked for; we always do.
    extra = {"runid"} if any("num_q" in line for line in expected.text) else {"runid", "num_q"}
    assert [line for line in lines if line.split()[0] not in extra] == expected.text
    assert f"{'num_q':<22}\tall\t3" in lines


def test_the_run_is_named_where_trec_eval_names_it() -> None:
    lines = printed(OUTPUTS["summary"])
    assert lines[0] == "runid                 \tall\tresults.test"
    assert (
        (TREC_EVAL / "out.test").read_text().startswith("runid                 \tall\tSTANDARD\n")
    )


def test_trec_evals_own_names_of_measures_are_understood() -> None:
    files = [str(TREC_EVAL / "qrels.test.gz"), str(TREC_EVAL / "results.test")]
    names = ["P.5,7,3", "recall.20,2000", "ndcg_cut.10,20", "success.2,5,20"]
    options = [option for name in names for option in ("-m", name)]
    result = CliRunner().invoke(main, ["eval", *files, "--format", "trec", "-q", *options])
    assert result.exit_code == 0
    wanted = {r"P_[357]", r"recall_\d+", r"ndcg_cut_[12]0", r"success_\d+"}
    content = (TREC_EVAL / "out.test.meas_params").read_text().splitlines()
    expected = [
        line for line in content if any(re.fullmatch(name, line.split()[0]) for name in wanted)
    ]
    ours = [
        line for line in result.stdout.splitlines() if line.split()[0] not in {"runid", "num_q"}
    ]
    # trec_eval sorts the cutoffs, we keep the order asked for.
    assert sorted(ours) == sorted(expected)
    assert [line.split()[0] for line in ours[:3]] == ["P_5", "P_7", "P_3"]


@pytest.mark.parametrize(
    ("measure", "name"),
    [("RBP(p=0.9)", "rbp"), ("RBP(p=0.9, residual=True)", "rbp_resid")]
    + [(f"Judged@{k}", f"unj_{k}") for k in (5, 10, 20)],
)
def test_what_trec_eval_names_otherwise_has_the_same_value(measure: str, name: str) -> None:
    content = (TREC_EVAL / "out.test.aq").read_text().splitlines()
    lines = [line.split() for line in content if line.split()[0] == name]
    expected = {query: value for _, query, value in lines if query != "all"}
    scores = evaluate(TREC_EVAL / "qrels.test.gz", TREC_EVAL / "results.test", measure)
    # unj is the share that was not judged.
    ours = {q: 1 - v if name.startswith("unj") else v for q, v in scores[measure].items()}
    assert {query: f"{value:.4f}" for query, value in ours.items()} == expected
    assert len(expected) == 3
