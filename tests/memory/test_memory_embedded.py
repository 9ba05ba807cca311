"""The embedded encoders, the eye, the captioner and the text encoder."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from recallreach.errors import DataError
from recallreach.memory.captioners.embedded import EmbeddedCaptioner, color_word
from recallreach.memory.check import sample_picture
from recallreach.memory.encoders.checkpoint import SHIPPED, fresh_network, load_checkpoint, save_checkpoint
from recallreach.memory.encoders.embedded import Eye, RetrievalEncoder, as_tensor, fitted
from recallreach.memory.encoders.hashed import HashedTextEncoder
from recallreach.memory.encoders.network import Network
from recallreach.memory.encoders.vocabulary import NONE, Vocabulary
from recallreach.memory.errors import PictureError
from recallreach.memory.pictures import decode

WORDS = Vocabulary(
    ("mug", "eye sleep mask", "mask", "wall calendar (small)"),
    ("mug", "eye-sleep-mask", "mask", "wall-calendar"),
    ("red", "blue", "white"),
)
PICTURES = [sample_picture(seed, 128) for seed in range(4)]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Untrained checkpoints of both kinds over a small vocabulary."""
    folder = tmp_path_factory.mktemp("weights")
    for kind in ("coarse", "eye"):
        save_checkpoint(
            folder / f"{kind}.safetensors", kind, fresh_network(kind, WORDS, 3).eval(), WORDS, {"steps": 0}
        )
    return folder


@pytest.fixture
def coarse(weights: Path) -> RetrievalEncoder:
    return RetrievalEncoder.load(weights / "coarse.safetensors")


@pytest.fixture
def eye(weights: Path) -> Eye:
    return Eye.load(weights / "eye.safetensors")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a red mug", (0, 0)),
        ("Find the BLUE eye-sleep  mask, please\n/product/0a", (1, 1)),
        ("the mask is white", (2, 2)),
        ("a white chair with a red mug", (0, 0)),
        ("a mug beside a blue eye sleep mask", (1, 1)),
        ("small wall calendar", (NONE, NONE)),
        ("red wall calendar (small)", (3, 0)),
        ("something blue", (NONE, 1)),
        ("mugs and masks are bored", (NONE, NONE)),
        ("a mug", (0, NONE)),
        ("", (NONE, NONE)),
    ],
)
def test_the_vocabulary_finds_the_longest_phrase_and_the_colour_before_it(
    text: str, found: tuple[int, int]
) -> None:
    assert WORDS.find(text) == found


def test_a_text_vector_is_object_plus_colour_at_length_one(coarse: RetrievalEncoder) -> None:
    network = coarse.checkpoint.network
    wanted = (network.objects[1] + network.colors[1]).numpy()
    rows = coarse.encode_texts(["blue eye sleep mask", "nothing known", "mug"])
    np.testing.assert_allclose(rows[0], wanted / np.linalg.norm(wanted), rtol=1e-5)
    assert not rows[1].any()
    assert np.linalg.norm(rows[2]) == pytest.approx(1, rel=1e-5)


def test_vectors_are_equal_bit_for_bit_in_any_batch(coarse: RetrievalEncoder) -> None:
    together = coarse.encode_images(PICTURES)
    alone = np.concatenate([coarse.encode_images([picture]) for picture in reversed(PICTURES)])
    assert np.array_equal(together, alone[::-1])


def test_pair_log_odds_agree_with_the_vectors(coarse: RetrievalEncoder) -> None:
    table = coarse.pair_log_odds(PICTURES[0])
    row, text = coarse.encode_images(PICTURES[:1])[0], coarse.encode_texts(["red mask"])[0]
    network = coarse.checkpoint.network
    wanted = float(row @ text) * float(network.log_scale.exp()) + float(network.bias)
    assert table.shape == (4, 3)
    assert table[2, 0] == pytest.approx(wanted, rel=1e-4)


def test_the_eye_scores_phrases_and_their_parts(eye: Eye) -> None:
    table = eye.table(PICTURES[0])
    scores = eye.score(PICTURES[0], ["blue mug", "mug", "white", "unknown words"])
    assert scores.dtype == np.float32
    assert scores.tolist() == [
        table[0, 1],
        table[0].max(),
        table[:, 2].max(),
        float(eye.checkpoint.network.bias),
    ]
    assert eye.score(PICTURES[0], []).shape == (0,)


