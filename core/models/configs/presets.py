"""Well-known models as configs of ours, each with its published size and where that is printed.

Every preset is built of the same parts as the models trained here, so counting it is counting a module; the tests do so
for all of them, on torch's meta device, and compare with what was published.
"""

from dataclasses import dataclass
from typing import Any

from core.data.localization.labels import module_labels
from core.models.bert import BERTConfig
from core.models.configs.lecture_gpt import LECTURE_GPT
from core.models.gpt import GPTConfig
from core.models.images.vit import ViTConfig
from core.models.original_transformer import TransformerConfig
from core.models.t5 import T5Config

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class Preset:
    """A published model.

    Args:
        title: its usual name.
        family: the list that it is shown in.
        config: one of `core.models.registry.CONFIGS`.
        published: how many parameters it is said to have; None where no figure follows from the sizes.
        source: where that is printed.
        note: what the count includes, or why another figure is often read; "" if there is nothing to say.
        context: tokens that it is meant to read at once.
        slug: its name for a link; "": made of the title.
    """

    title: str
    family: str
    config: Any
    published: int | None
    source: str
    note: str = ""
    context: int = 1024
    slug: str = ""

    @property
    def name(self) -> str:
        """Its name for a link: lowercase letters, digits and dashes."""
        return self.slug or "".join(c if c.isalnum() else "-" for c in self.title.lower())


def _gpt(vocab: int, context: int, n_layer: int, d_model: int, n_head: int) -> GPTConfig:
    return GPTConfig(vocab_size=vocab, context_length=context, n_layer=n_layer, n_head=n_head, d_model=d_model)


def _gpt2(size: str, n_layer: int, d_model: int, n_head: int, published: int, printed: str) -> Preset:
    note = LABELS("gpt2.note", printed=printed)
    config = _gpt(50_257, 1_024, n_layer, d_model, n_head)
    source = LABELS["gpt2.source"]
    return Preset(f"GPT-2 {size}", "GPT-2", config, published, source, note)


def _gpt3(size: str, n_layer: int, d_model: int, n_head: int, published: int, note: str = "") -> Preset:
    config = _gpt(50_257, 2_048, n_layer, d_model, n_head)
    source = LABELS["gpt3.source"]
    return Preset(f"GPT-3 {size}", "GPT-3", config, published, source, note, context=2_048)


def _bert(size: str, n_layer: int, d_model: int, n_head: int, published: int, source: str, note: str) -> Preset:
    config = BERTConfig(vocab_size=30_522, context_length=512, n_layer=n_layer, n_head=n_head, d_model=d_model)
    return Preset(f"BERT {size}", "BERT", config, published, source, note, context=512)


def _t5(
    size: str, n_layer: int, d_model: int, d_ff: int, heads: tuple[int, int], published: int, source: str, note: str
) -> Preset:
    n_head, d_head = heads
    config = T5Config(
        vocab_size=32_128, n_layer=n_layer, d_model=d_model, d_ff=d_ff, n_head=n_head, d_head=d_head
    )  # 32,000 word pieces, 100 gaps, and 28 to make the number round
    return Preset(f"T5 {size}", "T5", config, published, source, note, context=512)


def _t5_v11(size: str, n_layer: int, d_model: int, d_ff: int, n_head: int, published: int) -> Preset:
    config = T5Config(
        vocab_size=32_128, n_layer=n_layer, d_model=d_model, d_ff=d_ff, n_head=n_head, d_head=64,
        activation="geglu", tied=False,
    )  # fmt: skip
    source = LABELS("t5_v11.source", size=size.lower())
    note = LABELS["t5_v11.note"]
    return Preset(f"T5 v1.1 {size}", "T5", config, published, source, note, context=512)


def _vit(size: str, patch: int, n_layer: int, d_model: int, n_head: int, published: int, source: str) -> Preset:
    config = ViTConfig(
        image_size=224, patch_size=patch, n_channel=3, n_layer=n_layer, n_head=n_head, d_model=d_model, n_class=1000
    )
    note = LABELS("vit.note", patch=patch)
    return Preset(f"ViT-{size}/{patch}", "ViT", config, published, source, note, context=1 + config.n_patch)


