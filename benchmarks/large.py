"""A large model in Attention heads: the loading time, the bytes sent, and the cost of a new text or head.

    python -m benchmarks.large

A random GPT-2 small (12 layers of 12 heads, 768 wide) is made by Hugging Face and opened in Pretrained from its folder,
as a visitor would; Attention heads is opened by the sidebar, then gets different texts of 128 tokens, then different
heads. An answer ends with the last change on screen. For comparison, the model's pass over as many tokens is timed
alone.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from benchmarks.answers import WATCH, measure
from benchmarks.messages import Traffic
from benchmarks.opening import WINDOW, click
from benchmarks.server import READY, app_in_browser
from core.data.tokenizers.bpe import BPETokenizer, byte_letters
from core.models import pretrained

N_REPEAT, N_TOKEN = 5, 128
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "a", "dog", "lay", "by", "the", "door", "while", "it", "rained"]


def make(folder: Path) -> None:
    """Make a GPT-2 small with random weights, and a tokenizer of a few hundred tokens."""
    import transformers

    letters = {byte: letter for letter, byte in byte_letters().items()}
    write = lambda piece: "".join(letters[byte] for byte in piece)  # noqa: E731
    own = BPETokenizer.train(" ".join(WORDS * 20), 300)
    vocabulary = {write(piece): i for piece, i in own.ranks.items()}
    merges = [(write(left), write(right)) for left, right in own.merges]
    transformers.GPT2Tokenizer(vocab=vocabulary, merges=merges).save_pretrained(folder)
    torch.manual_seed(0)
    transformers.GPT2LMHeadModel(transformers.GPT2Config()).save_pretrained(folder)


def text(seed: int) -> str:
    """Return more than 128 tokens, different for each seed."""
    order = torch.randint(len(WORDS), (2 * N_TOKEN,), generator=torch.Generator().manual_seed(seed))
    return " ".join(WORDS[at] for at in order)


def open_model(page: Any, folder: Path) -> None:
    """Open a model from its folder; from then on it is the visit's model."""
    page.get_by_role("radio", name="A folder on this machine").click()
    path = page.get_by_label("Path of the folder")
    path.fill(str(folder))
    path.press("Enter")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Open it").last.click()
    page.wait_for_function("() => location.search.includes('model=')", timeout=60_000)
    page.wait_for_selector(READY)


def retype(page: Any, seed: int) -> None:
    """Type a new text and submit it with the keyboard."""
    field = page.get_by_role("textbox", name="Your text")
    field.fill(text(seed))
    field.press("Control+Enter")


def one_pass(folder: Path) -> float:
    """Return the median milliseconds of a pass over 128 tokens alone."""
    model, took = pretrained.load(folder).model, []
    with torch.no_grad():
        for _ in range(1 + N_REPEAT):
            began = time.perf_counter()
            model(torch.arange(N_TOKEN)[None])
            took.append(1e3 * (time.perf_counter() - began))
    return statistics.median(took[1:])


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name, app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        make(folder := Path(name))
        print(f"{'the pass alone':<24}{one_pass(folder):6.0f} ms")
        page, traffic = browser.new_context(viewport=WINDOW, locale="en-US").new_page(), Traffic()
        page.on("websocket", traffic.listen)
        page.add_init_script(WATCH)
        page.goto(f"{url}/pretrained?open=all")
        page.wait_for_selector(READY, timeout=60_000)
        open_model(page, folder)
        traffic.take()
        _, done = click(page, "heads", "Attention heads")
        print(f"{'opening the room':<24}{done:6.0f} ms, {traffic.take()[1] / 1000:5.0f} kB")
        acts = {
            "another text": lambda seed: retype(page, seed),
            "another head": lambda _: page.get_by_role("slider", name="Head", exact=True).press("ArrowRight"),
        }
        for name, act in acts.items():
            found = []
            for seed in range(N_REPEAT):
                page.wait_for_timeout(1_000)
                traffic.take()
                took, _ = measure(page, lambda act=act, seed=seed: act(seed))
                found.append((took or 0.0, traffic.take()[1] / 1000))
            took, sent = (statistics.median(one) for one in zip(*found, strict=True))
            print(f"{name:<24}{took:6.0f} ms, {sent:5.0f} kB", flush=True)


if __name__ == "__main__":
    main()
