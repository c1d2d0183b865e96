"""The room of pretrained models: uploads, folders, downloads; refused in words, their owner's, shown in rooms.

What else is refused of files, folders and names is in `tests/library/ui/test_user_models.py`.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from safetensors.torch import save_file
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from core.data import tokenizers
from core.data.synthetic import write_stories
from core.data.tokenizers.gap_tokenizers import MaskedTextTokenizer
from core.inspect.model_inputs import model_and_text as models
from core.inspect.model_inputs.model_key import ModelKey
from core.models import registry
from core.models.bert import BERTConfig
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.models.imports import published
from core.models.imports.importable_families import differences_from_nearest_family
from core.models.imports.model_folder_reader import ModelFolder
from core.models.t5 import T5Config
from core.rooms.pretrained import check, open_forms
from core.rooms.pretrained.compute import hub, hub_address
from core.rooms.pretrained.open_forms import UploadStatus, export_gpt2
from core.ui.models import user_models
from core.ui.models.user_models import OpenedModel, OpenedModels
from core.ui.server import model_uploads
from core.ui.server.identity.anonymous_owner import COOKIE
from tests import tiny_model
from tests.pages.rooms import text_of
from tests.pages.test_scripts import assert_same_table, printed_by, shown_by

ROOT = Path(__file__).resolve().parents[3]
ANNA, BEN = "0" * 32, "1" * 32
Files = dict[str, bytes]


def clean(test: AppTest) -> AppTest:
    """Without an exception; a refusal in words is fine."""
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
    words = tokenizers.train_tokenizer("word", write_stories(100, 0))
    gaps = MaskedTextTokenizer(words)
    span = write(root / "span", BERTConfig(vocab_size=40, d_model=16, head="span"), words)
    (span / "tokenizer.json").unlink()
    pieces = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "built", "the", "tower", "was", "by", "it", ".", "?")
    (span / "vocab.txt").write_text("\n".join(pieces))
    labels = GPTConfig(vocab_size=words.vocab_size, d_model=16, n_head=2, tied=False, modern=Modern(n_label=3))
    return {
        "span": span,
        "judge": write(root / "judge", labels, words),
        "gpt": tiny_model.write(root / "gpt"),
        "bert": write(root / "bert", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, n_head=2), gaps),
        "task": write(root / "task", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, head="sequence"), gaps),
        "each": write(root / "each", BERTConfig(vocab_size=gaps.vocab_size, d_model=16, head="tokens"), gaps),
        "t5": write(root / "t5", T5Config(vocab_size=words.vocab_size, d_model=16, n_head=2), words),
    }


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def put_there(home: Path, folders: dict[str, Path]) -> Callable[[str], None]:
    """`put_there("bert")`: everyone can choose this model."""
    (home / "models").mkdir()
    return lambda name: (home / "models" / name).symlink_to(folders[name])


@pytest.fixture
def visit(home: Path) -> Callable[..., AppTest]:
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
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def send(files: Files, owner: str = ANNA) -> list[str]:
    """Send files as the page's field does; what is said of those that aren't taken."""
    headers = {"x-upload": "1", "cookie": f"{COOKIE}={owner}"}
    with TestClient(Starlette(routes=model_uploads.upload_routes())) as client:
        answers = [client.put(f"/upload/{name}", content=content, headers=headers) for name, content in files.items()]
    return [one.text for one in answers if one.status_code != 201]


def upload(test: AppTest, files: Files) -> AppTest:
    by(test, "upload")
    assert send(files) == []
    return clean(test.button(key="opened-upload").click().run())


def by(test: AppTest, way: str) -> AppTest:
    return clean(test.button_group(key="way").set_value(way).run())


def by_path(test: AppTest, path: str) -> AppTest:
    by(test, "folder").text_input(key="opened-path").set_value(path)
    return clean(test.button(key="opened-folder").click().run())


def looked_up(test: AppTest, name: str) -> AppTest:
    test.text_input(key="opened-hub").set_value(name)
    return clean(test.button(key="opened-ask").click().run())


def refused(test: AppTest, words: str) -> bool:
    """Whether this is the only error."""
    return [words in error.value.replace("\\", "") for error in test.error] == [True]


def everything(home: Path) -> list[Path]:
    return [path for path in (home / "opened").rglob("*") if path.is_file()]


def only_one(home: Path) -> OpenedModel:
    """The only model that was opened."""
    [owner] = (path.name for path in (home / "opened").iterdir())
    [one] = OpenedModels(home / "opened").list_models(owner)
    return one


def test_it_opens_with_the_facts_of_a_model_that_is_here(visit: Callable[..., AppTest]) -> None:
    test = visit()
    told = text_of(test)
    for words in ("safetensors", "a decoder, a transformer that writes", "weights", "A blind guess has",
                  "already have our names", "gpt2", "distilbert"):  # fmt: skip
        assert words in told
    surprise = re.compile(r"surprised .* is \*\*([\d.]+)\*\*")
    test.text_area(key="try_text").set_value("Der Hund läuft im Park, und die Katze schläft.")
    foreign = text_of(clean(test.run()))
    assert float(surprise.findall(foreign)[0]) > float(surprise.findall(told)[0]) + 1  # it never learned German


def test_an_imported_model_shows_how_its_family_differs(visit: Callable[..., AppTest], home: Path) -> None:
    """Catches bullets of another family, or none: they are read from the docstring of the module that reads it."""
    folder = home / "models" / "as-gpt2"
    folder.mkdir(parents=True)
    for name, content in export_gpt2(ModelKey.at("stories").folder).items():
        (folder / name).write_bytes(content)
    found = differences_from_nearest_family("gpt2")
    told = text_of(visit(model="as-gpt2"))
    assert found is not None and f"**GPT-2**, compared with {found.relative}:" in told
    assert all(f"- {bullet}" in told for bullet in found.bullets)
    assert "compared with" not in text_of(visit(model="stories")), "Glassformer's own models are no import"


def test_an_upload_is_chosen_at_once_and_shown_in_the_rooms_that_suit_it(
    visit: Callable[..., AppTest], folders: dict[str, Path], home: Path
) -> None:
    test = upload(visit(), files_of(folders["bert"]))
    one = only_one(home)
    assert one.id in "".join(test.query_params["model"])
    assert ["is open" in success.value for success in test.success] == [True]
    told = text_of(test)
    assert "an encoder, a transformer that reads" in told and "is hidden behind a gap" in told
    heads = visit("attention/heads", model=one.id)
    assert heads.selectbox(key="model").value == one.id
    assert "predicts no next token" in text_of(heads)
    assert "this link's model is an encoder" in text_of(visit("generate/next_token", model=one.id))


def test_a_gpt2_is_opened_at_a_click_without_a_file(visit: Callable[..., AppTest], home: Path) -> None:
    test = visit()
    before = text_of(test)
    clean(test.button(key="opened-example").click().run())
    assert only_one(home).id in "".join(test.query_params["model"])
    told = text_of(test)
    assert "already have our names" in before and "transposes, splits or scales **16** of them" in told
    surprise = re.compile(r"surprised .* is \*\*([\d.]+)\*\*")
    assert surprise.findall(told) == surprise.findall(before)  # the numbers are the same


@pytest.mark.parametrize("page", ["embeddings", "masks", "block", "tokens"])
@pytest.mark.parametrize("name", ["bert", "task", "t5"])
def test_every_room_shows_encoders(
    page: str, name: str, visit: Callable[..., AppTest], put_there: Callable[[str], None]
) -> None:
    put_there(name)
    test = visit(f"attention/{page}", model=name)
    assert test.selectbox(key="model").value == name and not test.error


@pytest.mark.parametrize(
    ("name", "words", "of_positions"),
    [
        ("task", "labels for a whole text", "Mean cosine of two neighbors"),
        ("judge", "labels for a whole text", "Mean cosine of two neighbors"),
        ("span", "The likeliest answer", "Mean cosine of two neighbors"),
        ("t5", "don't say with which token", "This model's encoder learned"),
    ],
)
def test_models_without_a_next_token(
    name: str, words: str, of_positions: str, visit: Callable[..., AppTest], put_there: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    put_there(name)
    assert "gives no token a probability" in text_of(visit("attention/heads", model=name))
    monkeypatch.setattr(ModelFolder, "labels", ("bad", "**good**"))
    told = text_of(visit(model=name))
    assert words in told
    assert of_positions in text_of(visit("attention/positions", positions_model=name))
    if name == "task":  # its answers have the names that its config gives
        assert "it says bad: **" in told and "\\*\\*good\\*\\*: **" in told and "What the labels mean" not in told


def test_a_decoder_that_judges_is_kept_out_of_rooms_that_write(
    visit: Callable[..., AppTest], put_there: Callable[[str], None], home: Path
) -> None:
    put_there("judge")
    page = visit("generate/next_token", model="judge")
    assert "a decoder that judges texts" in text_of(page) and "judge" not in page.selectbox(key="model").options
    told = text_of(visit(model="judge"))
    assert "decoder that judges texts" in told and "what it thought after each" in told
    values = json.loads((home / "models" / "judge" / "config.json").read_text())
    assert (
        published.model_kind(values) == published.CLASSIFIER_KIND
        and published.model_kind(values | {"n_label": None}) == "gpt"
    )
    theirs = {"model_type": "llama", "architectures": ["LlamaForSequenceClassification"]}
    assert published.model_kind(theirs) == published.CLASSIFIER_KIND
    assert published.model_kind({**theirs, "architectures": ["LlamaForCausalLM"]}) == "gpt"
    assert published.model_kind({**theirs, "model_type": "bert"}) == "bert"


def test_a_gemma_that_sees_says_what_is_left_out(
    visit: Callable[..., AppTest], put_there: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_there("gpt")
    assert "also sees pictures" not in text_of(visit(model="gpt"))
    (tmp_path / "config.json").write_text('{"model_type": "gemma3"}')
    told = ModelFolder(tmp_path).left_out
    assert "pictures aren’t read" in told
    monkeypatch.setattr(ModelFolder, "left_out", told)
    assert told in text_of(visit(model="gpt"))


@pytest.mark.parametrize("name", ["task", "each", "judge", "span", "t5"])
def test_the_script_of_a_model_without_a_next_token_prints_what_is_shown(
    name: str, folders: dict[str, Path], home: Path, put_there: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    put_there(name)
    monkeypatch.setattr(check, "start_end_tokens", lambda *_: (1, 2))  # of the T5, whose files say neither
    shown, script, _ = shown_by("pretrained.does-it-work", monkeypatch, model=name)
    assert script is not None
    script = script.replace('"path/to/the/model"', repr(str(folders[name])))
    assert_same_table(printed_by(script, home, capsys), shown)


def test_a_text_that_is_cut_keeps_what_ends_it(home: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"]
    folder = home / "models" / "cut"
    write(folder, BERTConfig(vocab_size=len(pieces), d_model=16, n_head=2), tokenizers.train_tokenizer("word", "a"))
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(pieces))
    encoded = models.encode_text(ModelKey.at(folder), "a " * 20, 8)
    assert encoded.tokens == ("[CLS]", *["a"] * 6, "[SEP]")
    assert [note for note in encoded.notes if "Its last 6 are used, with [CLS] and [SEP] around them" in note]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("config.json", None, "no config.json"),
        ("model.safetensors", None, "no model.safetensors"),
        ("model.safetensors", b"\x80\x04K\x01.", "t a safetensors file"),
        ("config.json", b'{"model_type": "mamba"}', "cannot be read here"),
        ("config.json", b"[" * 100_000, "cannot be opened"),
    ],
)
def test_uploads_that_are_no_model_are_refused_in_words_and_stay_there(
    name: str, content: bytes | None, words: str, visit: Callable[..., AppTest], folders: dict[str, Path], home: Path
) -> None:
    whole = files_of(folders["gpt"])
    others = {one: bytes for one, bytes in whole.items() if one != name}
    test = upload(visit(), others if content is None else others | {name: content})
    assert refused(test, words), [error.value for error in test.error]
    assert {path.parent.name for path in everything(home)} == {".draft"}
    upload(test, {name: whole[name]})  # and only this one
    assert only_one(home).id in "".join(test.query_params["model"])


def test_who_asks_too_early_need_not_ask_again(
    visit: Callable[..., AppTest], folders: dict[str, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sending = [UploadStatus(coming=1, failed=0)]
    monkeypatch.setattr(open_forms, "draw_file_field", lambda *_, **__: sending[-1])
    test = upload(visit(), {})
    assert "as soon as all of it is here" in text_of(test) and not test.error
    sending.append(UploadStatus(coming=0, failed=1))
    assert refused(clean(test.run()), "Not all of it has come")
    assert not clean(test.run()).error  # said once, and asked for no more
    send(files_of(folders["gpt"]))
    sending.append(UploadStatus(coming=0, failed=0))
    assert not clean(test.run()).success
    clean(test.button(key="opened-upload").click().run())
    assert only_one(home).name == "gpt"  # what its config calls it


@pytest.mark.parametrize("said", [None, 3, "x", [], {"coming": "1", "failed": -1}, {"coming": 1e9}, {"coming": True}])
def test_what_a_browser_says_of_its_files_may_be_anything(said: object, monkeypatch: pytest.MonkeyPatch) -> None:
    field = SimpleNamespace(sending=said)
    monkeypatch.setattr(open_forms, "widget_component", lambda *_, **__: lambda **__: field)
    assert open_forms.draw_file_field({}, key="k", turn=0) == UploadStatus(0, 0)


def test_a_folder_is_seen_by_its_owner_alone_and_by_nobody_where_others_come(
    visit: Callable[..., AppTest], folders: dict[str, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = visit()
    for path in ("", "/nowhere/at/all", "a\0b", "/etc"):
        by_path(test, path)
        assert len(test.error) == 1 and "Errno" not in test.error[0].value and not everything(home)
        assert test.text_input(key="opened-path").value == path
    by_path(test, str(folders["gpt"]))
    one = only_one(home)
    assert one.id in "".join(test.query_params["model"])
    mine, other = visit("attention/heads", model=one.id), visit("attention/heads", owner=BEN, model=one.id)
    assert mine.selectbox(key="model").value == one.id
    assert other.selectbox(key="model").value != one.id and "There is no opened model" in text_of(other)
    assert str(folders["gpt"]) not in str(visit(owner=BEN, model=one.id))
    monkeypatch.setenv("GLASSFORMER_HOSTS", "class.uni.example")
    for way in ("folder", "hub"):
        test = by(visit(), way)
        assert "put the" in text_of(test) and not [w for w in test.text_input if w.key in ("opened-path", "opened-hub")]
        assert str(home) not in text_of(test)
    assert visit("attention/heads", model=one.id).selectbox(key="model").value != one.id


def test_somebody_elses_upload_can_be_looked_at_and_not_removed(
    visit: Callable[..., AppTest], folders: dict[str, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_models, "MAX_MODELS", 1)
    upload(visit(), files_of(folders["gpt"]))
    one = only_one(home)
    assert {"at most 1 are kept" in words for words in send(files_of(folders["gpt"]))} == {True}
    other = visit(owner=BEN, model=one.id)
    assert other.selectbox(key="model").value == one.id and "What you've opened" not in text_of(other)
    mine = visit(model=one.id)
    assert "What you've opened" in text_of(mine)
    clean(mine.button(key="opened-remove").click().run())
    assert not everything(home)
    assert mine.selectbox(key="model").value == "stories" and not mine.warning  # the list has let it go
    assert ["There is no opened model" in one.value for one in visit(owner=BEN, model=one.id).warning] == [True]


def test_what_was_looked_up_is_downloaded_on_request(
    visit: Callable[..., AppTest], folders: dict[str, Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(address: str, seconds: float) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(hub_address, "_open", no_network)
    test = by(visit(), "hub")
    for name, words in (("prajjwal1/bert-tiny", "could not be reached"), ("../x", "cannot be the name")):
        assert refused(looked_up(test, name), words) and test.text_input(key="opened-hub").value == name
    files = {file.name: file.read_bytes() for file in folders["gpt"].iterdir()}
    offer = hub.DownloadOffer(
        "a/b", "0" * 40, tuple(hub.HubFile(name, len(content), None) for name, content in files.items())
    )

    def download(offer: hub.DownloadOffer, folder: Path, progress: Callable[[int, int], object]) -> None:
        for name, content in files.items():
            (folder / name).write_bytes(content)
            progress(len(content), offer.n_byte)

    monkeypatch.setattr(hub, "look_up_model", lambda name: offer)
    monkeypatch.setattr(hub, "download_model", download)
    assert "model.safetensors" in text_of(looked_up(test, "a/b")).replace("\\", "") and not everything(home)
    clean(test.button(key="opened-fetch").click().run())
    one = only_one(home)
    assert (one.name, one.origin) == ("a/b", "hub")


@pytest.mark.parametrize("kind", ["gpt", "bert", "t5", "span"])
def test_a_model_without_a_tokenizer_says_so_in_every_pane(
    kind: str, folders: dict[str, Path], home: Path, visit: Callable[..., AppTest]
) -> None:
    """A folder with tokenizer.model alone opened, and then “Does it work?” crashed."""
    folder = home / "models" / "mute"
    folder.mkdir(parents=True)
    for name in ("config.json", "model.safetensors"):
        (folder / name).write_bytes((folders[kind] / name).read_bytes())
    (folder / "tokenizer.model").write_bytes(b"\n\x0a\n\x05<unk>")
    test = visit(model="mute")
    assert not test.error, [one.value for one in test.error]
    words = text_of(test)
    assert "tokenizer.json" in words and "can't be given text" in words and "Something went wrong" not in words
