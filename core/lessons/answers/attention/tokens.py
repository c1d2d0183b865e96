"""Answers on tokens: cut by real vocabularies, learned here and now."""

from core.cache import memoize
from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import shown

NO_MODEL = NotYet("The little stories model isn't on this machine, so there is nothing to compute an answer with.")


@answer("tokens.count")
def count(text: str, vocab_size: int = 1024, source: str = "python-topics") -> Answer:
    """How many tokens of a vocabulary of this size, learned from a corpus, a text is."""
    from core.rooms.tokens.compute import tokenization
    from core.rooms.tokens.inputs import TextToCut

    cut = TextToCut(text, source, vocab_size).cut("bpe")
    return Answer(
        cut.n_token,
        f"A vocabulary of {cut.vocab_size:,} cuts its {cut.n_character} characters into {cut.n_token} tokens.",
        tokenization.tokenize,
    )


@answer("tokens.first-merge")
def first_merge(words: dict[str, int]) -> Answer:
    """The pair of letters that BPE merges first, for words that stand so often in a text."""
    from core.rooms.tokens.compute import bpe_steps

    text = " ".join(word for word, n in words.items() for _ in range(n))
    step = next(bpe_steps.learn(text, 1))
    pair = b"".join(step.pair).decode("utf-8", "replace")
    return Answer(pair, f"It occurs {step.count} times in that text, and no pair occurs more often.", bpe_steps.learn)


@answer("tokens.by-doubling")
def by_doubling(first: int = 256, doublings: int = 5, source: str = "python-topics") -> Answer:
    """Tokens for 1,000 characters of unseen text, while the vocabulary doubles again and again."""
    from core.rooms.tokens.compute import vocabulary_size

    curve = _by_doubling(first, doublings, source)
    return Answer(
        curve,
        f"The first doubling takes {curve[0]:.0f} tokens for 1,000 characters down to {curve[1]:.0f}. The last one "
        f"saves {curve[-2] - curve[-1]:.0f}.",
        vocabulary_size.compare,
    )


@memoize(16)
def _by_doubling(first: int, doublings: int, source: str) -> tuple[float, ...]:
    from core.rooms.tokens.size import compared

    found = {one.vocab_size: one.tokens_per_thousand for one in compared(source).bpe}
    return tuple(found[first * 2**i] for i in range(doublings + 1))


@answer("tokens.twice-the-same")
def twice_the_same(text: str, word: str) -> Answer | NotYet:
    """Whether a word that stands at two places has one vector or two, in the stories model's table."""
    import torch

    from core.rooms.tokens.compute import one_hot
    from core.ui.models import models

    try:
        key = models.shipped_key("stories")
        encoded, table = models.encode(key, text), models.load(key).model.get_parameter("tok_emb.weight")
    except models.ModelUnreadable:
        return NO_MODEL
    product = one_hot.embed(table, torch.tensor(encoded.ids)).product
    repeats = one_hot.repeats(torch.tensor(encoded.ids).numpy(), product)
    repeat = next((one for one in repeats if encoded.tokens[one.places[0]].strip() == word), None)
    if repeat is None:
        return NotYet(f"No token “{word}” occurs twice in this text.")
    return Answer(
        "same" if repeat.difference == 0 else "other",
        f"It is at positions {' and '.join(map(str, repeat.places))}, and the largest difference between its rows is "
        f"{repeat.difference:g}.",
        one_hot.repeats,
    )


@answer("tokens.nearest")
def nearest(token: str, among: list[str]) -> Answer | NotYet:
    """Which of some tokens of the stories model has the vector nearest to that of one, by cosine."""
    from core.rooms.embeddings import nearest as room
    from core.rooms.embeddings.compute import embeddings
    from core.ui.models import models

    try:
        key = models.shipped_key("stories")
        vocabulary = models.vocabulary(key)
        found = room.compute(room.Inputs(key=key, token=vocabulary.index(token))).near
    except models.ModelUnreadable:
        return NO_MODEL
    cosines = {one: float(found.cosines[vocabulary.index(f" {one}")]) for one in among}
    said = ", ".join(f"“{one}” {value:.2f}" for one, value in cosines.items())
    return Answer(max(cosines, key=lambda one: cosines[one]), f"Cosines: {said}.", embeddings.neighbors)


@answer("tokens.bits-of-a-hundred")
def bits_of_a_hundred() -> Answer:
    """Bits that the model with the stories' tokens needs for a text that takes the one with characters 100 bits."""
    from core.rooms.tokens.experiments import own_tokens

    record = shown("own-tokens").record
    bits = {v: float(record[f"bits.{v}"][-1]) for v in own_tokens.VARIANTS}
    return Answer(
        round(100 * bits["stories"] / bits["characters"]),
        f"Bits per character of new text: {bits['characters']:.2f} with characters, {bits['stories']:.2f} with the "
        "stories' tokens.",
        own_tokens.bits_per_character,
    )
