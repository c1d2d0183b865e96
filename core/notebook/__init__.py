"""The pictures of the app in a notebook: Jupyter, JupyterLab, VS Code, marimo. They need no server of ours.

    from core.notebook import heads, matrix, model_map, next_token

    heads("stories", "The cat that chased the mice was tired.")   # a model that ships, or a folder
    heads(model, "Tom and Mia", tokenizer=tokenizer)              # one of yours, or of Hugging Face's
    picked = matrix("stories", "Tom and Mia played.")
    picked.values                                                 # {"layer": 0, "head": 0, "query": 3, "key": 1}

`check` compares functions that one writes oneself with ours, see `assets/notebooks/build_it_yourself.ipynb`. Installed
(`pip install .`), all of these names are `glassformer`'s: `from glassformer import heads`. What the notebooks need
besides the pictures is here, too, because only these names are the same in a clone and installed.
"""

from core.data import corpora
from core.nn.tap import Trace
from core.notebook.assemble import assemble
from core.notebook.check import check
from core.notebook.reading import load
from core.notebook.views import heads, matrix, model_map, next_token
from core.train.recipes import RECIPES
from core.train.run import TrainRun

__all__ = ["RECIPES", "Trace", "TrainRun", "assemble", "check", "corpora", "heads", "load", "matrix", "model_map",
           "next_token"]  # fmt: skip
