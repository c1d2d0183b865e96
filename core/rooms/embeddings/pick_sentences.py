"""Inputs of two sentences and a shared word, or of several sentences; each kind of model has its own."""

import streamlit as st

from core import exhibit
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.model_and_text import EncodedText, encode_text, tokens_to_text_pieces
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings import sentence_vectors, word_path as paths
from core.rooms.embeddings.word_path import SentencesAndWord, default_sentences, word_position
from core.ui.controls import controls
from core.ui.frame import layout
from core.ui.models.model_description import describe_model
from core.ui.models.pick_inputs import control_name_for_corpus, refuse_nonfinite_output
from core.ui.models.text_notes import offer_words, show_text_notes
from core.ui.text_formatting import escape_markdown, quote_briefly

LABELS = module_labels(__name__)

LINE = 300  # characters of a sentence; longer ones do not fit side by side


def pick_sentences(key: ModelKey) -> SentencesAndWord | None:
    """Draw the inputs and return the sentences and the word; None, after a message, if one doesn't contain it."""
    model = describe_model(key)
    usual = default_sentences(key, model.sample)
    texts: list[EncodedText] = []
    for side, name, default in zip(layout.two_columns("word-path-texts"), ("first", "second"), usual, strict=False):
        with side:
            control = control_name_for_corpus(name, model)
            typed = controls.render_control(
                exhibit.text_area(default, max_chars=LINE, height=80, name=control, label=LABELS[name])
            )
            texts.append(encode_text(key, typed, paths.MAX_TOKENS))
            show_text_notes(texts[-1], key, control, typed)
    control, told = control_name_for_corpus("word", model), LABELS["word.help"]
    word = controls.render_control(
        exhibit.text_input(usual[2], max_chars=40, help=told, name=control, label=LABELS["word"])
    ).strip()
    if not all(text.ids for text in texts):
        st.info(LABELS["no_text"])
        return None
    if refuse_nonfinite_output(key, *texts):
        return None
    places = {name: word_position(key, text, word) for name, text in zip(("first", "second"), texts, strict=True)}
    missing = [name for name, place in places.items() if place is None]
    if not missing:
        return texts[0].text, texts[1].text, word
    shared = paths.shared_words(*(tokens_to_text_pieces(key, text.tokens) for text in texts))
    where = "missing.both" if len(missing) == 2 else {"first": "missing.first", "second": "missing.second"}[missing[0]]
    said = LABELS(where, word=quote_briefly(word, 40)) if word else LABELS["no_word"]
    offered = ", ".join(quote_briefly(one, 20) for one in shared[:8])
    offered = LABELS("shared", words=offered) if shared else LABELS["none_shared"]
    st.info(escape_markdown(f"{said} {offered}"))
    offer_words([word], control, word, lambda _: shared[:6])
    return None


def pick_lines(key: ModelKey) -> str:
    """Draw the input of one sentence per line and return it, with a note about tokens that the model doesn't know."""
    control = control_name_for_corpus("sentences", describe_model(key))
    asked = exhibit.text_area(
        sentence_vectors.example_sentences(key), height=170, name=control, label=LABELS["sentences"]
    )
    typed: str = controls.render_control(asked)
    read = (encode_text(key, line, sentence_vectors.MAX_TOKENS) for line in sentence_vectors.sentence_lines(typed))
    noted = next((one for one in read if one.notes), None)
    if noted is not None:
        show_text_notes(noted, key, control, typed)
    return typed
