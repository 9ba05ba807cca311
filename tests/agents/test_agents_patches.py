"""Tokens of a picture by the model's own rule; expected numbers by hand from the published rules."""

from __future__ import annotations

import pytest

from recallreach.agents.patches import ESTIMATE, gemini_tokens, gpt_tokens, qwen_tokens, rule_of


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((512, 512), 18 * 18), ((1000, 500), 36 * 18), ((28, 28), 4), ((10, 10), 4), ((56, 28), 3 * 2)],
)
def test_qwen_rounds_to_patches_of_28(size: tuple[int, int], tokens: int) -> None:
    assert qwen_tokens(*size) == tokens


def test_qwen_scales_large_and_small_pictures() -> None:
    assert qwen_tokens(1120, 1120, most=28 * 28 * 100) == 100
    assert qwen_tokens(8000, 8000) <= 12_845_056 // 784
    assert qwen_tokens(32, 32, side=32, fewest=65_536) == 64


@pytest.mark.parametrize(
    ("size", "tokens"), [((384, 384), 258), ((512, 512), 4 * 258), ((960, 540), 6 * 258)]
)
def test_gemini_counts_tiles(size: tuple[int, int], tokens: int) -> None:
    assert gemini_tokens(*size) == tokens


@pytest.mark.parametrize(
    ("size", "tokens"), [((512, 512), 85 + 170), ((1024, 1024), 85 + 4 * 170), ((2048, 4096), 85 + 6 * 170)]
)
def test_gpt_counts_tiles(size: tuple[int, int], tokens: int) -> None:
    assert gpt_tokens(*size) == tokens


def test_the_family_is_known_by_name() -> None:
    for name in ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2-vl-2b", "qwen2.5vl:7b"):
        assert rule_of(name) is qwen_tokens
    for name, tokens in (("Qwen3-VL-8B", 16 * 16), ("gemini-2.5-flash", 4 * 258), ("gpt-4o", 85 + 170)):
        rule = rule_of(name)
        assert rule is not None
        assert rule(512, 512) == tokens
    assert rule_of("SmolVLM-Instruct") is None
    assert ESTIMATE(512, 512) == 324
