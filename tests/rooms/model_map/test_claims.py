"""What the whole model's chip says is so: in the second layer, “the” finds what Ben had."""

from core.rooms.model_map import whole_model
from core.ui.exhibit.exhibit_text import load_exhibit_markdown


def test_in_the_second_layer_the_finds_what_ben_had() -> None:
    (chip,) = [one for one in load_exhibit_markdown("model_map", "whole_model").try_chips if "text" in one.settings]
    found = whole_model.compute(whole_model.Inputs(text=chip.settings["text"][0]))
    tokens = [token.strip() for token in found.given.tokens]
    assert tokens[-1] == "the" and "kite" in tokens
    reads = found.record.weights[:, :, -1, tokens.index("kite")]  # (L, H)
    assert reads[1].max() > 0.9 > 0.5 > reads[0].max()
    p = found.record.probabilities[-1]
    assert found.given.vocabulary[int(p.argmax())].strip() == "kite"
