"""The bank: growth, forks, vectors that are refused, pictures kept once."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from recallreach.memory.bank import Bank
from recallreach.memory.errors import PictureError, VectorError
from recallreach.memory.pictures import PictureStore
from recallreach.memory.types import Experience, Record


def _view(index: int, picture: bytes | None = b"picture") -> Experience:
    return Experience(f"/product/{index}", f"Item {index}", "page", picture, 0, index, "2024-05-11T19:33:00")


def _filled(count: int, dimension: int = 3) -> Bank:
    bank = Bank()
    for index in range(count):
        bank.append(_view(index), {"visual": np.eye(dimension, dtype=np.float32)[index % dimension]})
    return bank


def test_a_record_keeps_the_view_and_what_the_system_adds() -> None:
    record = Bank().append(_view(4), {}, text="kept", caption="said")
    assert record == Record(
        0, "/product/4", "Item 4", "kept", record.picture, 0, 4, "2024-05-11T19:33:00", "said"
    )


def test_rows_stay_in_order_across_several_growths() -> None:
    bank = Bank()
    rows = np.random.default_rng(0).standard_normal((300, 5)).astype(np.float32)
    for index, row in enumerate(rows):
        bank.append(_view(index), {"visual": row})
    wanted = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(bank.vectors("visual"), wanted, rtol=1e-6)
    assert [record.id for record in bank] == list(range(300))
    assert bank.vectors("visual").flags.c_contiguous


def test_missing_vectors_are_zero_rows_and_marked() -> None:
    bank = Bank()
    for row in (None, [3.0, 4.0], [0.0, 0.0], None):
        bank.append(_view(0), {"visual": None if row is None else np.array(row, np.float32)})
    np.testing.assert_allclose(bank.vectors("visual"), [[0, 0], [0.6, 0.8], [0, 0], [0, 0]], rtol=1e-6)
    assert bank.present("visual").tolist() == [False, True, False, False]


def test_a_channel_that_appears_late_is_missing_before() -> None:
    bank = Bank()
    for _ in range(70):
        bank.append(_view(0), {})
    bank.append(_view(1), {"late": np.ones(2, np.float32)})
    assert bank.present("late").sum() == 1
    assert bank.present("late")[70]
    assert bank.vectors("never").shape == (71, 0)


@pytest.mark.parametrize("bad", [[np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0]])
def test_a_vector_that_is_not_finite_is_refused_and_nothing_is_written(bad: list[float]) -> None:
    bank = _filled(2)
    with pytest.raises(VectorError, match=r"'visual'.*NaN or infinity"):
        bank.append(_view(2), {"visual": np.array(bad, np.float32)})
    assert len(bank) == 2
    assert bank.vectors("visual").shape == (2, 3)


def test_a_changed_dimension_is_refused_with_both_shapes() -> None:
    bank = _filled(2)
    with pytest.raises(VectorError, match=r"\(3,\).*\(4,\)"):
        bank.append(_view(2), {"visual": np.ones(4, np.float32)})
    assert len(bank) == 2


def test_views_cannot_be_written_through() -> None:
    bank = _filled(2)
    with pytest.raises(ValueError, match="read-only"):
        bank.vectors("visual")[0, 0] = 9
    with pytest.raises(ValueError, match="read-only"):
        bank.present("visual")[0] = False


def test_a_fork_shares_storage_until_a_second_one_appends() -> None:
    trunk = _filled(5)
    fork = trunk.fork()
    assert np.shares_memory(trunk.vectors("visual"), fork.vectors("visual"))
    trunk.append(_view(5), {"visual": np.array([1, 1, 0], np.float32)})
    assert np.shares_memory(trunk.vectors("visual"), fork.vectors("visual"))
    fork.append(_view(6), {"visual": np.array([0, 1, 1], np.float32)})
    assert not np.shares_memory(trunk.vectors("visual"), fork.vectors("visual"))
    assert (trunk[5].url, fork[5].url) == ("/product/5", "/product/6")


def test_a_fork_is_free_to_begin_a_channel_that_its_origin_began_with_another_dimension() -> None:
    trunk = Bank()
    trunk.append(_view(0), {})
    fork = trunk.fork()
    trunk.append(_view(1), {"visual": np.ones(3, np.float32)})
    fork.append(_view(1), {"visual": np.ones(2, np.float32)})
    assert (trunk.vectors("visual").shape, fork.vectors("visual").shape) == ((2, 3), (2, 2))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=80))
def test_forks_behave_like_lists_that_were_copied(moves: list[tuple[int, bool]]) -> None:
    banks: list[Bank] = [Bank()]
    models: list[list[float]] = [[]]
    for number, (which, fork) in enumerate(moves):
        index = which % len(banks)
        if fork:
            banks.append(banks[index].fork())
            models.append(list(models[index]))
        else:
            angle = number / 100
            row = np.array([np.cos(angle), np.sin(angle)], np.float32)
            banks[index].append(_view(number), {"visual": row})
            models[index].append(float(row[0]))
    for bank, model in zip(banks, models, strict=True):
        first = bank.vectors("visual")[:, 0].tolist() if model else []
        assert first == pytest.approx(model, rel=1e-6)
        assert len(bank) == len(model)


def test_pictures_are_kept_once_by_content_and_shared_by_forks() -> None:
    bank = Bank()
    first = bank.append(_view(0, b"same"), {})
    second = bank.append(_view(1, b"same"), {})
    assert first.picture == second.picture
    assert len(bank.pictures) == 1
    assert bank.fork().picture(first) == b"same"
    assert bank.picture(bank.append(_view(2, None), {})) is None


def test_a_picture_that_is_not_stored_is_named() -> None:
    store = PictureStore()
    store.add(b"x")
    with pytest.raises(PictureError, match="no picture abc among the 1 stored"):
        store.get("abc")


def test_an_index_outside_the_bank_is_an_error_even_when_the_shared_storage_is_longer() -> None:
    trunk = _filled(3)
    fork = trunk.fork()
    trunk.append(_view(3), {})
    with pytest.raises(IndexError, match="record 3 of a bank of 3"):
        fork[3]
    assert fork[-1].id == 2
