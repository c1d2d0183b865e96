"""The app's pictures in a notebook: Jupyter, JupyterLab, VS Code, marimo, without a server.

    from core import heads, matrix, model_map, next_token

    heads("stories", "The cat that chased the mice was tired.")   # a model that ships, or a folder
    heads(model, "Tom and Mia", tokenizer=tokenizer)              # one of yours, or of Hugging Face's
    picked = matrix("stories", "Tom and Mia played.")
    picked.values                                                 # {"layer": 0, "head": 0, "query": 3, "key": 1}

`check` compares functions that you write yourself with ours, see `assets/notebooks/build_it_yourself.ipynb`. All public
names are in `core` (`glassformer` if it is installed), see `.github/API.md`. Older notebooks import them from here,
which still works in this release.
"""

from core import RECIPES, Trace, TrainRun, assemble, check, corpora, heads, load, matrix, model_map, next_token

__all__ = ["RECIPES", "Trace", "TrainRun", "assemble", "check", "corpora", "heads", "load", "matrix", "model_map",
           "next_token"]  # fmt: skip
