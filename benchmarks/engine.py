"""The speed of a model in a browser: a forward pass, and the next token with a cache, compared with torch.

    python -m benchmarks.engine [tokens]

The model of little stories runs in Chromium and in torch on one thread; then a decoder of 4 layers of 8 heads on 64
tokens, which the map must draw during a drag. Prints medians.
"""

import os
import statistics
import sys
import time
from tempfile import TemporaryDirectory
from typing import Any

import torch

from benchmarks.server import app_in_browser
from core.browser import weights
from core.generate.cache import CachedModel
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.gpt import GPTConfig
from core.models.registry import build
from core.nn.tap import Trace

REPEATS = 60
RUN = """async ([offer, ids, repeats]) => {
    const [{openModel}, {forward}, {NextLogits}] = await Promise.all(
        ['open_model', 'forward', 'generate'].map(name => import(`/widgets/engine/${name}.js`)));
    const model = await openModel(offer);
    const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
    const timed = (act) => {
        const began = performance.now();
        act();
        return performance.now() - began;
    };
    const passes = () => Array.from({length: repeats}, () => timed(() => forward(model, {ids})));
    const next = () => {
        const writer = new NextLogits(model);
        const half = ids.length >> 1;
        writer.after(ids.slice(0, half));
        return Array.from({length: half}, (_, i) => timed(() => writer.after(ids.slice(0, half + i + 1))));
    };
    passes(), next();
    return {whole: median(passes()), next: median(next())};
}"""


def in_torch(model: Any, ids: list[int]) -> dict[str, float]:
    """Return the milliseconds of a pass that keeps every tensor, as in the browser, and of one more token."""
    batch = torch.tensor([ids])

    def whole() -> None:
        with torch.inference_mode(), Trace(model):
            model(batch)

    cached, half = CachedModel(model), len(ids) // 2
    cached.next_logits([ids[:half]])
    tokens = iter(range(half + 1, len(ids) + 1))
    return {
        "whole": _median(whole, REPEATS),
        "next": _median(lambda: cached.next_logits([ids[: next(tokens)]]), len(ids) - half),
    }


def _median(act: Any, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        act()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    torch.set_num_threads(1)
    n_token = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    stories = load_text_model(ModelKey.at("stories"))
    larger = build(GPTConfig(vocab_size=453, n_layer=4, n_head=8, d_model=128, context_length=96)).eval()
    with (
        TemporaryDirectory() as data,
        app_in_browser(GLASSFORMER_TRAINING="off", GLASSFORMER_DATA=data) as (url, browser),
    ):
        os.environ["GLASSFORMER_DATA"] = data  # the offered weights are where the server looks
        page = browser.new_page()
        page.goto(f"{url}/api/ready")
        for name, model, n in (("stories", stories.model, n_token), ("4 layers x 8 heads", larger, 64)):
            ids = [(i * 37) % 400 for i in range(n)]
            here = page.evaluate(RUN, [weights.export_model_for_browser(model), ids, REPEATS])
            there = in_torch(model, ids)
            for what in ("whole", "next"):
                print(
                    f"{name}, {n} tokens, {what}: browser {here[what]:.2f} ms, torch {there[what]:.2f} ms", flush=True
                )
        page.close()


if __name__ == "__main__":
    main()
