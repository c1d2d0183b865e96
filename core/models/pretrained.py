"""A folder with weights becomes a model, or is refused with a plain message. Nothing in the folder can run.

Ours: config.json (with "kind"), model.safetensors, tokenizer.json. Hugging Face's: config.json (with "model_type"),
model.safetensors or several files with an index, and a tokenizer if there is one that we read.

One way: `ModelFolder` reads the folder's config and headers, `importable_families` makes a plan of them, `tensor_plan`
carries it out, `registry` fills the model.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from torch import Tensor, nn

from core.data import checks, tokenizers
from core.data.files import megabytes
from core.data.localization.labels import module_labels
from core.data.tokenizers import published_tokenizer
from core.data.tokenizers.tokenizer_base import VocabularyPaddedTokenizer
from core.models import registry
from core.models.configs.modern import flatten_settings
from core.models.gpt import GPTConfig
from core.models.imports.importable_families import FAMILIES, foreign_family, plan_and_tensors, plan_import
from core.models.imports.model_folder_reader import ModelFolder
from core.models.imports.published import KIND_OF
from core.models.imports.tensor_plan import convert_tensors, required_tensors, tensor_placements
from core.models.imports.weights_file import (
    ImportRefused,
    StoredTensor,
    check_names,
    check_not_lfs_pointer_or_html,
    shorten_name,
)
from core.models.imports.wrong_folder_advice import check_folder, missing_folder_advice, refuse_adapter_tensors
from core.nn.linear import HALF_DTYPES, Embedding

LABELS = module_labels(__name__)

__all__ = ["FAMILIES", "ImportRefused", "Pretrained", "load"]

# Sizes beyond these are refused before anything is built. The file bounds what the weights take; these bound the rest.
LIMITS = {"n_layer": 1_000, "n_decoder_layer": 1_000, "n_head": 10_000, "n_kv_head": 10_000, "d_head": 100_000,
          "d_model": 100_000, "d_embed": 100_000, "d_ff": 1_000_000, "vocab_size": 10_000_000,
          "context_length": 1_000_000, "n_segment": 1_000, "n_label": 100_000, "n_class": 100_000,
          "n_bucket": 100_000, "max_distance": 1_000_000, "image_size": 10_000, "patch_size": 10_000,
          "n_channel": 64, "window": 10_000_000}  # fmt: skip
MIN_MAPPED_BYTES = 200_000_000  # bytes of weights from which those of a GPT are mapped: below, a copy opens as fast
RESERVED_BYTES = 500_000_000  # bytes that stay free for passes, caches and everybody else
_LIMIT, _USED = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


@dataclass(frozen=True)
class Pretrained:
    """A model ready to look at: evaluation mode, no gradients. Shared by all who look; never train or edit it."""

    model: nn.Module
    tokenizer: tokenizers.Tokenizer | None  # what made its ids; None where the folder has none that we read
    config: Any  # one of `core.models.registry.CONFIGS`

    @property
    def text_tokenizer(self) -> tokenizers.Tokenizer:
        """The tokenizer of a model of text. Raises ValueError if its folder has none."""
        if self.tokenizer is None:
            raise ValueError(LABELS["no_tokenizer"])
        return self.tokenizer

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """One printable string for each output of the model, in the order of their ids; () without a tokenizer."""
        if self.tokenizer is None:
            return ()
        return tuple(self.tokenizer.tokens(range(int(self.config.vocab_size))))

    @property
    def end_ids(self) -> tuple[int, ...]:
        """The tokens at which the model stops writing; () where it was taught none."""
        ends = getattr(self.tokenizer, "end_ids", ())
        return tuple(i for i in ends if i < int(self.config.vocab_size))


def load(folder: Path | str) -> Pretrained:
    """Read a model from a folder.

    All that can be checked is checked before memory is taken: sizes, the headers, each tensor's name, shape and type,
    and whether they fit into memory; then each number must be finite. Tensors are read one by one, so that there is
    never a second copy of the model. Half precision becomes float32; only of a large GPT the matrices keep the type
    that they have, and stay in the file until they are used (`core.nn.linear` widens them then).

    Args:
        folder: ours, or a Hugging Face one of a family in `FAMILIES`.

    Raises:
        ImportRefused: if the folder holds no model that we can read; the message says why, and what to do next.
    """
    typed, folder = str(folder), checks.check_path_type("folder", folder)
    try:
        if not folder.is_dir():
            raise ImportRefused(missing_folder_advice(typed))
        check_folder(folder)
        return _load(ModelFolder(folder))
    except OSError as error:
        raise ImportRefused(LABELS("not_opened", error=error.strerror or error)) from error


def _load(folder: ModelFolder) -> Pretrained:
    theirs = folder.config
    family = foreign_family(theirs)
    refuse_adapter_tensors(folder.tensors)
    plan, stored = plan_and_tensors(family, theirs, folder.tensors)
    config = make_config(plan.fields)
    _check_depth(config, stored)
    is_mapped, n_byte = _memory(stored.values(), isinstance(config, GPTConfig))
    _check_memory(n_byte)
    model = registry.build_empty(config)
    found = tensor_placements(plan.rows, model)
    needed = required_tensors(found, model, stored)
    required = {name: place.shape for name, place in found.items() if name in needed}
    optional = {name: place.shape for name, place in found.items() if name not in needed}
    check_names(stored, required, optional)
    registry.fill_weights(
        model, convert_tensors(found, model, lambda name: stored[name].read(mapped=is_mapped), stored)
    )
    for one in model.modules():
        if isinstance(one, Embedding):
            one.is_widened = one.weight.dtype in HALF_DTYPES
    model.requires_grad_(False)
    model.eval()
    return Pretrained(model, _tokenizer(folder, config), config)


def memory_needed(folder: Path | str) -> int:
    """Return the bytes that a folder's weights will take in memory; only their headers are read.

    Raises ImportRefused if there are none that we can read.
    """
    opened = ModelFolder(folder)
    is_gpt = opened.config.get("kind", KIND_OF.get(str(opened.config.get("model_type")))) == "gpt"
    return _memory(opened.tensors.values(), is_gpt)[1]


def _memory(stored: Iterable[StoredTensor], is_gpt: bool) -> tuple[bool, int]:
    """Return whether the weights stay mapped in their own type, and the bytes that they take."""
    weights = list(stored)
    n_byte = sum(one.n_byte for one in weights)
    is_mapped = is_gpt and n_byte >= MIN_MAPPED_BYTES
    return is_mapped, n_byte if is_mapped else sum(4 * one.n_number for one in weights)


def model_from_state_dict(theirs: dict[str, Any], state: Mapping[str, Tensor]) -> object:
    """Build our model from a Hugging Face model's weights in memory; both share them where possible.

    theirs: its config, as a dict. Raises ImportRefused if we have no such model.
    """
    family = FAMILIES[theirs["model_type"]]
    plain = {name: one for long, one in state.items() if (name := family.plain(long)) is not None}
    plan = plan_import(family, theirs, {name: tuple(one.shape) for name, one in plain.items()})
    model = registry.build_empty(make_config(plan.fields))
    registry.fill_weights(model, convert_tensors(tensor_placements(plan.rows, model), model, plain.__getitem__, plain))
    return model


def make_config(values: dict[str, object]) -> object:
    """Make our config from its JSON values. Raises ImportRefused if it is too large or contradicts itself."""
    sizes = flatten_settings(values)
    for name, limit in LIMITS.items():
        value = sizes.get(name)
        if isinstance(value, int | float) and not value <= limit:
            raise ImportRefused(LABELS("too_large", name=name, value=str(value)[:20], most=limit))
    try:
        return registry.from_dict(values)
    except (ValueError, TypeError) as error:
        raise ImportRefused(LABELS("no_fit", error=shorten_name(str(error), 300))) from error


def _check_depth(config: object, stored: Mapping[str, StoredTensor]) -> None:
    """Refuse more layers than there are tensors: even without memory, a thousand layers take a second to build."""
    family = registry.family_of(config)
    n_layer = family.n_layer(config)
    most = len(stored) * (4 if family.shares_layers(config) else 1)  # an ALBERT has more layers than tensors
    if n_layer > most > 0:
        raise ImportRefused(LABELS("too_deep", n_layer=n_layer, n_tensor=len(stored)))


def _tokenizer(folder: ModelFolder, config: object) -> tokenizers.Tokenizer | None:
    vocab_size = registry.family_of(config).vocab_size(config)
    if vocab_size is None:  # it reads pictures
        return None
    for name in published_tokenizer.FILES:
        if (path := folder.file(name)).is_file():
            check_not_lfs_pointer_or_html(path)
    try:
        tokenizer = published_tokenizer.load_any_tokenizer(folder.path, vocab_size)
    except (ValueError, KeyError, TypeError) as error:
        raise ImportRefused(LABELS("bad_tokenizer", error=shorten_name(str(error), 200))) from error
    if tokenizer is not None and tokenizer.vocab_size > vocab_size:
        raise ImportRefused(LABELS("other_tokenizer", n=tokenizer.vocab_size, n_known=vocab_size))
    if tokenizer is not None and tokenizer.vocab_size < vocab_size:
        return VocabularyPaddedTokenizer(tokenizer, vocab_size)
    return tokenizer


def available_memory() -> int:
    """Return the bytes of memory available without swapping, in the machine or the container."""
    free = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # elsewhere, or "max": no limit
        free = min(free, int(_LIMIT.read_text()) - int(_USED.read_text()))
    return max(free, 0)


def _check_memory(n_byte: int) -> None:
    """Raise ImportRefused if n_byte bytes of weights do not fit into memory."""
    free = available_memory()
    if n_byte > free - RESERVED_BYTES:
        raise ImportRefused(
            LABELS("no_memory", weights=megabytes(n_byte), free=megabytes(free), reserved=megabytes(RESERVED_BYTES))
        )
