"""Every exhibit by its name, "room.exhibit", and what it needs to stand alone: in a lesson, or in a test of all."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.ui.frame.exhibit import Exhibit
from core.ui.training import live


@dataclass(frozen=True)
class Entry:
    """Where an exhibit stands.

    Attributes:
        place: module below `core.rooms`, and the name in it.
        bar: the function of `core.lessons.bars` that asks for what it is drawn with; "" if it asks for all itself.
        live: the experiments whose training it follows.
    """

    place: str
    bar: str = ""
    live: tuple[str, ...] = ()

    def exhibit(self) -> Exhibit:
        """The exhibit itself; its room's module is read at the first look."""
        module, name = self.place.split(":")
        found: Exhibit = getattr(importlib.import_module(f"core.rooms.{module}"), name)
        return found

    def ask(self) -> tuple[Any, ...] | None:
        """Draw the bar; what the exhibit is drawn with, or None after plain words."""
        if not self.bar:
            return ()
        bar: Callable[[], tuple[Any, ...] | None] = getattr(importlib.import_module("core.lessons.bars"), self.bar)
        return bar()

    def pace(self) -> float | None:
        """Seconds between two looks, while one of its trainings goes on."""
        paces = [live.pace(name) for name in self.live]
        return next((seconds for seconds in paces if seconds is not None), None)


