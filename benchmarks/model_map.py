"""The smoothness of a model's map: frames per second while it plays and opens, and the time of a change.

    python -m benchmarks.model_map

The model of little stories on 15 tokens, then a decoder of 4 layers of 8 heads on 64, in Chromium without a GPU.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from safetensors.torch import save_file

from benchmarks.server import app_in_browser
from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.models.gpt import GPTConfig
from core.models.registry import build, to_dict

TEXT = "Tom had a red ball. He played with it near the tree, and then Anna took the ball. " * 4
FRAMES = """async (seconds) => {
    const times = [];
    let last = performance.now();
    const until = last + 1000 * seconds;
    while (last < until) {
        const now = await new Promise(requestAnimationFrame);
        times.push(now - last);
        last = now;
    }
    times.sort((a, b) => a - b);
    return [1000 * times.length / times.reduce((a, b) => a + b), times[Math.floor(0.95 * times.length)]];
}"""
CHANGE = """async ([selector, key, n]) => {
    const node = [...document.querySelectorAll('*')].map(one => one.shadowRoot?.querySelector(selector)).find(Boolean);
    const times = [];
    for (let i = 0; i < n; i++) {
        const began = performance.now();
        node.dispatchEvent(new KeyboardEvent('keydown', {key: i % 2 ? 'ArrowDown' : 'ArrowUp', bubbles: true}));
        await new Promise(requestAnimationFrame);
        times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return times[n >> 1];
}"""


def large(folder: Path) -> None:
    """Return an untrained decoder of 4 layers of 8 heads with the vocabulary of the stories."""
    tokenizer = (SHIPPED_MODELS / "stories" / "tokenizer.json").read_bytes()
    vocab = json.loads((SHIPPED_MODELS / "stories" / "config.json").read_bytes())["vocab_size"]
    model = build(GPTConfig(vocab_size=vocab, context_length=96, n_layer=4, n_head=8, d_model=128), seed=0)
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(to_dict(model.config)))
    (folder / "tokenizer.json").write_bytes(tokenizer)
    save_file({name: one.detach() for name, one in model.named_parameters()}, folder / "model.safetensors")


def measure(page: Any, address: str) -> None:
    """Play, open a layer, follow another token."""
    page.goto(address)
    page.locator(".gf-map-caption b").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    print(f"{address.partition('?')[2] or 'as it opens'}")
    print(f"  another token to follow: {page.evaluate(CHANGE, ['.gf-map', '', 20]):.0f} ms on screen")
    page.locator(".gf-map button[aria-label^=Play]").click()
    rate, slow = page.evaluate(FRAMES, 8)
    print(f"  while it plays: {rate:.0f} frames a second, 95 of 100 within {slow:.0f} ms")
    page.locator(".gf-map button[aria-label^=Pause]").click()
    page.locator(".gf-map-list button").filter(has_text="Layer 1").evaluate("one => one.click()")
    rate, slow = page.evaluate(FRAMES, 0.26)
    print(f"  while a layer opens: {rate:.0f} frames a second, 95 of 100 within {slow:.0f} ms")


def main() -> None:
    """Measure both models."""
    with TemporaryDirectory() as data:
        large(Path(data) / "models" / "large")
        with app_in_browser(GLASSFORMER_DATA=data) as (url, browser):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            measure(page, f"{url}/model_map")
            measure(page, f"{url}/model_map?model=large&text={TEXT.replace(' ', '+')}")


if __name__ == "__main__":
    main()