def test_the_eye_takes_the_best_position(eye: Eye) -> None:
    network = eye.checkpoint.network
    with torch.no_grad():
        features = network.dense(as_tensor(fitted(decode(PICTURES[0]))[None]))[0].flatten(1).numpy()
    text = (network.objects[0] + network.colors[1]).numpy()
    scale = float(network.log_scale.exp()) / features.shape[0] ** 0.5
    wanted = float((text @ features).max()) * scale + float(network.bias)
    assert eye.score(PICTURES[0], ["blue mug"])[0] == pytest.approx(wanted, rel=1e-3)


def test_the_eye_remembers_pictures_up_to_its_limit(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    eye = Eye.load(weights / "eye.safetensors", cache=2)
    looks: list[bytes] = []
    look = eye._look
    monkeypatch.setattr(eye, "_look", lambda picture: (looks.append(picture), look(picture))[1])
    for index in (0, 1, 0, 2, 0, 1):
        eye.score(PICTURES[index], ["mug"])
    assert looks == [PICTURES[0], PICTURES[1], PICTURES[2], PICTURES[1]]


@pytest.mark.parametrize(
    ("size", "fitted_size"),
    [((512, 512), (512, 512)), ((1024, 512), (512, 256)), ((1, 1), (16, 16)), ((300, 40), (300, 40))],
)
def test_the_eye_looks_at_pictures_of_any_size(
    eye: Eye, size: tuple[int, int], fitted_size: tuple[int, int]
) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", size, "red").save(buffer, "PNG")
    assert fitted(decode(buffer.getvalue())).shape == (fitted_size[1], fitted_size[0], 3)
    assert np.isfinite(eye.score(buffer.getvalue(), ["red mug"])).all()


def test_bytes_that_are_no_picture_are_an_error(eye: Eye, coarse: RetrievalEncoder) -> None:
    with pytest.raises(PictureError, match="cannot be decoded"):
        eye.score(b"x", ["mug"])
    with pytest.raises(PictureError, match="cannot be decoded"):
        coarse.encode_images([b"x"])


def test_torch_threads_are_put_back(coarse: RetrievalEncoder) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        coarse.encode_images(PICTURES[:1])
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_checkpoints_come_back_equal_and_name_their_weights(weights: Path, tmp_path: Path) -> None:
    first = load_checkpoint(weights / "coarse.safetensors", "coarse")
    assert first.vocabulary == WORDS
    assert first.facts == {"steps": 0}
    save_checkpoint(tmp_path / "again", "coarse", first.network, first.vocabulary, first.facts)
    assert load_checkpoint(tmp_path / "again", "coarse").hash == first.hash
    other = fresh_network("eye", WORDS, 4)
    save_checkpoint(tmp_path / "other", "coarse", other, WORDS, {"steps": 0})
    assert RetrievalEncoder.load(tmp_path / "other").name != RetrievalEncoder(first).name


def test_checkpoints_that_cannot_be_used_say_why(weights: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"do not exist.*train_encoders"):
        Eye.load(tmp_path / "none")
    with pytest.raises(DataError, match="holds 'coarse' weights, asked for 'eye'"):
        Eye.load(weights / "coarse.safetensors")
    (tmp_path / "damaged").write_bytes((weights / "eye.safetensors").read_bytes()[:-9])
    with pytest.raises(DataError, match=r"damaged.*train_encoders"):
        Eye.load(tmp_path / "damaged")


def test_the_shipped_weights_load_and_say_what_they_were_trained_on() -> None:
    for kind, load in (("coarse", RetrievalEncoder.load), ("eye", Eye.load)):
        checkpoint = load().checkpoint
        assert checkpoint.facts["kind"] == kind
        assert checkpoint.facts["steps"] > 0
        assert len(checkpoint.facts["art"]) == 64
        assert len(checkpoint.vocabulary.objects) == len(checkpoint.vocabulary.slugs)
        assert len(checkpoint.vocabulary.colors) == 10
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 4_000_000


def test_fresh_networks_depend_on_the_seed_alone_and_leave_torch_alone() -> None:
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    first, second, other = (fresh_network("eye", WORDS, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(first.head.weight, second.head.weight)
    assert not torch.equal(first.head.weight, other.head.weight)


def test_the_network_has_the_stated_size_and_stride() -> None:
    network = Network(100, 10).eval()
    assert sum(parameter.numel() for parameter in network.parameters()) == pytest.approx(134_000, rel=0.05)
    with torch.no_grad():
        assert network.dense(torch.zeros(1, 3, 64, 96)).shape == (1, 96, 4, 6)
        assert Network(3, 2, stride=8).eval().dense(torch.zeros(1, 3, 64, 96)).shape == (1, 96, 8, 12)


class _Sure(RetrievalEncoder):
    """Gives log odds in which "blue mask" holds a chosen share of the probability."""

    share = 0.5

    def pair_log_odds(self, picture: bytes, size: int = 32) -> np.ndarray:
        table = np.zeros((4, 3), np.float32)
        table[2, 1] = np.log(self.share / (1 - self.share) * (table.size - 1))
        return table


@pytest.fixture
def photo() -> bytes:
    image = Image.new("RGB", (512, 512), (143, 143, 143))
    ImageDraw.Draw(image).rectangle((100, 100, 400, 450), fill=(18, 60, 180))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def test_the_captioner_names_the_object_only_from_its_threshold_on(weights: Path, photo: bytes) -> None:
    encoder = _Sure.load(weights / "coarse.safetensors")
    captioner = EmbeddedCaptioner(encoder, threshold=0.5)
    scene = "A product photograph of a large blue piece before a grey backdrop."
    encoder.share = 0.51
    assert captioner.caption(photo) == f"{scene} Placed with it: blue mask."
    assert captioner.guess(photo) == ("blue mask", pytest.approx(0.51))
    encoder.share = 0.49
    assert captioner.caption(photo) == f"{scene} Something small is placed with it, too small to make out."


def test_a_picture_of_one_colour_is_a_surface(coarse: RetrievalEncoder) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (250, 250, 250)).save(buffer, "PNG")
    assert (
        EmbeddedCaptioner(coarse)
        .caption(buffer.getvalue())
        .startswith("A product photograph of a white surface. ")
    )


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((16, 16, 18), "black"),
        ((143, 143, 143), "grey"),
        ((238, 238, 236), "white"),
        ((200, 24, 36), "red"),
        ((104, 62, 34), "brown"),
        ((12, 112, 46), "dark green"),
        ((18, 92, 214), "blue"),
    ],
)
def test_plain_words_for_colours(rgb: tuple[int, int, int], word: str) -> None:
    assert color_word(np.array(rgb, float)) == word