CATALOGUE: Mapping[str, Entry] = MappingProxyType(
    {
        "home.sentence-through": Entry("home:sentence_through"),
        "ngrams.counting-pairs": Entry("ngrams.counts:counting_pairs", bar="ngrams"),
        "ngrams.factor-by-factor": Entry("ngrams.markov:factor_by_factor", bar="ngrams"),
        "ngrams.how-far-back": Entry("ngrams.orders:how_far_back", bar="ngrams"),
        "ngrams.slips": Entry("ngrams.slips:slips"),
        "ledger.ledger": Entry(
            "ledger.ledger:ledger",
            live=(
                "ledger",
                "ledger-topics",
            ),
        ),
        "ledger.when-ngram-wins": Entry(
            "ledger.budget:when_ngram_wins",
            live=(
                "budget",
                "budget-stories",
            ),
        ),
        "recurrent.forgetting-by-distance": Entry("recurrent.forgetting:forgetting_by_distance"),
        "recurrent.from-both-ends": Entry("recurrent.bidirectional:from_both_ends", bar="recurrent"),
        "recurrent.padding-trap": Entry("recurrent.bidirectional:padding_trap", bar="recurrent"),
        "recurrent.remember": Entry("recurrent.remember:remember", live=("remember",)),
        "recurrent.unrolled": Entry("recurrent.unrolled:unrolled", bar="recurrent"),
        "seq2seq.alignment": Entry("seq2seq.alignment:alignment"),
        "seq2seq.bottleneck": Entry("seq2seq.bottleneck:bottleneck", live=("bottleneck",)),
        "seq2seq.dates": Entry("seq2seq.dates:dates", live=("dates",)),
        "seq2seq.forcing": Entry("seq2seq.forcing:forcing"),
        "seq2seq.override": Entry("seq2seq.override:override"),
        "choosing.fix-the-code": Entry("choosing.lecture:fix_the_code", live=("lecture",)),
        "choosing.score-gradients": Entry("choosing.gradients:score_gradients"),
        "choosing.three-ways": Entry("choosing.three_ways:three_ways", live=("choosing",)),
        "tokens.bpe-is-born": Entry("tokens.born:bpe_is_born", bar="tokens"),
        "tokens.four-ways": Entry("tokens.four_ways:four_ways", bar="tokens"),
        "tokens.how-large": Entry("tokens.size:how_large", bar="tokens"),
        "tokens.one-hot-look-up": Entry("tokens.rows:one_hot_look_up", bar="reader"),
        "tokens.own-tokens": Entry("tokens.own:own_tokens", live=("own-tokens",)),
        "embeddings.dot-is-not-cosine": Entry("embeddings.two_vectors:dot_is_not_cosine"),
        "embeddings.nearest-tokens": Entry("embeddings.nearest:nearest_tokens", bar="embedding"),
        "embeddings.token-map": Entry("embeddings.token_map:token_map", bar="embedding"),
        "embeddings.word-in-two-sentences": Entry("embeddings.word_path:word_in_two_sentences", bar="embedding_model"),
        "positions.alibi-slopes-shown": Entry("positions.biases:alibi_slopes_shown"),
        "positions.causal-order": Entry("positions.order:causal_order", bar="words"),
        "positions.clock-hands": Entry("positions.clocks:clock_hands"),
        "positions.contest": Entry("positions.contest:contest", live=("contest",)),
        "positions.learned-positions": Entry("positions.learned:learned_positions"),
        "positions.lecture-code": Entry("positions.lecture:lecture_code"),
        "positions.one-rotation": Entry("positions.clocks:one_rotation"),
        "positions.position-zero": Entry("positions.lecture:position_zero"),
        "positions.rotary-pair": Entry("positions.rotary:rotary_pair"),
        "positions.shuffle-words": Entry("positions.order:shuffle_words", bar="words"),
        "positions.slips": Entry("positions.slips:slips"),
        "positions.t5-buckets": Entry("positions.biases:t5_buckets"),
        "steps.cost": Entry("steps.cost:cost"),
        "steps.many-heads": Entry("steps.split:many_heads"),
        "steps.slips": Entry("steps.slips:slips"),
        "steps.soft-look-up": Entry("steps.dictionary:soft_look_up"),
        "steps.where-the-root-stands": Entry("steps.scale:where_the_root_stands"),
        "steps.whole-walk": Entry("steps.walk:whole_walk"),
        "steps.why-the-root": Entry("steps.scale:why_the_root"),
        "masks.draw-your-own": Entry("masks.draw:draw_your_own", bar="masks_head"),
        "masks.kinds-of-masks": Entry("masks.kinds:kinds_of_masks", bar="masks_head"),
        "masks.number-for-minus-infinity": Entry("masks.lowest:number_for_minus_infinity", bar="masks_head"),
        "masks.padding-against-causal": Entry("masks.batch:padding_against_causal", bar="masks_model"),
        "masks.train-without": Entry("masks.cheating:train_without", live=("cheating",)),
        "masks.where-the-mask-belongs": Entry("masks.places:where_the_mask_belongs", bar="masks_head"),
        "heads.all-heads": Entry("heads:all_heads", bar="head"),
        "heads.as-lines": Entry("heads_lines:as_lines", bar="head"),
        "heads.attention-rollout": Entry("heads_rollout:attention_rollout", bar="heads"),
        "heads.coordinates": Entry("heads_product:coordinates", bar="head"),
        "heads.one-head": Entry("heads_one:one_head", bar="head"),
        "heads.set-a-row": Entry("edit_row:set_a_row", bar="predicting_head"),
        "heads.switch-off": Entry("knockout:switch_off", bar="predicting_heads"),
        "work.explanation": Entry("work.explanation:explanation", live=("explanation",)),
        "work.induction": Entry("work.induction:induction", live=("induction",)),
        "work.three-switches": Entry("work.three_switches:three_switches", live=("three-switches",)),
        "block.gradients-with-depth": Entry("block.depth:gradients_with_depth", live=("depth",)),
        "block.nonlinearity": Entry("block.activations:nonlinearity"),
        "block.shape-stays": Entry("block.layer_norm:shape_stays"),
        "block.slips": Entry("block.slips:slips"),
        "block.through-the-block": Entry("block.way:through_the_block", bar="block_token"),
        "block.tokens-become-identical": Entry("block.collapse:tokens_become_identical", live=("depth",)),
        "block.units": Entry("block.feed_forward:units", bar="block_record"),
        "block.where": Entry("block.parameters:where", bar="block"),
        "families.family-table": Entry("families.family_table:family_table"),
        "families.same-question": Entry("families.same_question:same_question", live=("families",)),
        "families.three-blocks": Entry("families.three_blocks:three_blocks"),
        "families.who-reads": Entry("families.who_reads:who_reads"),
        "decoder.first-loss": Entry("decoder.first_loss:first_loss"),
        "decoder.frozen-step": Entry("decoder.frozen_step:frozen_step", bar="decoder"),
        "decoder.last-row": Entry("decoder.unembed:last_row", bar="decoder"),
        "decoder.leak-test": Entry("decoder.leak:leak_test", bar="decoder"),
        "decoder.lens": Entry("decoder.lens:lens", bar="decoder"),
        "decoder.lens-film": Entry("decoder.lens_film:lens_film", live=("lens",)),
        "decoder.optimizer-step": Entry("decoder.one_step:optimizer_step", bar="decoder"),
        "decoder.slips": Entry("decoder.slips:slips", bar="decoder"),
        "decoder.write": Entry("decoder.write:write"),
        "encoder.class-attention": Entry("encoder.class_attention:class_attention"),
        "encoder.directions": Entry("encoder.directions:directions"),
        "encoder.entities": Entry("encoder.entities:entities", live=("entities",)),
        "encoder.finetune": Entry("encoder.finetune:finetune", live=("finetune",)),
        "encoder.gaps": Entry("encoder.gaps:gaps"),
        "encoder.masking-lab": Entry("encoder.lab:masking_lab"),
        "encoder.next-sentence": Entry("encoder.next_sentence:next_sentence", live=("next-sentence",)),
        "encoder.pretrain": Entry("encoder.pretrain:pretrain", live=("masked",)),
        "encoder.slips": Entry("encoder.slips:slips"),
        "encoder.together": Entry("encoder.together:together"),
        "encoder-decoder.applications": Entry("encoder_decoder.applications:applications", live=("applications",)),
        "encoder-decoder.beams": Entry("encoder_decoder.beams:beams"),
        "encoder-decoder.bleu-caveats": Entry("encoder_decoder.caveats:bleu_caveats"),
        "encoder-decoder.forced-or-free": Entry("encoder_decoder.forcing:forced_or_free"),
        "encoder-decoder.maps": Entry("encoder_decoder.maps:maps"),
        "encoder-decoder.rivals": Entry("encoder_decoder.rivals:rivals", live=("translation-rivals",)),
        "encoder-decoder.roles": Entry("encoder_decoder.roles:roles"),
        "encoder-decoder.swap": Entry("encoder_decoder.swap:swap"),
        "encoder-decoder.translate": Entry("encoder_decoder.translate:translate", live=("translation",)),
        "sizes.count": Entry("sizes.count:count", bar="sized_model"),
        "sizes.law": Entry("sizes.law:law", live=("scaling",)),
        "sizes.slips": Entry("sizes.slips:slips"),
        "sizes.scale": Entry("sizes.scale:scale", bar="sized_model"),
        "pretrained.does-it-work": Entry("pretrained.check:does_it_work", bar="shelf"),
        "pretrained.open-a-model": Entry("pretrained.open_one:open_a_model"),
        "pretrained.what-it-is": Entry("pretrained.facts:what_it_is", bar="shelf"),
        "pretrained.what-was-renamed": Entry("pretrained.names:what_was_renamed", bar="shelf"),
        "patches.attention": Entry("patches.attention:attention"),
        "patches.cut": Entry("patches.cut:cut"),
        "patches.hide": Entry("patches.hide:hide"),
        "patches.rollout": Entry("patches.rollout:rollout"),
        "patches.shuffle": Entry("patches.shuffle:shuffle"),
        "patches.similarity": Entry("patches.similarity:similarity"),
        "patches.training": Entry("patches.training:training", live=("digits",)),
        "pixels.complete": Entry("pixels.complete:complete"),
        "pixels.orders": Entry("pixels.orders:orders"),
        "pixels.probe": Entry("pixels.probe:probe"),
        "pixels.quadratic": Entry("pixels.quadratic:quadratic"),
        "pixels.quantise": Entry("pixels.quantise:quantise"),
        "pixels.training": Entry("pixels.training:training", live=("pixels",)),
        "scales.reach": Entry("scales.reach:reach"),
        "scales.stages": Entry("scales.stages:stages"),
        "scales.training": Entry("scales.training:training", live=("scales",)),
        "captions.look": Entry("captions.look:look"),
        "captions.swap": Entry("captions.swap:swap"),
        "captions.training": Entry("captions.training:training", live=("captions",)),
        "captions.vec2seq": Entry("captions.vec2seq:vec2seq", live=("captions-class",)),
        "next-token.each-token": Entry("next_token:each_token", bar="next_place"),
        "next-token.what-comes-next": Entry("next_token:what_comes_next", bar="next_place"),
        "next-token.write": Entry("generation:write", bar="writer"),
        "strategies.one-step": Entry("strategies.microscope:one_step", bar="strategies_place"),
        "strategies.order-matters": Entry("strategies.nucleus:order_matters", bar="strategies_place"),
        "strategies.strategies-side-by-side": Entry(
            "strategies.side_by_side:strategies_side_by_side", bar="strategies"
        ),
        "strategies.thousand-draws": Entry("strategies.thousand:thousand_draws", bar="strategies_place"),
        "strategies.what-temperature-does": Entry(
            "strategies.temperature:what_temperature_does", bar="strategies_place"
        ),
        "strategies.who-crosses": Entry("strategies.nucleus:who_crosses"),
        "beam.b-squared": Entry("beam.shortlist:b_squared"),
        "beam.tree": Entry("beam.tree:tree", bar="beam"),
        "beam.truth": Entry("beam.truth:truth", live=("beam-truth",)),
        "cache.break-it": Entry("cache.mistakes:break_it", bar="cache"),
        "cache.how-much-memory": Entry("cache.memory:how_much_memory", bar="cache_model"),
        "cache.same-words": Entry("cache.same_words:same_words", bar="cache"),
        "cache.tables-that-grow": Entry("cache.tables:tables_that_grow", bar="cache"),
    }
)
