"""Tiny vision-language models of two families with random weights: real classes, real processors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from recallreach.vision import mend_torchvision

ACTIONS = ("back", *(f"click_index({number})" for number in range(24)))
WORDS = "user assistant system Thought: Action: a the of you and Step Address: Title: Text: Links: M1 M2 M3"
TEXT = {
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 8192,
    "bos_token_id": None,
}
VISION = {"hidden_size": 16, "intermediate_size": 32}


def tokenizer(special: list[str]) -> Any:
    """Words of the prompts, and one token for each whole reply, so that whatever is drawn is an action."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    replies = [f"Thought: on.\nAction: {action}" for action in ACTIONS]
    words = ["<unk>", "<end>", *special, *replies, *WORDS.split()]
    raw = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    named = {"unk_token": "<unk>", "eos_token": "<end>", "pad_token": "<end>"}
    return PreTrainedTokenizerFast(tokenizer_object=raw, additional_special_tokens=special, **named)


def template(picture: str, end: str) -> str:
    part = f"{{% if c.type == 'image' %}} {picture} {{% else %}}{{{{ c.text }}}}{{% endif %}}"
    said = f"{{{{ m.role }}}} {{% for c in m.content %}}{part}{{% endfor %}} {end} "
    asked = "{% if add_generation_prompt %} assistant {% endif %}"
    return f"{{% for m in messages %}} {said}{{% endfor %}}{asked}"


def save(network: Any, processor: Any, folder: Path) -> Path:
    words = processor.tokenizer
    replies = range(2, len(words))
    spoken = [i for i in replies if words.convert_ids_to_tokens(i).startswith("Thought: on.")]
    network.generation_config.suppress_tokens = [i for i in range(len(words)) if i not in spoken]
    network.generation_config.eos_token_id = words.eos_token_id
    network.generation_config.pad_token_id = words.pad_token_id
    network.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def qwen(folder: Path) -> Path:
    """Qwen2.5-VL: 28 pixels a token."""
    import transformers as hub

    special = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    words = tokenizer(special)
    start, end, image, video = words.convert_tokens_to_ids(special)
    processor = hub.Qwen2_5_VLProcessor(
        image_processor=hub.Qwen2VLImageProcessor(),
        tokenizer=words,
        video_processor=hub.Qwen2VLVideoProcessor(),
        chat_template=template("<|vision_start|> <|image_pad|> <|vision_end|>", ""),
    )
    rope = {"type": "mrope", "rope_type": "default", "mrope_section": [1, 1, 2]}
    ends = {"eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    eye = {**VISION, "depth": 1, "num_heads": 2, "out_hidden_size": 16, "fullatt_block_indexes": [0]}
    config = hub.Qwen2_5_VLConfig(
        text_config={**TEXT, **ends, "vocab_size": len(words), "rope_scaling": rope},
        vision_config=eye,
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    return save(hub.Qwen2_5_VLForConditionalGeneration(config), processor, folder)


def idefics(folder: Path) -> Path:
    """Idefics3, the architecture of SmolVLM: a fixed number of tokens for each picture."""
    import transformers as hub

    special = ["<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>"]
    words = tokenizer(special)
    eye = hub.Idefics3ImageProcessor(
        size={"longest_edge": 32}, max_image_size={"longest_edge": 32}, do_image_splitting=False
    )
    processor = hub.Idefics3Processor(
        image_processor=eye,
        tokenizer=words,
        image_seq_len=4,
        chat_template=template("<image>", "<end_of_utterance>"),
    )
    ends = {"eos_token_id": words.eos_token_id, "pad_token_id": words.pad_token_id}
    config = hub.Idefics3Config(
        image_token_id=words.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=words.pad_token_id,
        text_config={**TEXT, **ends, "model_type": "llama", "vocab_size": len(words)},
        vision_config={
            **VISION,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
        },
    )
    return save(hub.Idefics3ForConditionalGeneration(config), processor, folder)


FAMILIES: dict[str, Callable[[Path], Path]] = {"Qwen2.5-VL-tiny": qwen, "SmolVLM-tiny": idefics}


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model by name, made once."""
    mend_torchvision()
    root = tmp_path_factory.mktemp("models")

    def make(name: str) -> Path:
        if not (root / name).exists():
            with torch.random.fork_rng():
                torch.manual_seed(0)
                FAMILIES[name](root / name)
        return root / name

    return make
