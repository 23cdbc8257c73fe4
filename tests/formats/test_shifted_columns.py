from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ndcg.errors import InputError
from ndcg.formats.reading import as_run

if TYPE_CHECKING:
    from pathlib import Path


def test_an_id_with_a_blank_in_a_trec_run_is_refused_and_not_taken_for_a_tag(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 b 1 9.0 tag\nq1 Q0 doc 1 2 2.0 tag\n")
    with pytest.raises(InputError, match=r"a\.run:2: got 7 columns, and column 6 is the number"):
        as_run(path)


def test_blanks_in_the_tag_stay_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 b 1 9.0 my tag\nq1 Q0 a 2 2.0 tag 7\n")
    run = as_run(path)
    assert run.scores.tolist() == [9.0, 2.0]
    assert [notice.code for notice in run.notices] == ["long-lines"]


def test_three_columns_parted_by_blanks_may_be_named_tsv(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("q1 a 2\nq1 b 1\n")
    with pytest.raises(InputError, match=r"--run-format msmarco \(rank\) or --run-format tsv"):
        as_run(path)
    assert as_run(path, format="tsv").scores.tolist() == [2.0, 1.0]
