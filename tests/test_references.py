from __future__ import annotations

import pytest

from ndcg.errors import OptionError
from ndcg.references import SYSTEMS, find_references, references_frame


def test_all_collections_have_all_systems() -> None:
    references = find_references()
    assert len(references) == 19 * len(SYSTEMS)
    assert all(0 < one.value < 1 for one in references)


@pytest.mark.parametrize(
    ("name", "collection", "bm25"),
    [
        ("scifact", "SciFact", 0.665),
        ("trec-covid", "TREC-COVID", 0.656),
        ("webis-touche2020", None, None),
        ("touche-2020", "Touché-2020", 0.367),
        ("fiqa", "FiQA-2018", 0.236),
        ("NQ", "NQ", 0.329),
    ],
)
def test_collections_are_found_by_their_usual_spellings(
    name: str, collection: str | None, bm25: float | None
) -> None:
    if collection is None:
        with pytest.raises(OptionError, match=r"no collection named 'webis-touche2020'"):
            find_references(name)
        return
    first = find_references(name)[0]
    assert (first.collection, first.system, first.value) == (collection, "BM25", bm25)


def test_a_reference_says_that_it_is_approximate_and_whose_it_is() -> None:
    told = find_references("nq")[0].to_dict()
    assert told["approximate"] is True
    assert "Thakur" in told["source"]


def test_the_frame_has_a_column_a_system() -> None:
    frame = references_frame(find_references("quora"))
    assert frame.columns == ["collection", *SYSTEMS]
    assert frame["ColBERT"].to_list() == [0.854]
