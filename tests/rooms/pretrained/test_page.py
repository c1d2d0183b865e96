"""The room of pretrained models: uploads, folders, downloads; refused in words, their owner's, shown in rooms."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import save_file
from streamlit.testing.v1 import AppTest

from core.data import tokenizers
from core.data.synthetic import stories
from core.data.tokenizers.gaps import GapTokenizer
from core.inspect.reading import model_and_text as models
from core.inspect.reading.model_key import ModelKey
from core.models import pretrained, registry
from core.models.bert import BERTConfig
from core.models.t5 import T5Config
from core.rooms.pretrained import facts
from core.rooms.pretrained.compute import hub, hub_address, tryout
from core.ui.models import user_models
from core.ui.models.about import size_in_words
from core.ui.models.user_models import OpenedModels
from tests import tiny_model
from tests.pages.rooms import text_of
from tests.pages.test_scripts import assert_same_table, printed_by, shown_by

ROOT = Path(__file__).resolve().parents[3]
ANNA, BEN = "0" * 32, "1" * 32
Files = list[tuple[str, bytes, str]]


def clean(test: AppTest) -> AppTest:
    assert not test.exception, [one.message for one in test.exception]
    assert not [error.value for error in test.error if "hit an unexpected error" in error.value]
    return test


def write(folder: Path, config: object, tokenizer: tokenizers.Tokenizer) -> Path:
    """A folder of ours with a model as it starts."""
    folder.mkdir(parents=True)
    model = registry.build(config, 0)
    save_file({name: one.detach().clone() for name, one in model.named_parameters()}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(registry.to_dict(config)))
    tokenizer.save(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("folders")
    words = tokenizers.train("word", stories(100, 0))
    gaps = GapTokenizer(words)
    return {
        "gpt": tiny_model.write(root / "gpt"),
        "bert": write(root / "bert", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, n_head=2), gaps),
        "task": write(root / "task", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, head="sequence"), gaps),
        "each": write(root / "each", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, head="tokens"), gaps),
        "t5": write(root / "t5", T5Config(vocab_size=words.vocab_size, d_model=16, n_head=2), words),
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def put_there(data: Path, folders: dict[str, Path]) -> Callable[[str], None]:
    """`put_there("bert")`: everyone can choose this model."""
    (data / "models").mkdir()
    return lambda name: (data / "models" / name).symlink_to(folders[name])


@pytest.fixture
def visit(data: Path) -> Callable[..., AppTest]:
    """`visit("families/pretrained", owner=ANNA, model="…")`: a page of the app, opened by a link."""

    def go(page: str = "families/pretrained", owner: str = ANNA, **link: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        app.session_state["_owner_of_this_session"] = owner
        app.run()
        app.switch_page(f"pages/{page}.py")
        app.query_params.update(link)
        return clean(app.run())

    return go


def files_of(folder: Path) -> Files:
    return [(file.name, file.read_bytes(), "application/octet-stream") for file in sorted(folder.iterdir())]


def upload(test: AppTest, files: Files) -> AppTest:
    test.file_uploader[0].set_value(files)
    clean(test.run())
    return clean(test.button(key="opened-upload").click().run())


def by_path(test: AppTest, path: str) -> AppTest:
    clean(test.button_group(key="way").set_value("folder").run())
    test.text_input(key="opened-path").set_value(path)
    return clean(test.button(key="opened-folder").click().run())


def store(data: Path) -> OpenedModels:
    return OpenedModels(data / "opened")


def everything(data: Path) -> list[Path]:
    return [path for path in (data / "opened").rglob("*") if path.is_file()]


def test_it_opens_with_the_facts_of_a_model_that_is_here(visit: Callable[..., AppTest]) -> None:
    test = visit()
    told = text_of(test)
    assert "safetensors" in told and "a decoder, a transformer that writes" in told
    assert "weights" in told and "A blind guess has" in told and "have our names already" in told
    assert "gpt2" in told and "distilbert" in told  # what can be opened


def test_how_much_the_tables_of_tokens_weigh() -> None:
    """What the “Try this” of “What it is” says."""
    keys = {name: ModelKey.at(name) for name in ("stories-rnn", "stories")}
    found = {name: facts.compute(facts.Inputs(key=key)).record.terms for name, key in keys.items()}
    tables = {
        name: sum(term.count for term in terms if term.name in ("token embedding", "output layer"))
        for name, terms in found.items()
    }
    whole = {name: sum(term.count for term in terms) for name, terms in found.items()}
    assert whole["stories-rnn"] == 23_712 and tables["stories"] > tables["stories-rnn"]
    assert [f"{tables[name] / whole[name]:.0%}" for name in found] == ["80%", "27%"]


def test_an_upload_is_chosen_at_once_and_shown_in_the_rooms_that_suit_it(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path
) -> None:
    test = upload(visit(), files_of(folders["bert"]))
    (one,) = store(data).of(owner_of(data))
    assert one.id in "".join(test.query_params["model"])
    assert ["is open" in success.value for success in test.success] == [True]
    told = text_of(test)
    assert "an encoder, a transformer that reads" in told and "is hidden behind a gap" in told
    heads = visit("attention/heads", model=one.id)
    assert heads.selectbox(key="model").value == one.id
    assert "predicts no next token" in text_of(heads)
    writes = visit("generate/next_token", model=one.id)
    assert "this link's model is an encoder" in text_of(writes)


def owner_of(data: Path) -> str:
    return next(path.name for path in (data / "opened").iterdir())


@pytest.mark.parametrize("page", ["embeddings", "masks", "block", "tokens"])
@pytest.mark.parametrize("name", ["bert", "task", "t5"])
def test_every_room_shows_encoders(
    page: str, name: str, visit: Callable[..., AppTest], put_there: Callable[[str], None]
) -> None:
    put_there(name)
    test = visit(f"attention/{page}", model=name)
    assert test.selectbox(key="model").value == name
    assert not test.error


@pytest.mark.parametrize("name", ["task", "t5"])
def test_models_without_a_next_token(
    name: str, visit: Callable[..., AppTest], put_there: Callable[[str], None]
) -> None:
    put_there(name)
    assert "gives no token a probability" in text_of(visit("attention/heads", model=name))
    words = {"task": "labels for a whole text", "t5": "don't say with which token"}[name]
    assert words in text_of(visit(model=name))
    positions = text_of(visit("attention/positions", positions_model=name))
    assert {"task": "Mean cosine of two neighbors", "t5": "This model's encoder learned"}[name] in positions


def test_the_answers_of_a_task_have_the_names_that_its_config_gives(
    visit: Callable[..., AppTest], put_there: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_there("task")
    monkeypatch.setattr(pretrained, "labels", lambda folder: ("bad", "**good**"))
    told = text_of(visit(model="task"))
    assert "it says bad: **" in told and "\\*\\*good\\*\\*: **" in told and "What the labels mean" not in told


@pytest.mark.parametrize("name", ["task", "each", "t5"])
def test_the_script_of_a_model_without_a_next_token_prints_what_is_shown(
    name: str,
    folders: dict[str, Path],
    data: Path,
    put_there: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put_there(name)
    monkeypatch.setattr(tryout, "start_and_end", lambda model, tokenizer: (1, 2))  # of the T5, whose files say neither
    shown, script, _ = shown_by("pretrained.does-it-work", monkeypatch, model=name)
    assert script is not None
    script = script.replace('"path/to/the/model"', repr(str(folders[name])))
    assert_same_table(printed_by(script, data, capsys), shown)


def test_a_text_that_is_cut_keeps_what_ends_it(data: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]
    folder = data / "models" / "cut"
    write(folder, BERTConfig(vocab_size=len(pieces), d_model=16, n_head=2), tokenizers.train("word", "a"))
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(pieces))
    encoded = models.encode(ModelKey.at(folder), "a " * 20, 8)
    assert encoded.tokens == ("[CLS]", *["a"] * 6, "[SEP]")
    assert [note for note in encoded.notes if "Its last 6 are used, with [CLS] and [SEP] around them" in note]


def test_an_encoder_decoder_is_told_with_the_layers_of_both_sides() -> None:
    sides = {depth: size_in_words(T5Config(vocab_size=9, n_layer=2, n_decoder_layer=depth)) for depth in (None, 1)}
    assert sides[None].endswith("in the encoder and as many in the decoder")
    assert sides[1].endswith("in the encoder and 1 layer in the decoder")


def test_what_is_missing_is_told_and_what_was_chosen_stays(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path
) -> None:
    files = files_of(folders["gpt"])
    test = upload(visit(), [one for one in files if one[0] == "config.json"])
    assert ["no model.safetensors" in error.value.replace("\\", "") for error in test.error] == [True]
    assert test.file_uploader[0].value
    assert not everything(data)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("pytorch_model.bin", b"\x80\x04", "never are"),
        ("../../evil.txt", b"x", "not a model file"),
        ("<script>alert(1)</script>", b"x", "not a model file"),
        ("model.safetensors", b"\x80\x04K\x01.", "t a safetensors file"),
        ("config.json", b'{"model_type": "llama"}', "cannot be read here"),
        ("config.json", b"[1]", "cannot be opened"),
        ("tokenizer.json", b"{}", "cannot be opened"),
    ],
)
def test_hostile_uploads_are_refused_in_words(
    name: str, content: bytes, words: str, visit: Callable[..., AppTest], folders: dict[str, Path], data: Path
) -> None:
    files = [one for one in files_of(folders["gpt"]) if one[0] != name] + [(name, content, "text/plain")]
    test = upload(visit(), files)
    assert [words in error.value.replace("\\", "") for error in test.error] == [True], [e.value for e in test.error]
    assert not everything(data)


def test_a_folder_is_seen_by_its_owner_alone(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path
) -> None:
    test = by_path(visit(), str(folders["gpt"]))
    (one,) = store(data).of(owner_of(data))
    assert one.id in "".join(test.query_params["model"])
    mine, other = visit("attention/heads", model=one.id), visit("attention/heads", owner=BEN, model=one.id)
    assert mine.selectbox(key="model").value == one.id
    assert other.selectbox(key="model").value != one.id and "There is no opened model" in text_of(other)
    clean(visit(owner=BEN, model=one.id))
    assert str(folders["gpt"]) not in str(other)


def test_somebody_elses_upload_can_be_looked_at_and_not_removed(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path
) -> None:
    upload(visit(), files_of(folders["gpt"]))
    (one,) = store(data).of(owner_of(data))
    other = visit(owner=BEN, model=one.id)
    assert other.selectbox(key="model").value == one.id
    assert "What you've opened" not in text_of(other)
    mine = visit(model=one.id)
    assert "What you've opened" in text_of(mine)
    clean(mine.button(key="opened-remove").click().run())
    assert not everything(data)
    assert mine.selectbox(key="model").value == "stories" and not mine.warning  # the list below has let it go
    assert ["There is no opened model" in one.value for one in visit(owner=BEN, model=one.id).warning] == [True]


@pytest.mark.parametrize("path", ["", "nowhere", "/nowhere/at/all", "\\\\evil\\share", "/etc", "a\0b", "/proc/self"])
def test_hostile_paths_are_refused_and_stay_in_the_field(path: str, visit: Callable[..., AppTest], data: Path) -> None:
    test = by_path(visit(), path)
    assert len(test.error) == 1 and "Errno" not in test.error[0].value
    assert test.text_input(key="opened-path").value == path
    assert not everything(data)


def test_no_folder_and_no_download_on_a_server_for_others(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_path(visit(), str(folders["gpt"]))
    (one,) = store(data).of(owner_of(data))
    monkeypatch.setenv("GLASSFORMER_HOSTS", "class.uni.example")
    for way in ("folder", "hub"):
        test = visit()
        clean(test.button_group(key="way").set_value(way).run())
        assert "put the" in text_of(test) and not [w for w in test.text_input if w.key in ("opened-path", "opened-hub")]
        assert str(data) not in text_of(test)
    assert visit("attention/heads", model=one.id).selectbox(key="model").value != one.id


def test_a_download_without_a_network_says_so(visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(address: str, seconds: float) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(hub_address, "_open", no_network)
    test = visit()
    clean(test.button_group(key="way").set_value("hub").run())
    for name, words in (("prajjwal1/bert-tiny", "could not be reached"), ("../x", "cannot be the name")):
        test.text_input(key="opened-hub").set_value(name)
        clean(test.button(key="opened-ask").click().run())
        assert [words in error.value.replace("\\", "") for error in test.error] == [True]
        assert test.text_input(key="opened-hub").value == name


def test_what_was_looked_up_is_downloaded_on_request(
    visit: Callable[..., AppTest], folders: dict[str, Path], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {file.name: file.read_bytes() for file in folders["gpt"].iterdir()}
    offer = hub.Offer("a/b", "0" * 40, tuple(hub.File(name, len(content), None) for name, content in files.items()))

    def download(offer: hub.Offer, folder: Path, progress: Callable[[int, int], object]) -> None:
        for name, content in files.items():
            (folder / name).write_bytes(content)
            progress(len(content), offer.n_byte)

    monkeypatch.setattr(hub, "ask", lambda name: offer)
    monkeypatch.setattr(hub, "download", download)
    test = visit()
    clean(test.button_group(key="way").set_value("hub").run())
    test.text_input(key="opened-hub").set_value("a/b")
    clean(test.button(key="opened-ask").click().run())
    assert "model.safetensors" in text_of(test).replace("\\", "") and not everything(data)
    clean(test.button(key="opened-fetch").click().run())
    (one,) = store(data).of(owner_of(data))
    assert (one.name, one.origin) == ("a/b", "hub")


def test_more_than_fit_are_refused(
    visit: Callable[..., AppTest], folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_models, "MAX_MODELS", 1)
    upload(visit(), files_of(folders["gpt"]))
    test = upload(visit(), files_of(folders["gpt"]))
    assert ["at most 1 are kept" in error.value for error in test.error] == [True]


@pytest.mark.parametrize(
    "link",
    [
        {"model": "o" + "0" * 16},
        {"model": "x · o" + "f" * 16},
        {"model": "../../etc"},
        {"way": "nonsense"},
        {"try_gap": "999", "model": "stories"},
        {"try_text": "", "model": "stories"},
        {"try_text": "🙂" * 900, "model": "stories"},
    ],
)
def test_hostile_links(link: dict[str, str], visit: Callable[..., AppTest]) -> None:
    clean(visit(**link))


def test_a_language_that_was_never_learned_surprises_more(visit: Callable[..., AppTest]) -> None:
    def surprise(test: AppTest) -> float:
        return float(re.search(r"surprised .* is \*\*([\d.]+)\*\*", text_of(test))[1])  # type: ignore[index]

    test = visit()
    own = surprise(test)
    test.text_area(key="try_text").set_value("Der Hund läuft im Park, und die Katze schläft.")
    assert surprise(clean(test.run())) > own + 1
