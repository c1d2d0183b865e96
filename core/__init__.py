"""Glassformer: train and run small transformers, and look at every number inside.

The 25 names below are the public interface; `.github/API.md` documents them. Installed with `pip install .`, they are
`glassformer`'s: `from glassformer import load`. Each is imported when it is first used, so that `import core` needs
neither torch nor Streamlit.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.data import corpora
    from core.generate import filters
    from core.generate.beam import beam_search
    from core.generate.decode import generate as generate_tokens
    from core.inspect.attention_record import attention
    from core.inspect.loss import token_loss
    from core.inspect.patch import ablate_heads, patch
    from core.inspect.rollout import rollout as attention_rollout
    from core.models.gpt import GPT, GPTConfig
    from core.models.minimal import MinimalGPT
    from core.nn.tap import Trace, tap
    from core.notebook.assemble import assemble
    from core.notebook.check import check
    from core.notebook.exhibits import run_exhibit
    from core.notebook.reading import load_model as load
    from core.notebook.views import heads, matrix, model_map, next_token
    from core.train.experiment import run_experiment
    from core.train.recipes import RECIPES
    from core.train.run import TrainRun

# Where each name is defined. (`generate` and `exhibit` are packages here, hence `generate_tokens` and `run_exhibit`.)
_DEFINED_IN = {
    "GPT": "core.models.gpt:GPT",
    "GPTConfig": "core.models.gpt:GPTConfig",
    "MinimalGPT": "core.models.minimal:MinimalGPT",
    "RECIPES": "core.train.recipes:RECIPES",
    "Trace": "core.nn.tap:Trace",
    "TrainRun": "core.train.run:TrainRun",
    "ablate_heads": "core.inspect.patch:ablate_heads",
    "assemble": "core.notebook.assemble:assemble",
    "attention": "core.inspect.attention_record:attention",
    "attention_rollout": "core.inspect.rollout:rollout",
    "beam_search": "core.generate.beam:beam_search",
    "check": "core.notebook.check:check",
    "corpora": "core.data.corpora",
    "filters": "core.generate.filters",
    "generate_tokens": "core.generate.decode:generate",
    "heads": "core.notebook.views:heads",
    "load": "core.notebook.reading:load_model",
    "matrix": "core.notebook.views:matrix",
    "model_map": "core.notebook.views:model_map",
    "next_token": "core.notebook.views:next_token",
    "patch": "core.inspect.patch:patch",
    "run_exhibit": "core.notebook.exhibits:run_exhibit",
    "run_experiment": "core.train.experiment:run_experiment",
    "tap": "core.nn.tap:tap",
    "token_loss": "core.inspect.loss:token_loss",
}

__all__ = [  # noqa: RUF022
    "load", "corpora", "GPT", "GPTConfig", "MinimalGPT",
    "RECIPES", "TrainRun", "run_experiment",
    "Trace", "tap", "attention", "attention_rollout", "token_loss",
    "patch", "ablate_heads",
    "generate_tokens", "beam_search", "filters",
    "heads", "matrix", "next_token", "model_map", "run_exhibit", "assemble", "check",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _DEFINED_IN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _DEFINED_IN[name].partition(":")
    found = importlib.import_module(module)
    value = globals()[name] = getattr(found, attribute) if attribute else found
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