_T5_PAPER = LABELS["t5.source"]
_T5_CARDS = LABELS["t5.source_cards"]
_VIT_PAPER = LABELS["vit.source"]
_VIT_SMALL = LABELS["vit.source_small"]


_ALL: tuple[Preset, ...] = (
    _gpt2("small", 12, 768, 12, 124_000_000, "117"),
    _gpt2("medium", 24, 1_024, 16, 355_000_000, "345"),
    _gpt2("large", 36, 1_280, 20, 774_000_000, "762"),
    _gpt2("XL", 48, 1_600, 25, 1_558_000_000, "1,542"),
    _gpt3("Small", 12, 768, 12, 125_000_000),
    _gpt3("Medium", 24, 1_024, 16, 356_000_000),
    _gpt3("Large", 24, 1_536, 16, 760_000_000),
    _gpt3(
        "XL", 24, 2_048, 16, 1_320_000_000,
        LABELS["gpt3_xl.note"],
    ),
    _gpt3("2.7B", 32, 2_560, 32, 2_650_000_000),
    _gpt3("6.7B", 32, 4_096, 32, 6_660_000_000),
    _gpt3(
        "13B", 40, 5_120, 40, 12_850_000_000,
        LABELS["gpt3_13b.note"],
    ),
    _gpt3(
        "175B", 96, 12_288, 96, 174_600_000_000,
        LABELS["gpt3_175b.note"],
    ),
    _bert(
        "base", 12, 768, 12, 110_000_000, LABELS["bert_base.source"],
        LABELS["bert_base.note"],
    ),
    _bert(
        "large", 24, 1_024, 16, 336_000_000, LABELS["bert_large.source"],
        LABELS["bert_large.note"],
    ),
    Preset(
        "Transformer base", "2017",
        TransformerConfig(vocab_size=37_000, n_layer=6, n_head=8, d_model=512, d_ff=2_048),
        None, LABELS["transformer_base.source"],
        LABELS["transformer_base.note"],
        context=512,
    ),
    Preset(
        "Transformer big", "2017",
        TransformerConfig(vocab_size=37_000, n_layer=6, n_head=16, d_model=1_024, d_ff=4_096),
        213_000_000, LABELS["transformer_big.source"],
        LABELS["transformer_big.note"],
        context=512,
    ),
    _t5("small", 6, 512, 2_048, (8, 64), 60_000_000, _T5_PAPER, ""),
    _t5("base", 12, 768, 3_072, (12, 64), 222_930_000, _T5_CARDS, LABELS["t5_base.note"]),
    _t5("large", 24, 1_024, 4_096, (16, 64), 737_720_000, _T5_CARDS, LABELS["t5_large.note"]),
    _t5(
        "3B", 24, 1_024, 16_384, (32, 128), 2_851_660_000, _T5_CARDS,
        LABELS["t5_3b.note"],
    ),
    _t5(
        "11B", 24, 1_024, 65_536, (128, 128), 11_307_380_000, _T5_CARDS,
        LABELS["t5_11b.note"],
    ),
    _t5_v11("Small", 8, 512, 1_024, 6, 76_961_152),
    _t5_v11("Base", 12, 768, 2_048, 12, 247_577_856),
    _t5_v11("Large", 24, 1_024, 2_816, 16, 783_150_080),
    _t5_v11("XL", 24, 2_048, 5_120, 32, 2_849_757_184),
    _vit("Ti", 16, 12, 192, 3, 5_700_000, _VIT_SMALL),
    _vit("S", 16, 12, 384, 6, 22_000_000, LABELS["vit_s.source"]),
    _vit("B", 16, 12, 768, 12, 86_000_000, _VIT_PAPER),
    _vit("L", 16, 24, 1_024, 16, 307_000_000, _VIT_PAPER),
    _vit("H", 14, 32, 1_280, 16, 632_000_000, _VIT_PAPER),
    Preset(
        LABELS["lecture.title"], "Lecture", LECTURE_GPT, 8_271_696, LABELS["lecture.source"],
        LABELS["lecture.note"], slug="a-lecture-s-gpt",
    ),
)  # fmt: skip
PRESETS = {one.name: one for one in _ALL}
FAMILIES = tuple(dict.fromkeys(one.family for one in _ALL))
