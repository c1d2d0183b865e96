"""Answers on the encoder-decoder: cross-attention, teacher forcing, beams, BLEU, one model for many tasks."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.text import escape_markdown, percent

NAME = "translation"


@answer("translation.cross-weights")
def cross_weights(english: str) -> Answer:
    """How many weights one head of the cross-attention has for this sentence."""
    from core.rooms.encoder_decoder import roles
    from core.rooms.encoder_decoder.compute import cross_attention

    n, m = roles.compute(roles.Inputs(run=shown(NAME), text=english)).seen.cross.shape[2:]
    return Answer(
        n * m,
        f"It wrote {n} tokens, including the end, and read {m}: {n} × {m} = **{n * m}** weights. The encoder's own map "
        f"has {m} × {m} = {m * m}.",
        cross_attention.record,
    )


@answer("translation.verb-after-swap")
def verb_after_swap(first: str, second: str, at: int = 4) -> Answer:
    """The last letter of the verb when the source is exchanged: "n" as in the first, "s" as in the second."""
    from core.rooms.encoder_decoder import swap

    found = swap.compute(swap.Inputs(run=shown(NAME), first=first, second=second, at=at))
    written, alone = found.mixed.answer, [found.alone.answer, found.other.answer]
    verbs = [word for word in written.split() if word[:-1] in _stems(alone)]
    ending = verbs[-1][-1] if verbs else ""
    return Answer(
        ending if ending in ("n", "s") else "other",
        f"It writes “{escape_markdown(written)}”. Without the exchange, the two translations are "
        f"“{escape_markdown(alone[0])}” and “{escape_markdown(alone[1])}”.",
        swap.compute,
    )


def _stems(texts: list[str]) -> set[str]:
    """The verbs of translations, without their endings: the last word, or the one before "ne"."""
    found = set()
    for text in texts:
        words = [word for word in text.split() if word != "ne"]
        if words:
            found.add(words[-1][:-1])
    return found


@answer("translation.whole-sentences")
def whole_sentences(which: str = "longer") -> Answer:
    """With teacher forcing or freely: which way has more whole sentences right, "forced", "free" or "same"."""
    from core.inspect.forcing import compare
    from core.rooms.encoder_decoder import forcing

    found = forcing.shares(shown(NAME), which)
    one, other = found.whole_forced, found.whole_free
    return Answer(
        "same" if one == other else "forced" if one > other else "free",
        f"Of {forcing.N} sentences, {percent(one)} are entirely right with teacher forcing and {percent(other)} "
        "written freely.",
        compare,
    )


@answer("translation.more-beams")
def more_beams(few: int = 1, many: int = 8) -> Answer:
    """What more beams do to the share of right translations: "better" by 15 points or more, "worse", or "same"."""
    from core.generate.beam import beam_search
    from core.rooms.encoder_decoder import beams

    one, other = (beams.count(shown(NAME), n, 1.0) for n in (few, many))
    gain = other.exact - one.exact
    return Answer(
        "better" if gain >= 0.15 else "worse" if gain <= -0.15 else "same",
        f"With {few} beam {percent(one.exact)} of {beams.N} sentences are right, with {many} beams "
        f"{percent(other.exact)}. In {percent(other.surer)} the model's own best text is more probable to it than the "
        "right one.",
        beam_search,
    )


@answer("translation.bleu")
def bleu_of(reference: str, written: str) -> Answer:
    """BLEU of one text against one reference, from 0 to 1."""
    from core.rooms.encoder_decoder.compute.bleu import bleu

    found = bleu([[reference.split()]], [written.split()])
    shares = ", ".join(f"{match} of {total}" for match, total in zip(found.matches, found.totals, strict=True))
    return Answer(
        round(found.score, 3),
        f"Of the written groups of 1, 2, 3 and 4 words, the reference has {shares}. For {found.n_written} words "
        f"instead of {found.n_reference} the score is multiplied by {found.brevity:.3f}.",
        bleu,
    )


@answer("translation.verdict")
def verdict(review: str) -> Answer:
    """What the model of four tasks writes about a review: "praise", "blame", or "other"."""
    from core.generate.seq2seq import greedy
    from core.rooms.encoder_decoder import applications

    inputs = applications.Inputs(task="sentiment", sentiment=review)
    found = applications.compute(inputs, shown("applications"))
    said = found.said
    return Answer(
        said if said in ("praise", "blame") else "other",
        f"It read “{escape_markdown(' '.join(found.source))}” and wrote “{escape_markdown(said)}”.",
        greedy,
    )


@answer("translation.own")
def own_translation() -> Answer | NotYet:
    """How many sentences the learner's own translator has right: "all" (95% or more), "most" (half or more), "few"."""
    from core.rooms.encoder_decoder.experiments import translation as task

    mine = own(NAME, n_layer=1)
    if isinstance(mine, NotYet):
        return mine
    exact, words = float(mine.record["curve.exact"][-1]), float(mine.record["curve.words"][-1])
    return Answer(
        "all" if exact >= 0.95 else "most" if exact >= 0.5 else "few",
        f"Yours gets **{exact:.1%}** of {task.N_HELD} whole sentences right, and {words:.1%} of the single words.",
        task.Translation.advance,
    )
