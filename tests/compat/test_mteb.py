"""MTEB's files: predictions of either layout, main scores, results, refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ndcg import InputError
from ndcg.compat.mteb import main_score, read_predictions, read_result

if TYPE_CHECKING:
    from pathlib import Path

LISTS = {"q1": {"d1": 0.5, "d2": 0.9}, "q2": {"d1": 0.1}}
QRELS = {"q1": {"d1": 1}, "q2": {"d1": 2, "d3": 1}}


def written(path: Path, told: Any) -> Path:
    path.write_text(json.dumps(told))
    return path


def test_predictions_of_either_layout_are_read(tmp_path: Path) -> None:
    alone = written(tmp_path / "alone.json", LISTS)
    told = {"mteb_model_meta": {"name": "m"}, "default": {"test": LISTS}}
    nested = written(tmp_path / "nested.json", told)
    assert read_predictions(alone) == read_predictions(nested) == LISTS
    two = written(tmp_path / "two.json", {"en": {"test": LISTS, "dev": {}}, "de": {"test": {}}})
    assert read_predictions(two, subset="en", split="test") == LISTS
    with pytest.raises(InputError, match="name a subset; there are en, de"):
        read_predictions(two)
    with pytest.raises(InputError, match="no split 'train' in it; there are test, dev"):
        read_predictions(two, subset="en", split="train")


def test_the_main_score_is_the_mean_to_five_digits() -> None:
    first = 0.6309297535714575
    second = 2 / (2 + first)
    assert main_score(QRELS, LISTS) == round((first + second) / 2, 5)
    assert main_score(QRELS, LISTS, "recall_at_1") == 0.25
    assert main_score(QRELS, {"q2": {"q2": 1.0, "d1": 0.5}}, "precision_at_1") == 0.0
    same = {"q2": {"q2": 1.0, "d1": 0.5}}
    assert main_score(QRELS, same, "precision_at_1", ignore_identical_ids=True) == 1.0


@pytest.mark.parametrize("measure", ["mrr_at_10", "ndcg", "ndcg_at_0", "ndcg_at_x"])
def test_other_measures_are_refused(measure: str) -> None:
    with pytest.raises(InputError, match="such as ndcg_at_10"):
        main_score(QRELS, LISTS, measure)


def test_predictions_of_other_queries_are_refused() -> None:
    with pytest.raises(InputError, match="are the ids the same"):
        main_score(QRELS, {"7": {"d1": 1.0}})


def test_a_result_file_is_a_row_a_split_and_subset(tmp_path: Path) -> None:
    part = {"ndcg_at_10": 0.5, "main_score": 0.5, "hf_subset": "default", "languages": ["eng"]}
    told = {"task_name": "SciFact", "scores": {"test": [part], "dev": [part | {"main_score": 1}]}}
    frame = read_result(written(tmp_path / "r.json", told))
    assert frame.columns == ["task", "split", "subset", "ndcg_at_10", "main_score"]
    assert frame["main_score"].to_list() == [0.5, 1.0]
    assert frame["subset"].to_list() == ["default"] * 2


@pytest.mark.parametrize("read", [read_predictions, read_result])
def test_other_files_are_refused(read: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match=r"bad\.json: not valid JSON"):
        read(tmp_path / "bad.json")
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.json")
    with pytest.raises(InputError, match="an empty file or a list"):
        read(written(tmp_path / "list.json", [1]))
    with pytest.raises(InputError, match="in it"):
        read(written(tmp_path / "other.json", {"a": {"b": {"c": {"d": "e"}}}}))