def test_hashed_texts_agree_on_words_and_stems_but_not_on_meaning() -> None:
    rows = HashedTextEncoder().encode_texts(["a red mug", "RED mug!", "red mugs", "blue sofa", "the of and"])
    similarity = rows @ rows[0]
    assert similarity[1] == pytest.approx(1, abs=1e-6)
    assert 0.5 < similarity[2] < 0.95
    assert abs(similarity[3]) < 0.15
    assert not rows[4].any()


def test_hashed_texts_count_repeats_by_their_logarithm() -> None:
    encoder = HashedTextEncoder()
    once, twice, both = encoder.encode_texts(["mug", "mug mug", "mug mug red"])
    np.testing.assert_allclose(once, twice, atol=1e-6)
    red = encoder.encode_texts(["red"])[0]
    ratio = float(both @ once) / float(both @ red)
    assert ratio == pytest.approx(1 + np.log(2), abs=0.15)


def test_hashed_texts_stay_the_same_across_versions() -> None:
    row = HashedTextEncoder(dimension=24).encode_texts(["red mug"])[0]
    wanted = [
        0.0,
        0.0,
        -0.4950000047683716,
        0.0,
        -0.1979999989271164,
        0.1979999989271164,
        0.0,
        0.1979999989271164,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.1979999989271164,
        0.6930000185966492,
        -0.1979999989271164,
        0.0,
        0.0,
        0.1979999989271164,
        -0.1979999989271164,
    ]
    np.testing.assert_allclose(row, wanted, atol=6e-4)
