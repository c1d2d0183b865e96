"""Our beam search finds the texts and scores of Hugging Face's, on the same weights."""

import itertools

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from core.generate.beam import cached_beam_search
from core.models.pretrained import model_from_state_dict
from tests.counts import rest_is_full

V, EOS, PAD, N_NEW = 7, 3, 1, 7


def both(seed: int) -> tuple[GPT2LMHeadModel, torch.nn.Module]:
    """A tiny GPT-2 whose next token is far from certain and whose end token comes now and then, and ours of it."""
    config = GPT2Config(vocab_size=V, n_positions=24, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=EOS)
    theirs = GPT2LMHeadModel(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(0.0, 0.45, generator=generator)
    ours = model_from_state_dict(theirs.config.to_dict(), theirs.state_dict())
    return theirs, ours.eval()


@pytest.mark.parametrize("seed", rest_is_full(0, 1, 4))
@pytest.mark.parametrize("eos_id", [EOS, [EOS, EOS + 1], None])
def test_texts_and_scores(seed: int, eos_id: int | list[int] | None) -> None:
    theirs, ours = both(seed)
    prompt = torch.randint(V, (1, 4), generator=torch.Generator().manual_seed(seed))
    n_ended = 0
    for n_beam, penalty, early in itertools.product((2, 3, 5), (0.0, 1.0, 2.0, -1.0), (False, True, "never")):
        expected = theirs.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            num_beams=n_beam,
            num_return_sequences=n_beam,
            max_new_tokens=N_NEW,
            length_penalty=penalty,
            early_stopping=early,
            do_sample=False,
            eos_token_id=eos_id,
            pad_token_id=PAD,
            return_dict_in_generate=True,
            output_scores=True,
        )
        found = cached_beam_search(
            ours, prompt[0], n_beam, N_NEW, eos_id=eos_id, length_penalty=penalty, early_stopping=early
        ).hypotheses
        scores = torch.tensor([one.score for one in found])
        torch.testing.assert_close(scores, expected.sequences_scores, atol=1e-4, rtol=0.0)
        width = expected.sequences.shape[1]
        padded = [[*one.ids, *[PAD] * (width - len(one.ids))] for one in found]
        assert padded == expected.sequences.tolist(), (n_beam, penalty, early)
        n_ended += sum(one.ids[-1] == EOS for one in found)
    assert eos_id is None or n_ended > 20  # the bar means something
