"""What is told of a model that was opened, as tables that scripts print: against what they are made of."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from core.data.tokenizers import published_tokenizer
from core.exhibit import NothingToShow
from core.inspect.model_inputs.model_and_text import load_model_and_text, sample_text_of
from core.inspect.model_inputs.model_key import ModelKey
from core.models import pretrained, registry
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.models.t5 import T5Config
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.positions import RotarySettings
from core.rooms.pretrained import changed_numbers, check, every_number, facts
from core.rooms.pretrained.check import TokenPrediction
from core.rooms.pretrained.compute import labels
from core.rooms.pretrained.compute.altered_weights import STORAGE_BITS, alter_model, pack_table_columns
from core.rooms.pretrained.compute.labels import LabelAnswer
from core.rooms.pretrained.compute.small_wall import BLANK, ZERO, sampling_step, small_walls
from core.rooms.pretrained.compute.span import MAX_ANSWER_TOKENS, find_answer
from core.rooms.pretrained.facts import SETTING_MEANINGS, list_renamed_tensors, settings_table
from core.rooms.pretrained.open_forms import export_gpt2
from core.rooms.pretrained.open_one import READABLE
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.train.tasks import defaults
from core.train.tasks.defaults import ModelSize
from core.ui.models.model_description import describe_layers_and_heads, describe_model
from tests import tiny_model


def test_settings_are_named_and_explained() -> None:
    config = GPTConfig(vocab_size=20, n_layer=2, n_head=2, d_model=16, context_length=12)
    table = settings_table(config)
    told = dict(zip(table["setting"], table["value"], strict=True))
    assert told["kind"] == "gpt" and told["d_model"] == "16" and told["block.norm"] == config.block.norm
    fields = {field.name for field in dataclasses.fields(RNNConfig)}
    assert fields | {"kind"} == set(settings_table(RNNConfig(vocab_size=9))["setting"])


@pytest.mark.parametrize("kind", registry.CONFIGS)
def test_every_setting_of_every_family_has_a_meaning(kind: str) -> None:
    groups = (registry.CONFIGS[kind], Modern)
    fields = {field.name for group in groups for field in dataclasses.fields(group)} - {"block", "modern"}
    parts = {"block": BlockStyle, "rotary": RotarySettings, "experts": ExpertSettings}
    nested = {f"{name}.{field.name}" for name, part in parts.items() for field in dataclasses.fields(part)}
    missing = (fields | nested) - set(SETTING_MEANINGS)
    assert not missing, f"say in assets/rooms/pretrained/facts.md what these fields of a config are: {missing}"


def test_settings_of_layers_with_a_window_have_one_too() -> None:
    turned = RotarySettings(base=100.0, share=0.5)
    config = GPTConfig(
        vocab_size=9, positions="rotary", modern=Modern(window=4, windowed=(0,), rotary=turned, window_rotary=turned)
    )
    table = settings_table(config)
    assert all(table["meaning"])
    told = dict(zip(table["setting"], table["meaning"], strict=True))
    assert told["window_rotary.share"] == f"{told['rotary.share']}; in the layers with a window"


def test_a_folder_may_be_named_by_its_path(tmp_path: Path) -> None:
    folder = tiny_model.write(tmp_path / "mine")
    assert list_renamed_tensors(str(folder)) == list_renamed_tensors(folder)


def test_guesses_and_answers_as_tables(tmp_path: Path) -> None:
    table = TokenPrediction(
        place=1,
        probabilities=np.array([0.2, 0.5, 0.3], np.float32),
        true=None,
        loss=1.0,
        blind=1.0,
        n_token=1,
        vocabulary=("a", "b", "c"),
    ).table()
    assert table["token"] == ["b", "c", "a"] and table["id"] == [1, 2, 0] and table["probability"][0] == 0.5
    whole = LabelAnswer(np.array([0.25, 0.75], np.float32), ("no", "yes"), ("x",)).table()
    assert whole == {"label": ["no", "yes"], "probability": [0.25, 0.75]}
    each = LabelAnswer(np.array([[0.25, 0.75], [1, 0]], np.float32), ("no", "yes"), ("x", "y")).table()
    assert each == {"token": ["x", "y"], "label": ["yes", "no"], "probability": [0.75, 1.0]}
    assert labels.label_names(tmp_path, 2) == ("label 0", "label 1")
    (tmp_path / "config.json").write_text('{"id2label": {"0": "bad", "1": "good"}}')
    assert labels.label_names(str(tmp_path), 2) == ("bad", "good")
    assert labels.label_names(tmp_path, 3) == ("label 0", "label 1", "label 2")


def test_an_electra_says_of_each_token_whether_it_was_replaced() -> None:
    model = registry.build(BERTConfig(vocab_size=9, d_model=8, n_head=2, head="replaced")).requires_grad_(False)
    model.head.classify.bias.fill_(2.0)
    answers = labels.label_probabilities(model, [1, 2, 3])
    scores = model(torch.tensor([[1, 2, 3]]))[0].numpy()
    assert answers.shape == (3, 2) and np.allclose(answers.sum(-1), 1)
    assert np.allclose(answers[:, 1], 1 / (1 + np.exp(-scores)), atol=1e-6) and (answers[:, 1] > 0.5).all()
    assert labels.detects_replaced(model)
    assert not labels.detects_replaced(registry.build(BERTConfig(vocab_size=9, d_model=8, n_head=2)))


def of_task(head: str = "span", **sizes: object) -> torch.nn.Module:
    model = registry.build(BERTConfig(vocab_size=40, d_model=8, n_head=2, head=head, **sizes))
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.5, generator=generator)
    return model.requires_grad_(False).eval()


PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "built", "it", "a", "man", "did", "##s", "the", "tower"]


def pieces(tmp_path: Path) -> published_tokenizer._PublishedTokenizer:
    (tmp_path / "vocab.txt").write_text("\n".join(PIECES))
    found = published_tokenizer._load_foreign(tmp_path)
    assert found is not None
    return found


def test_the_answer_to_a_question_is_the_likeliest_piece_of_the_text(tmp_path: Path) -> None:
    tokenizer, model = pieces(tmp_path), of_task()
    found = find_answer(model, tokenizer, "who built it", "a man did the towers a man did the towers a man did it")
    assert list(found.tokens[:6]) == ["[CLS]", "who", "built", "it", "[SEP]", "a"] and found.tokens[-1] == "[SEP]"
    first, last = 5, len(found.ids) - 2
    segments = torch.tensor([[0] * 5 + [1] * (len(found.ids) - 5)])
    scores = model(torch.tensor([found.ids]), segments=segments)[0].double()
    may = [0, *range(first, last + 1)]
    begins, ends = torch.zeros(2, len(found.ids), dtype=torch.float64)
    begins[may], ends[may] = scores[may, 0].softmax(0), scores[may, 1].softmax(0)
    np.testing.assert_allclose(found.begins, begins, atol=1e-6)
    np.testing.assert_allclose(found.ends, ends, atol=1e-6)
    assert not found.begins[1:first].any() and not found.ends[-1]
    places = range(first, last + 1)
    all_pieces = {(a, b): float(begins[a] * ends[b]) for a in places for b in places if a <= b < a + MAX_ANSWER_TOKENS}
    best = sorted(all_pieces, key=lambda piece: -all_pieces[piece])
    assert [(one.first, one.last) for one in found.answers] == best[:5]
    assert found.best.probability == pytest.approx(all_pieces[best[0]], abs=1e-6)
    assert found.best.text == tokenizer.decode(found.ids[found.best.first : found.best.last + 1]).strip()
    assert found.nothing == pytest.approx(float(begins[0] * ends[0]), abs=1e-6)
    assert found.table()["begins"] == found.begins.tolist() and len(found.table()["token"]) == len(found.ids)
    other = find_answer(of_task(n_segment=0), tokenizer, "who built it", "a man")  # one that knows no segments
    assert len(other.ids) == 8 and other.n_cut == 0


def test_a_text_that_leaves_no_room_for_the_question_gives_way(tmp_path: Path) -> None:
    tokenizer, model = pieces(tmp_path), of_task(context_length=9)
    found = find_answer(model, tokenizer, "who built it", "a man did the tower", 9)
    assert found.tokens[5:] == ["a", "man", "did", "[SEP]"] and found.n_cut == 2
    with pytest.raises(ValueError, match="leaves no room"):
        find_answer(model, tokenizer, "who built the tower a man did it", "a man", 9)


def test_a_decoder_judges_after_each_token_and_its_verdict_is_the_last(tmp_path: Path) -> None:
    config = GPTConfig(vocab_size=9, d_model=8, n_head=2, tied=False, modern=Modern(n_label=3))
    model = registry.build(config).requires_grad_(False)
    (tmp_path / "config.json").write_text('{"id2label": {"0": "bad", "1": "fair", "2": "good"}}')
    found = labels.classify_text(model, [1, 2, 3], ("a", "b", "c"), tmp_path)
    scores = model(torch.tensor([[1, 2, 3]]))[0]
    assert found.is_whole and found.so_far is not None and found.leading is not None
    np.testing.assert_allclose(found.so_far, scores.softmax(-1), atol=1e-6)
    np.testing.assert_array_equal(found.answers, found.so_far[-1])
    name, values = found.leading
    top = int(found.answers.argmax())
    assert name == ("bad", "fair", "good")[top] and np.array_equal(values, found.so_far[:, top])
    (tmp_path / "config.json").write_text('{"problem_type": "multi_label_classification"}')
    several = labels.classify_text(model, [1, 2, 3], ("a", "b", "c"), tmp_path)
    assert several.kind == labels.SEVERAL_LABELS
    np.testing.assert_allclose(several.answers, scores[-1].sigmoid(), atol=1e-6)
    one = labels.classify_text(
        of_task("sequence", n_label=1), [1, 2], ("a", "b"), tmp_path
    )  # a score, as of a reward model
    assert one.kind == labels.SCORE_LABEL and one.table()["score"] == one.answers.tolist() and one.answers[0] != 1


def test_every_tensor_of_a_decoder_that_judges_is_told(tmp_path: Path) -> None:
    config = transformers.GPT2Config(vocab_size=9, n_positions=8, n_embd=8, n_layer=1, n_head=2, num_labels=3)
    transformers.GPT2ForSequenceClassification(config).save_pretrained(tmp_path)
    rows = {row.theirs: row.ours for row in list_renamed_tensors(tmp_path)}
    assert rows["score.weight"] == ("unembed.weight",) and all(rows.values())


def test_how_much_the_tables_of_tokens_weigh() -> None:
    """What the “Try this” of “What it is” says."""
    weigh = {}
    for name in ("stories-rnn", "stories"):
        terms = facts.compute(facts.Inputs(key=ModelKey.at(name))).record.terms
        tables = sum(term.count for term in terms if term.name in ("token_embedding", "output_layer"))
        weigh[name] = tables, sum(term.count for term in terms)
    assert weigh["stories-rnn"][1] == 23_712 and weigh["stories"][0] > weigh["stories-rnn"][0]
    assert [f"{tables / whole:.0%}" for tables, whole in weigh.values()] == ["80%", "27%"]


def test_an_encoder_decoder_is_told_with_the_layers_of_both_sides() -> None:
    sides = {
        depth: describe_layers_and_heads(T5Config(vocab_size=9, n_layer=2, n_decoder_layer=depth))
        for depth in (None, 1)
    }
    assert sides[None].endswith("in the encoder and as many in the decoder")
    assert sides[1].endswith("in the encoder and 1 layer in the decoder")


def test_what_can_be_opened_is_what_is_read() -> None:
    assert {type for _, type, *_ in READABLE} == {*pretrained.FAMILIES, "any"}


def test_a_number_of_few_bits_is_the_nearest_of_few_values() -> None:
    model = torch.nn.Linear(30, 20).requires_grad_(False)
    for how, n_bit in STORAGE_BITS.items():
        if how in ("stored", "shuffled"):
            continue
        for old, new in zip(model.parameters(), alter_model(model, how).parameters(), strict=True):
            step = float(old.abs().max()) / (2 ** (n_bit - 1) - 1)
            assert len(new.unique()) <= 2**n_bit - 1 and float((new - old).abs().max()) <= step / 2 * 1.001
    mixed = alter_model(model, "shuffled")
    assert not torch.equal(mixed.weight, model.weight)
    assert torch.equal(mixed.weight.flatten().sort().values, model.weight.flatten().sort().values)
    assert alter_model(model, "stored") is model


def test_columns_hold_every_row_once_and_none_is_too_high() -> None:
    shapes, named = [(50, 3), (7, 4), (1, 9), (120, 2)], [True, True, False, True]
    pieces = pack_table_columns(shapes, named, high=40, gap=2, label=5)
    for at, (n_row, _) in enumerate(shapes):
        rows = [row for table, first, n, *_ in pieces if table == at for row in range(first, first + n)]
        assert rows == list(range(n_row))
    assert max(y + n for _, _, n, _, y in pieces) <= 40
    boxes = [(x, y, x + shapes[at][1], y + n) for at, _, n, x, y in pieces]
    assert not [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[:i]
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
    ]


def test_a_small_wall_has_a_dot_for_each_number_and_finds_one_of_them() -> None:
    generator = np.random.default_rng(0)
    tables = [generator.normal(size=shape).astype(np.float32) for shape in ((30, 4), (3, 9), (5, 5))]
    for table, row, column in ((0, 29, 3), (1, 2, 7), (2, 0, 0)):
        tables[table][row, column] = -50
        (wall, other), (x, y) = small_walls([tables, [0 * one for one in tables]], (table, row, column))
        assert wall[y, x] == 0 and other[y, x] == ZERO
        assert (wall != BLANK).sum() == sum(one.size for one in tables)
        assert ((wall > ZERO) & (wall != BLANK)).sum() == pytest.approx(sum((one > 0).sum() for one in tables), abs=2)
        tables[table][row, column] = 1
    assert sampling_step(6_000) == 1 and sampling_step(24_000) == 2


@pytest.mark.parametrize("name", ["stories", "stories-gru"])
def test_the_text_of_a_rounded_model_is_what_its_rounded_numbers_write(name: str) -> None:
    """Against weights rounded with NumPy, and a loop that takes the most probable token."""
    key = ModelKey.at(name)
    result = changed_numbers.compute(changed_numbers.Inputs(key=key))
    found = pretrained.load(key.folder)
    ids = load_model_and_text(key.folder, sample_text_of(key), check.MOST_TOKENS).ids
    place = result.place
    for values, one in result.roundings.items():
        weights = {key: weight.detach().numpy() for key, weight in found.model.named_parameters()}
        if values != changed_numbers.NONE:
            steps = {key: 2 * np.abs(weight).max() / (int(values) - 1) for key, weight in weights.items()}
            weights = {key: np.rint(weight / steps[key]) * steps[key] for key, weight in weights.items()}
        numbers = weights[place.table][place.row, place.column : place.column + 8]
        np.testing.assert_allclose(one.numbers, numbers, atol=1e-6)
        zeros = sum((weight == 0).sum() for weight in weights.values())
        assert one.zero == pytest.approx(zeros / result.total, abs=1e-4)
        text, written = list(ids), one.written
        assert written is not None
        model = registry.with_weights(found.model, {key: torch.tensor(weight) for key, weight in weights.items()})
        for _ in written.tokens:
            text.append(int(model(torch.tensor([text]))[0, -1].argmax()))
        assert "".join(written.tokens) == found.tokenizer.decode(text[len(ids) :])
    assert place.token == found.vocabulary[place.row].strip()


def test_a_model_that_reads_gaps_fills_one_and_one_without_words_shows_its_numbers(tmp_path: Path) -> None:
    result = changed_numbers.compute(changed_numbers.Inputs(key=ModelKey.at("stories-bert")))
    stored = result.roundings[changed_numbers.NONE].written
    assert stored is not None and stored.tokens == (" stone",) and result.prompt == "… looked near the wall."
    folder = tiny_model.write(tmp_path / "mute")
    (folder / "tokenizer.json").unlink()
    mute = changed_numbers.compute(changed_numbers.Inputs(key=ModelKey.at(folder)))
    assert {mute.sentence(name) for name in mute.roundings} == {"mute"} and mute.prompt == mute.place.token == ""


def test_a_model_too_large_to_be_copied_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(changed_numbers, "MOST_ALTERED", 100)
    with pytest.raises(NothingToShow, match="are rounded here"):
        changed_numbers.compute(changed_numbers.Inputs(key=ModelKey.at(tiny_model.write(tmp_path / "large"))))


def test_four_bits_say_the_same_and_another_order_says_nothing() -> None:
    """What the chips of “Every number of a model” say of the model that ships."""
    key = ModelKey.at("stories")
    by = {how: every_number.compute(every_number.Inputs(key=key, how=how)) for how in STORAGE_BITS}
    losses = {how: one.guess.loss for how, one in by.items() if one.guess}
    assert by["4 bits"].best == by["stored"].best == "·Mia" and losses["4 bits"] < losses["stored"] + 0.1
    assert losses["2 bits"] > losses["stored"] + 3 and losses["shuffled"] > by["stored"].guess.blind
    assert sum(one.size for one in by["stored"].tables.values()) == by["stored"].total == 320_064
    assert by["4 bits"].n_byte * 8 == by["stored"].n_byte == 4 * 320_064


def test_a_large_model_is_drawn_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_number, "MOST_DRAWN", 40_000)
    found = every_number.compute(every_number.Inputs(key=ModelKey.at("stories")))
    assert found.every == 3 and sum(one.size for one in found.tables.values()) < 45_000
    assert found.tables["tok_emb.weight"].shape == (151, 32) and found.shapes[0] == (453, 96)


def test_as_a_gpt2_it_is_the_same_model(tmp_path: Path) -> None:
    ours = ModelKey.at("stories").folder
    for name, content in export_gpt2(ours).items():
        (tmp_path / name).write_bytes(content)
    one, other = pretrained.load(ours), pretrained.load(tmp_path)
    ids = torch.arange(60)[None]
    assert one.config == other.config and torch.equal(one.model(ids), other.model(ids))
    assert any(row.is_turned for row in list_renamed_tensors(tmp_path))
    with pytest.raises(ValueError, match="no names for all parts"):
        export_gpt2(ModelKey.at("stories-rnn").folder)


@pytest.mark.parametrize("kind", ["t5", "transformer"])
def test_an_encoder_decoder_that_learned_spans_here_fills_those_of_its_own_text(kind: str, tmp_path: Path) -> None:
    model, more = defaults.text_recipe_fields(kind, ModelSize(1, 2, 48, 32))
    stories = Recipe(
        name="x",
        title="x",
        corpus="stories",
        tokenizer="word_bytes",
        tokenizer_vocab=600,
        model=model,
        n_step=60,
        **more,
    )
    run = TrainRun(stories, device="cpu", live_evaluation=False)
    run.advance()
    run.export(tmp_path)
    inputs = check.Inputs(key=ModelKey.at(tmp_path))
    assert " words and 256 bytes" in describe_model(inputs.key).sentence
    assert inputs.given.tokens[1:4] == (" and", "<extra_id_0>", " near") and "<extra_id_1>" in inputs.given.tokens
    found = check.compute(inputs)
    assert isinstance(found, check.TokenList) and found.section == "written"
    said = found.tokens
    assert said[0] == "<extra_id_0>" and "<extra_id_1>" in said and "<extra_id_2>" not in said  # which ends it
