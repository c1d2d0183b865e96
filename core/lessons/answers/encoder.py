"""Answers on encoders: masking, gaps, both directions, fine-tuning, entities."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.text import escape_markdown, percent

GAPS = "masked"


@answer("encoder.masked-words")
def masked_words(n: int = 1000, seed: int = 0) -> Answer:
    """How many of n words become the mask token, drawn by the rule over many batches."""
    from core.rooms.encoder import lab
    from core.train.experiments import masking

    counts = lab.tally(seed, 0.15)[-1]
    total, masked = int(counts.sum()), int(counts[masking.MASKED])
    return Answer(
        round(n * masked / total),
        f"In {lab.N_BATCH} batches of stories, {masked:,} of {total:,} words became the mask token, and "
        f"{total - int(counts[0]):,} were chosen.",
        masking.corrupt,
    )


@answer("encoder.gaps-filled")
def gaps_filled() -> Answer:
    """How often the encoder says the very word: "fewer" than counting does, "more", or nearly "all"."""
    from core.inspect import gaps
    from core.rooms.encoder import pretrain
    from core.rooms.encoder.experiments import masked as task
    from core.rooms.encoder.inputs import pair

    opened, counted = pair(shown(GAPS)), pretrain.baselines().neighbors_right
    held = task.held_batch(opened.words)
    ids, chosen = held.inputs.numpy(), held.chosen.numpy()
    said = gaps.at_the_places(opened.bert, ids, ids != opened.words.pad_id)
    right = float((said == held.targets.numpy())[chosen].mean())
    return Answer(
        "fewer" if right <= counted else "all" if right > 0.95 else "more",
        f"It fills **{percent(right)}** of {int(chosen.sum())} gaps with the very word that was hidden; counts of both "
        f"neighbors fill {percent(counted)}.",
        gaps.at_the_places,
    )


@answer("encoder.two-gaps")
def two_gaps() -> Answer:
    """The two words that an encoder finds most probable for two gaps at once, as "first_second"."""
    from core.inspect import gaps
    from core.rooms.encoder import together

    pairs = together.compute(together.Inputs(), shown(GAPS))
    (firsts, seconds), (turn, then) = pairs.labels, pairs.best[1]
    first, second, best = firsts[0], seconds[0], (firsts[turn], seconds[then])
    name = f"{first}_{second}"
    return Answer(
        name if name in ("a_apple", "an_apple", "a_bun") else "other",
        f"Filled at once: “{escape_markdown(first)} {escape_markdown(second)}”, a pair with a probability of "
        f"{float(pairs.in_turn[0, 0]):.1%} once the second gap reads the first one's word. Filled one after the "
        f"other: “{escape_markdown(' '.join(best))}”, with {float(pairs.in_turn[turn, then]):.1%}.",
        gaps.fill_two,
    )


@answer("encoder.from-the-left")
def from_the_left() -> Answer:
    """What a decoder gives the true word in a gap that only the right side tells, in percent."""
    from core.rooms.encoder import directions as room
    from core.rooms.encoder.compute import directions

    sides = room.compute(room.Inputs(), shown(GAPS))
    both, left = (100 * sides.of_truth(who) for who in (directions.WHO[0], directions.WHO[2]))
    return Answer(
        round(left, 1),
        f"The encoder gives “under” {both:.1f}%, the decoder {left:.1f}%.",
        directions.decoder_says,
    )


@answer("encoder.next-kite")
def next_kite() -> Answer:
    """Whether two sentences still follow each other, says the model, when the second tells of another toy."""
    from core.rooms.encoder import next_sentence as room

    run, usual = shown("next-sentence"), room.Inputs().second
    same, other = (
        room.compute(room.Inputs(second=second), run).p_next for second in (usual, usual.replace("drum", "kite"))
    )
    return Answer(
        "follows" if other > 0.5 else "other",
        f"That the second follows has a probability of {same:.0%} with the drum and {other:.0%} with the kite.",
        room.compute,
    )


@answer("encoder.few-labels")
def few_labels(n: int = 20) -> Answer:
    """Which of three judges that saw n labelled reviews is right most often: "scratch", "frozen" or "full"."""
    from core.rooms.encoder.experiments import finetune as task
    from core.rooms.encoder.inputs import judge

    live = shown("finetune")
    text = task.batch(task.held_out(live.seed))
    right = {}
    for way in task.WAYS:
        said = judge(live, way, n)(text.ids, text.mask).argmax(-1)
        right[way] = float((said == text.labels).double().mean())
    told = ", ".join(f"{task.NAMES[way]} {percent(share)}" for way, share in right.items())
    return Answer(
        max(right, key=lambda way: right[way]),
        f"Share of {len(text.labels)} new reviews judged right after {n} labels: {told}.",
        task.Tuning.learn,
    )


@answer("encoder.without")
def without(review: str, word: str) -> Answer:
    """The verdict on a review without one of its words: "praise" or "blame"."""
    from core.data.synthetic import reviews
    from core.rooms.encoder import class_attention as room
    from core.rooms.encoder.compute import class_attention
    from core.rooms.encoder.inputs import OWN

    seen = room.compute(room.Inputs(review=OWN, text=review), shown("finetune"))
    praise, weights, words = seen.praise, seen.weights, seen.tokens
    told = ", ".join(
        f"without “{escape_markdown(one)}” {percent(float(praise[i]))}"
        for i, one in enumerate(words[1:], 1)
        if one != "."
    )
    place = words.index(word)
    return Answer(
        reviews.LABELS[int(seen.without[place].argmax())],
        f"Probability of praise: {percent(float(praise[0]))}; {told}. `<class>` puts {weights[place]:.2f} of its "
        f"weight on “{escape_markdown(word)}”, on average over the heads.",
        class_attention.look,
    )


@answer("encoder.own-entities")
def own_entities() -> Answer | NotYet:
    """How good the learner's own reader of names is: "all" (F1 of 0.98 or more), "between", or no better than a
    "list"."""
    from core.rooms.encoder.experiments import entities as task

    mine = own("entities", n_layer=1)
    if isinstance(mine, NotYet):
        return mine
    f1, by_list = float(mine.record["curve.f1"][-1]), float(mine.record["list.f1"])
    layers = int(mine.options["n_layer"])
    return Answer(
        "all" if f1 >= 0.98 else "between" if f1 > by_list else "list",
        f"Your model of {layers} layer{'s' * (layers > 1)} has F1 **{f1:.3f}** on {task.N_HELD} new sentences; the "
        f"best list of names has {by_list:.3f}.",
        task.Entities.advance,
    )
