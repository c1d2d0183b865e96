"""Languages, tasks, BLEU and one translation taken apart: against NLTK, by hand, and by what must hold for any."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

from core.data.synthetic import entities
from core.generate.seq2seq import greedy_decode
from core.inspect.teacher_forcing import compare_teacher_forcing
from core.models import registry
from core.models.original_transformer import TransformerConfig
from core.models.t5 import T5Config
from core.nn.attention import attend
from core.rooms.encoder_decoder.caveats import HARMLESS_CHANGES, MEANING_CHANGES, score_changes
from core.rooms.encoder_decoder.compute import applications as tasks, languages, stories
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.cross_attention import record_cross_attention
from core.rooms.encoder_decoder.compute.languages import MANY_ADJECTIVES, USUAL_ADJECTIVES, Phrase, Sentence
from core.rooms.encoder_decoder.experiments import translation


@st.composite
def phrases(draw: st.DrawFn) -> Phrase:
    adjectives = draw(st.lists(st.sampled_from(list(languages.ADJECTIVES)), max_size=2, unique=True))
    return Phrase(
        draw(st.sampled_from(list(languages.NOUNS))), draw(st.booleans()), draw(st.booleans()), tuple(adjectives)
    )


@st.composite
def any_sentence(draw: st.DrawFn) -> Sentence:
    has_object = draw(st.booleans())
    verbs = languages.TRANSITIVE if has_object else languages.INTRANSITIVE
    return Sentence(
        draw(phrases()),
        draw(st.sampled_from(list(verbs))),
        draw(phrases()) if has_object else None,
        draw(st.booleans()),
        draw(st.sampled_from(["", *languages.ADVERBS])),
    )


@given(any_sentence())
def test_every_sentence_has_one_translation_each_way(sentence: Sentence) -> None:
    english, tamari = sentence.english(), sentence.tamari()
    assert languages.parse_english(english) == sentence == languages.parse_tamari(tamari)
    assert languages.to_tamari(english) == tamari and languages.to_english(tamari) == english
    for text in (english, tamari):
        assert languages.decode(languages.encode_target(text)) == text
        assert " ".join(languages.ids_to_tokens(languages.encode(text))) == text
    assert not languages.split_known_words(english)[1] and len(languages.split_known_words(tamari)[1]) == len(
        tamari.split()
    )


@given(any_sentence())
def test_agreement_and_order(sentence: Sentence) -> None:
    words = sentence.tamari().split()
    assert (words[-1] == "ne") == sentence.negated
    verb = words[-2] if sentence.negated else words[-1]
    assert verb.endswith("n") == sentence.subject.plural  # whatever stands between the two
    phrase = sentence.subject.tamari()
    assert len({word[-1] for word in phrase}) == 1  # article, noun and adjectives end alike
    first = 1 if sentence.adverb else 0
    assert words[first : first + len(phrase)] == phrase


@given(any_sentence())
def test_the_alignment_names_the_word_that_is_translated(sentence: Sentence) -> None:
    english, tamari, places = sentence.english().split(), sentence.tamari().split(), sentence.alignment()
    assert len(places) == len(tamari) and len(set(places)) == len(places)
    left_out = [word for i, word in enumerate(english) if i not in places]
    assert left_out in ([], ["does"], ["do"])
    for place, word in zip(places, tamari, strict=True):
        plain = english[place].removesuffix("s")
        stems = {**languages.ADJECTIVES, **languages.VERBS, **languages.ADVERBS, "not": "ne", "the": "l", "a": "un",
                 "some": "un", **{noun: stem for noun, (stem, _) in languages.NOUNS.items()}}  # fmt: skip
        assert word.startswith(stems[plain]), (english, tamari)


def test_examples_by_hand() -> None:
    small = "the small dog does not see some white cats now"
    assert languages.to_tamari(small) == "nu lo kano pico une mile blane vides ne"
    assert languages.to_tamari("Some small red queens  sing") == "une fire roje pice kantan"
    for wrong in ("", "dog", "the dog see a cat", "a dogs sleep", "the dog sees", "the dog sleeps a cat",
                  "now a dog sleeps", "the red red dog sleeps", "the red big small dog sleeps",
                  "the dog does not sleeps"):  # fmt: skip
        assert languages.to_tamari(wrong) is None, wrong
    for wrong in ("", "ne", "lo kano dormin", "la kano dormis", "lo kano vides", "lo kano la mila",
                  "lo kano dormis nu"):  # fmt: skip
        assert languages.to_english(wrong) is None, wrong


def test_how_many_sentences_there_are() -> None:
    assert languages.count_sentences(USUAL_ADJECTIVES) == 7_011_520
    assert languages.count_sentences(MANY_ADJECTIVES) == 80_640_000
    # Counted one by one, without adjectives.
    bare = [Phrase(n, p, d) for n, p, d in itertools.product(languages.NOUNS, (False, True), (False, True))]
    every = {Sentence(a, v, b).english() for a, b in itertools.product(bare, bare) for v in languages.TRANSITIVE}
    every |= {Sentence(a, v).english() for a in bare for v in languages.INTRANSITIVE}
    assert len(every) * 8 == languages.count_sentences((0,))


def test_draws_are_those_of_the_seed_and_leave_out_what_they_must() -> None:
    one = languages.draw_translations(300, np.random.default_rng(3))
    assert one == languages.draw_translations(300, np.random.default_rng(3)) and len(set(one)) > 280
    held = {english for english, _ in one[:100]}
    rest = languages.draw_translations(300, np.random.default_rng(3), without=held)
    assert not held & {english for english, _ in rest}
    counts = {languages.parse_english(english).n_adjective for english, _ in one}  # type: ignore[union-attr]
    assert counts == set(USUAL_ADJECTIVES)
    longer = languages.draw_translations(300, np.random.default_rng(3), n_adjective=MANY_ADJECTIVES)
    assert {languages.parse_english(english).n_adjective for english, _ in longer} == set(MANY_ADJECTIVES)  # type: ignore[union-attr]
    assert max(len(tamari.split()) for _, tamari in longer) > max(len(tamari.split()) for _, tamari in one)
    with pytest.raises(ValueError, match="adjectives"):
        languages.draw_translations(1, np.random.default_rng(0), n_adjective=(5,))


def test_words_of_both_languages_are_told_apart() -> None:
    assert len(set(languages.VOCABULARY)) == languages.VOCAB_SIZE == 126
    assert (languages.PAD, languages.START, languages.END) == (0, 1, 2)
    assert languages.VOCABULARY[: len(languages.SPECIAL)] == languages.SPECIAL
    assert languages.encode("the xylophone DOG") == languages.encode("the dog")
    assert languages.decode([languages.START, *languages.encode("lo kano"), languages.END, 40]) == "lo kano"


# --- the four applications --------------------------------------------------------------------------------------------


def test_one_story_and_its_summary() -> None:
    story = stories.Story("ben", "lost", "drum", "river", "mia", "tired", "warm", (0, 2))
    told = "mia was tired . ben went to the river . the sun was warm . there he lost a drum ."
    assert " ".join(story.words) == told
    assert " ".join(story.summary) == "ben lost a drum at the river"
    asked = {kind: stories.story_question(story, kind) for kind in stories.QUESTION_KINDS}
    assert {kind: " ".join(one.answer) for kind, one in asked.items()} == {
        "who did it": "ben", "what": "a drum", "where": "the river", "who was": "mia", "how was": "tired",
        "the sun": "warm",
    }  # fmt: skip
    assert asked["who did it"].span == (4, 5) and asked["where"].span == (7, 9)
    assert " ".join(asked["what"].question) == "what was lost ?"


def test_stories_vary_and_every_answer_stands_in_its_story() -> None:
    drawn = stories.draw_stories(300, np.random.default_rng(0))
    assert {story.order for story in drawn} == {(i, j) for i in range(4) for j in range(4) if i != j}
    assert all(story.who != story.other for story in drawn)
    assert all(set(story.words) | set(story.summary) <= set(stories.WORDS) for story in drawn)
    for one in stories.draw_story_questions(300, np.random.default_rng(1)):
        assert one.story[slice(*one.span)] == one.answer
        assert set(one.question) <= set(stories.QUESTION_WORDS) and len(one.question) <= stories.MAX_QUESTION_WORDS


def test_finding_words_in_a_text() -> None:
    assert stories.find_span(("b", "c"), ("a", "b", "c", "b", "c")) == (1, 3)
    assert stories.find_span(("c", "b", "a"), ("a", "b")) is None
    assert stories.find_span((), ("a",)) is None


@pytest.mark.parametrize("task", tasks.TASKS)
def test_pairs_fit_the_model(task: str) -> None:
    for pair in tasks.draw_examples(task, 300, np.random.default_rng(5)):
        assert pair.source[0] == tasks.TASK_PREFIXES[task]
        assert len(pair.source) <= tasks.MAX_WORDS + 1 and len(pair.target) < tasks.MAX_ANSWER
        assert tasks.decode([*tasks.encode(pair.target), tasks.END, 0]) == pair.target
        assert tasks.parse_task_text(task, " ".join(pair.source[1:])) == (pair.source, ())
    assert len(set(tasks.VOCABULARY)) == len(tasks.VOCABULARY)


def test_entities_are_written_with_their_kinds_and_counted() -> None:
    sentence = entities.EntitySentence(
        ("john", "paris", "flew", "to", "rome", "."),
        tuple(entities.LABELS.index(x) for x in ("B-person", "I-person", "other", "other", "B-place", "other")),
    )
    answer = tasks.entity_words(sentence)
    assert answer == ("person", "john", "paris", "place", "rome")
    assert tasks.count_entities(answer) == {("person", "john", "paris"): 1, ("place", "rome"): 1}
    assert tasks.entity_f1([answer], [answer]) == 1
    assert tasks.entity_f1([("place", "john", "paris", "place", "rome")], [answer]) == 0.5
    assert tasks.entity_f1([("rome",)], [answer]) == tasks.entity_f1([], []) == 0  # no kind before it: nothing is said
    # One right of one said and two true: precision 1, recall 1/2.
    assert tasks.entity_f1([("place", "rome")], [answer]) == pytest.approx(2 / 3)
    assert tasks.entity_f1([("place", "rome", "place", "rome")], [answer]) == 0.5  # said twice counts as said twice


def test_words_that_are_not_known_are_told() -> None:
    source, unknown = tasks.parse_task_text("sentiment", "The soup wasn't lovely 🙂 unicorn unicorn")
    assert source == ("sentiment:", "soup", "not", "lovely", ".")
    assert "unicorn" in unknown and unknown.count("unicorn") == 1
    assert tasks.parse_task_text("entities", "🙂 <b>")[0] == ("entities:",)
    assert tasks.parse_task_text("summarize", "") == (("summarize:",), ())
    assert len(tasks.parse_task_text("question", "who was " * 200)[0]) == tasks.MAX_WORDS + 1


# --- BLEU -------------------------------------------------------------------------------------------------------------


words = st.lists(st.sampled_from("abcd"), min_size=4, max_size=9)
corpus = st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), words), min_size=1, max_size=5)


@given(corpus)
@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK's, where no four words are right
def test_it_is_nltks(pairs: list[tuple[list[list[str]], list[str]]]) -> None:
    references, written = [one for one, _ in pairs], [one for _, one in pairs]
    found = bleu(references, written)
    assert found.score == pytest.approx(corpus_bleu(references, written), abs=1e-12)
    smoothed = corpus_bleu(references, written, smoothing_function=SmoothingFunction().method2)
    assert bleu(references, written, add_one=True).score == pytest.approx(smoothed, abs=1e-12)
    assert 0 <= found.score <= 1 and found.brevity <= 1


def test_by_hand() -> None:
    found = bleu([[["the", "cat", "sat", "on", "the", "mat"]]], [["the", "the", "the", "cat", "sat", "on"]])
    assert found.matches == (5, 3, 2, 1) and found.totals == (6, 5, 4, 3)  # "the" counts twice, as in the reference
    assert found.score == pytest.approx((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25, rel=1e-12) and found.brevity == 1
    short = bleu([[["a", "b", "c", "d", "e", "f"]]], [["a", "b", "c", "d"]])
    assert short.score == short.brevity == pytest.approx(math.exp(1 - 6 / 4))
    assert bleu([[["a", "b"]]], [["a", "b"]]).score == 0  # no four words in a row
    assert bleu([[["a", "b"]]], [["a", "b"]], add_one=True).score == 1
    assert bleu([[["a", "b", "c", "d"]]], [[]]).score == 0 == bleu([[["a"]]], [["b"]], add_one=True).score


@pytest.mark.parametrize(("references", "written"), [([], []), ([[["a"]]], []), ([[]], [["a"]])])
def test_what_cannot_be_counted(references: list[list[list[str]]], written: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="translations"):
        bleu(references, written)


def test_changes_are_what_they_are_called() -> None:
    sentences = list(itertools.islice(languages.generate_sentences(np.random.default_rng(5)), 60))
    for one in sentences:
        for name, rewrite in MEANING_CHANGES.items():
            meaning = languages.to_english(rewrite(one))
            if "swapped" in name and one.target in (None, one.subject):
                assert meaning == one.english()
                continue
            # Two of them leave a right sentence that says something else, two of them none at all.
            assert meaning != one.english() and (meaning is None) == ("ending" in name or "gender" in name)
        for name, rewrite in HARMLESS_CHANGES.items():
            plain = rewrite(one).replace("’t", " not").replace("doesn ", "does ").replace("don ", "do ")
            plain = plain.replace("little", "small").replace("large", "big")
            if plain.split()[0] == one.adverb:
                plain = " ".join([*plain.split()[1:], one.adverb])
            assert plain == one.english(), name
    found = {one.name: one for one in score_changes(sentences)}
    assert list(found) == [*MEANING_CHANGES, *HARMLESS_CHANGES]
    assert all((found[name].outcome == "the same") == (name in HARMLESS_CHANGES) for name in found)


# --- one translation --------------------------------------------------------------------------------------------------


HOW = {"start_id": 1, "end_id": 2}
SOURCE, OTHER = [5, 6, 7, 8], [9, 3, 4]
CONFIGS = [
    TransformerConfig(vocab_size=12, n_layer=2, n_head=2, d_model=16, d_ff=32),
    T5Config(vocab_size=12, n_layer=2, n_head=2, d_model=16, d_ff=32),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_it_writes_what_greedy_writes_and_all_fits_together(config: TransformerConfig | T5Config) -> None:
    model = registry.build(config, 0)
    seen = record_cross_attention(model, SOURCE, **HOW, max_new_tokens=6)
    plain = greedy_decode(model, torch.tensor([SOURCE]), **HOW, max_new_tokens=6)[0]
    assert seen.written.tolist() == plain.tolist()
    assert seen.fed.tolist() == [1, *seen.written[:-1]]
    n = len(seen.written)
    shapes = [(2, 2, 4, 4), (2, 2, n, n), (2, 2, n, 4)]
    assert [weights.shape for weights in (seen.encoder, seen.decoder, seen.cross)] == shapes
    assert seen.q.shape == (2, 2, n, 8) and seen.k.shape == seen.v.shape == (2, 2, 4, 8)
    for weights in (seen.encoder, seen.decoder, seen.cross, seen.probabilities):
        assert np.allclose(weights.sum(-1), 1, atol=1e-5)
    assert np.abs(np.triu(seen.decoder, 1)).max() == 0  # nobody reads what is not yet written
    scores = seen.scale * seen.q @ seen.k.swapaxes(-1, -2)
    assert np.allclose(scores, seen.scores, atol=1e-5)
    weights = attend(*(torch.from_numpy(x) for x in (seen.q, seen.k, seen.v)), scale=seen.scale)[1]
    assert np.allclose(weights, seen.cross, atol=1e-6)


def test_forced_it_reads_the_truth_which_keys_and_values_do_not_know() -> None:
    model = registry.build(CONFIGS[0], 1)
    one, two = (record_cross_attention(model, SOURCE, **HOW, forced=forced) for forced in ([3, 4, 5], [9, 9, 9]))
    assert one.fed.tolist() == [1, 3, 4] and len(one.written) == 3
    assert np.array_equal(one.k, two.k) and np.array_equal(one.v, two.v) and not np.allclose(one.q, two.q)
    assert np.allclose(one.q[:, :, 0], two.q[:, :, 0], atol=1e-6)  # row 0 has read only the start, in both


def test_another_source_keeps_the_words_and_nothing_else() -> None:
    model = registry.build(CONFIGS[0], 0)
    before, other = (record_cross_attention(model, source, **HOW, max_new_tokens=6) for source in (SOURCE, OTHER))
    same = record_cross_attention(model, SOURCE, **HOW, max_new_tokens=6, begun=before.written[:3].tolist())
    assert same.written.tolist() == before.written.tolist()
    mixed = record_cross_attention(model, OTHER, **HOW, max_new_tokens=6, begun=before.written[:2].tolist())
    assert mixed.written[:2].tolist() == before.written[:2].tolist()
    assert mixed.fed[:3].tolist() == [1, *before.written[:2]]
    assert np.array_equal(mixed.k, other.k)


def test_sources_that_cannot_be_read() -> None:
    model = registry.build(CONFIGS[0], 0)
    for source in ([], [3] * 65, [12], [-1]):
        with pytest.raises(ValueError, match=r"source|knows"):
            record_cross_attention(model, source, **HOW)


def test_places_of_unequal_answers() -> None:
    """A place counts over the answers that reach it; what is not there is no mistake."""
    model = registry.build(CONFIGS[0], 0)
    source = torch.tensor([SOURCE, SOURCE])
    own = greedy_decode(model, source, **HOW, max_new_tokens=5)[0]
    target = torch.stack([own, own.clone()])
    target[1, 2:] = -100
    found = compare_teacher_forcing(model, source, target, None, **HOW)
    assert found.forced[:3].tolist() == found.free[:3].tolist() == [1, 1, 1] and found.whole_free == 1
    target[1, 1] = (own[1] + 1) % 12
    wrong = compare_teacher_forcing(model, source, target, None, **HOW)
    assert wrong.free.tolist()[:2] == [1, 0.5] and wrong.whole_free == wrong.whole_forced == 0.5


def test_the_share_of_words_at_their_place() -> None:
    found = translation.translation_accuracy(["a b c", "a b", "b a"], ["a x c", "a b c", "b a"])
    assert found == {"exact": pytest.approx(1 / 3), "words": pytest.approx(6 / 8)}
