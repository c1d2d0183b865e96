"""Weights that were rounded to a few bits before they were shared (bitsandbytes, GPTQ, AWQ, FP8, MLX): refused."""

from collections.abc import Mapping
from typing import Any

from core.models.imports.weights_file import ImportRefused, shown


def check_whole(theirs: Mapping[str, Any]) -> None:
    """Raises ImportRefused if config.json says that the weights were quantized; the message says what to open instead.

    Source: huggingface/transformers, utils/quantization_config.py; ml-explore/mlx-lm writes "quantization".
    """
    told = theirs.get("quantization_config") or theirs.get("quantization")
    if not told:
        return
    method = told.get("quant_method", "") if isinstance(told, dict) else ""
    called = f" ({shown(str(method), 40)})" if method else ""
    raise ImportRefused(
        f"its weights are quantized{called}: rounded to a few bits, in a way that only special programs undo. Open the "
        "model that it was made from, with weights of 16 or 32 bits; its page on the hub names it, and it often has "
        "the same name without an ending such as -bnb-4bit, -GPTQ, -AWQ or -FP8"
    )
