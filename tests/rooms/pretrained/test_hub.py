"""Downloads by name, without a network: what is asked for, what is refused, and what is left behind."""

import hashlib
import io
import json
import urllib.error
import urllib.request
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from core.data.download import DownloadFailed
from core.rooms.pretrained.compute import hub, hub_address
from core.rooms.pretrained.compute.hub import DownloadOffer, check_model_name, download_model, look_up_model
from core.rooms.pretrained.compute.hub_address import HubRedirects, is_trusted

SHA = "0123456789" * 4


def files() -> dict[str, bytes]:
    """A model as the hub has it, with much that we do not want."""
    return {
        "config.json": b'{"model_type": "gpt2"}',
        "model.safetensors": bytes(range(256)) * 9,
        "pytorch_model.bin": b"pickle",
        "tokenizer.json": b"{}",
        "vocab.json": b"{}",
        "merges.txt": b"",
        "README.md": b"hello",
        "onnx/model.safetensors": b"",
    }


def about(content: dict[str, bytes], **changes: Any) -> dict[str, Any]:
    siblings = [
        {"rfilename": name, "size": len(raw)}
        | ({"lfs": {"sha256": hashlib.sha256(raw).hexdigest()}} if name.endswith("safetensors") else {})
        for name, raw in content.items()
    ]
    said = {"sha": SHA, "gated": False, "private": False, "config": {"model_type": "gpt2"}, "siblings": siblings}
    return said | changes


class Hub:
    """Answers as the hub would, from memory, and remembers what it was asked."""

    def __init__(self, content: dict[str, bytes], said: dict[str, Any] | None = None):
        self.content, self.said = content, about(content) if said is None else said
        self.asked: list[str] = []

    def __call__(self, address: str, seconds: float) -> io.BytesIO:
        self.asked.append(address)
        assert address.startswith("https://huggingface.co/") and 0 < seconds <= 60
        if address == "https://huggingface.co/api/models/openai-community/gpt2?blobs=true":
            return io.BytesIO(json.dumps(self.said).encode())
        start = f"https://huggingface.co/openai-community/gpt2/resolve/{SHA}/"
        if not address.startswith(start):
            raise urllib.error.HTTPError(address, 404, "Not Found", Message(), None)
        return io.BytesIO(self.content[address.removeprefix(start)])


NAME = "openai-community/gpt2"


def test_what_is_asked_for_comes_as_it_was(tmp_path: Path) -> None:
    content = {name: raw for name, raw in files().items() if "tokenizer" not in name and name != "vocab.json"}
    there = Hub(content)
    offer = look_up_model(NAME, there)
    assert [file.name for file in offer.files] == ["config.json", "model.safetensors"]
    assert offer.n_byte == len(content["config.json"]) + len(content["model.safetensors"]) and offer.revision == SHA
    assert len(there.asked) == 1  # asking downloads nothing
    seen: list[tuple[int, int]] = []
    folder = download_model(offer, tmp_path / "a" / "gpt2", lambda done, whole: seen.append((done, whole)), there)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert seen[-1] == (offer.n_byte, offer.n_byte) and seen == sorted(seen)
    assert all((folder / name).read_bytes() == content[name] for name in ("config.json", "model.safetensors"))
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["gpt2"]
    with pytest.raises(DownloadFailed, match="there already, and not empty"):
        download_model(offer, folder, opener=there)
    (tmp_path / "empty").mkdir()
    assert len(list(download_model(offer, tmp_path / "empty", opener=there).iterdir())) == 2


def test_the_tokenizer_comes_in_its_best_form_and_pickles_never() -> None:
    content = files()
    names = [file.name for file in look_up_model(NAME, Hub(content)).files]
    assert names == ["config.json", "model.safetensors", "tokenizer.json"]
    del content["tokenizer.json"]
    names = [file.name for file in look_up_model(NAME, Hub(content)).files]
    assert names == ["config.json", "model.safetensors", "vocab.json", "merges.txt"]
    weights = content.pop("model.safetensors")
    with pytest.raises(DownloadFailed, match="can run programs when opened and are never read here: look for"):
        look_up_model(NAME, Hub(content))
    content |= {"model.safetensors.index.json": b"{}", "model-00001-of-00002.safetensors": weights,
                "model-00002-of-00002.safetensors": weights, "model-evil.safetensors": weights}  # fmt: skip
    names = [file.name for file in look_up_model(NAME, Hub(content)).files]
    assert names[1:4] == ["model.safetensors.index.json", "model-00001-of-00002.safetensors",
                          "model-00002-of-00002.safetensors"]  # fmt: skip


def test_what_is_no_whole_model_says_what_to_do_next() -> None:
    content = {name: raw for name, raw in files().items() if name in ("config.json", "tokenizer.json")}
    shard = {f"model-0000{k}-of-00002.safetensors": b"x" * 9 for k in (1, 2)}
    assert [file.name for file in look_up_model(NAME, Hub(content | shard)).files][1:3] == list(shard)
    for there, words in (
        (content | dict(list(shard.items())[:1]), "download model-00002-of-00002.safetensors, too"),
        (files() | {"adapter_config.json": b""}, "This is an adapter: merge it into its base model first"),
        ({"adapter_config.json": b"", "adapter_model.safetensors": b""}, "This is an adapter: merge it"),
        ({"model.Q4_K_M.gguf": b""}, "This is a GGUF file"),
    ):
        with pytest.raises(DownloadFailed, match=words):
            look_up_model(NAME, Hub(there))
    for model_type, words in (("gptj", r"GPT-NeoX, Pythia \(gpt_neox\).*`heads\(model\)`"), ("mamba", "no attention")):
        with pytest.raises(DownloadFailed, match=words):
            look_up_model(NAME, Hub(files(), about(files(), config={"model_type": model_type})))
    with pytest.raises(DownloadFailed, match=f"hf auth login.*hf download {NAME}"):
        look_up_model(NAME, Hub(files(), about(files(), gated="auto")))


@pytest.mark.parametrize(
    "name",
    ["", "a b", "../etc", "a/b/c", "a//b", "/a", "a/", "a?b", "a#b", "a%2e", "a..b", "a--b", ".a", "-a", "a.", "https://a",
     "a@b", "a\n", "ä", "a" * 97, "a\\b", "a:b", "\u202ea"],
)  # fmt: skip
def test_names_that_cannot_be_one_are_never_asked_for(name: str) -> None:
    there = Hub(files())
    with pytest.raises(DownloadFailed, match="cannot be the name of a model") as refusal:
        look_up_model(name, there)
    assert there.asked == [] and str(refusal.value).isprintable()
    for fine in ("gpt2", "google-bert/bert-base-uncased", "a", "A.b_c-1/D.2", "a" * 96):
        assert check_model_name(fine) == fine


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gated": "auto"}, "asks for a login"),
        ({"private": True}, "asks for a login"),
        ({"config": {"model_type": "mamba"}}, "type 'mamba'"),
        ({"config": {"model_type": "llama", "quantization_config": {"quant_method": "gptq"}}}, "quantized .gptq."),
        ({"sha": "main"}, "which version"),
        ({"sha": None}, "which version"),
        ({"siblings": None}, "no config.json"),
        ({"siblings": [1, {"rfilename": 2}, {"rfilename": "config.json", "size": -1}]}, "no config.json"),
        ({"siblings": [{"rfilename": "config.json", "size": 10}]}, "has no model.safetensors"),
        ({"siblings": [{"rfilename": "config.json", "size": 10**8}, {"rfilename": "model.safetensors", "size": 1}]},
         "config.json has 100,000,000 bytes"),
        ({"siblings": [{"rfilename": "config.json", "size": 1}, {"rfilename": "model.safetensors", "size": 10**11}]},
         "100,000,000,000 bytes of weights; at most 4,000,000,000"),
        ({"siblings": [{"rfilename": "config.json", "size": 1}] + [
            {"rfilename": f"model-{n:05}-of-00101.safetensors", "size": 1} for n in range(101)]},
         "in 101 files; at most 100"),
    ],
)  # fmt: skip
def test_what_the_hub_says_is_checked(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(DownloadFailed, match=words):
        look_up_model(NAME, Hub(files(), about(files(), **changes)))
    for raw in (b"", b"<html>", b"[" * 100_000, b"\xff", b"[]", b'{"sha":1,"sha":2}', b" " * 5_000_001):
        with pytest.raises(DownloadFailed, match=r"cannot be read|sent more than"):
            look_up_model(NAME, lambda address, seconds, raw=raw: io.BytesIO(raw))


def broken(error: Exception) -> Callable[[str, float], io.BytesIO]:
    def opener(address: str, seconds: float) -> io.BytesIO:
        raise error

    return opener


def test_without_a_network_plain_words() -> None:
    for error in (urllib.error.URLError("[Errno -3] Temporary failure in name resolution"), TimeoutError("timed out"),
                  ConnectionResetError(), ValueError("unknown url type")):  # fmt: skip
        with pytest.raises(DownloadFailed, match=r"huggingface\.co could not be reached \(.*\)\. Is there a network\?"):
            look_up_model("gpt2", broken(error))
    for code, words in ((404, "no model gpt2"), (401, "no model gpt2"), (503, "the error 503")):
        with pytest.raises(DownloadFailed, match=words):
            look_up_model("gpt2", broken(urllib.error.HTTPError("https://huggingface.co", code, "", Message(), None)))


class Stalls(io.BytesIO):
    def read1(self, size: int | None = -1) -> bytes:
        raise TimeoutError("timed out")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda raw: io.BytesIO(raw + b"x"), "sent more than the"),
        (lambda raw: io.BytesIO(raw[:-1]), "ended after"),
        (lambda raw: io.BytesIO(bytes(len(raw))), "its checksum differs"),
        (lambda raw: Stalls(), "could not be reached"),
    ],
)
def test_a_spoiled_download_leaves_nothing(tmp_path: Path, spoil: Callable[[bytes], io.BytesIO], words: str) -> None:
    there = Hub(files())
    offer = look_up_model(NAME, there)

    def opener(address: str, seconds: float) -> io.BytesIO:
        answer = there(address, seconds)
        return spoil(answer.read()) if address.endswith("model.safetensors") else answer

    with pytest.raises(DownloadFailed, match=words):
        download_model(offer, tmp_path / "model", opener=opener)
    assert list(tmp_path.iterdir()) == []


def test_a_trickle_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, clock = Hub(files()), iter(range(0, 10**6, 50))
    offer = look_up_model(NAME, there)
    monkeypatch.setattr(hub_address.time, "monotonic", lambda: next(clock))
    with pytest.raises(DownloadFailed, match="was too slow"):
        download_model(offer, tmp_path / "model", opener=lambda *given: Trickle(there(*given).read()))
    assert list(tmp_path.iterdir()) == []


class Trickle(io.BytesIO):
    """A byte at a time; whoever waits for a whole chunk never comes to look at the clock."""

    def read1(self, size: int | None = -1) -> bytes:
        return super().read1(1)


def test_a_person_can_stop_it_and_nothing_stays(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, whole: int) -> None:
        raise Stopped

    there = Hub(files())
    with pytest.raises(Stopped):
        download_model(look_up_model(NAME, there), tmp_path / "model", stop, there)
    assert list(tmp_path.iterdir()) == []


def test_no_room_and_no_strange_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = Hub(files())
    offer = look_up_model(NAME, there)
    for name in ("../evil", "/etc/evil", ".hidden", "a/b"):
        with pytest.raises(DownloadFailed, match="not the name of a file"):
            download_model(DownloadOffer(NAME, SHA, (hub.HubFile(name, 1, None),)), tmp_path / "model", opener=there)
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 5})())
    with pytest.raises(DownloadFailed, match="only 5 left"):
        download_model(offer, tmp_path / "model", opener=there)
    monkeypatch.setattr(hub, "MAX_WEIGHT_BYTES", 10)
    with pytest.raises(DownloadFailed, match="at most 10 are downloaded"):
        look_up_model(NAME, there)


@pytest.mark.parametrize(
    ("address", "fine"),
    [
        ("https://huggingface.co/a", True),
        ("https://cdn-lfs.huggingface.co/a?x=1", True),
        ("https://cas-bridge.xethub.hf.co/a", True),
        ("https://us.aws.cdn.hf.co:443/a", True),
        ("http://huggingface.co/a", False),
        ("https://huggingface.co:8443/a", False),
        ("https://huggingface.co.evil.org/a", False),
        ("https://evilhf.co/a", False),
        ("https://hf.co.evil.org", False),
        ("https://user@huggingface.co/a", False),
        ("https://huggingface.co@evil.org/a", False),
        ("https://127.0.0.1/a", False),
        ("https://[::1]/a", False),
        ("https://[/a", False),
        ("https://huggingface.co:99999/a", False),
        ("file:///etc/passwd", False),
        ("ftp://huggingface.co/a", False),
        ("//huggingface.co/a", False),
        ("", False),
    ],
)
def test_redirects_stay_on_the_hubs_own_hosts(address: str, fine: bool) -> None:
    assert is_trusted(address) == fine
    request = urllib.request.Request("https://huggingface.co/a")
    follow = lambda: HubRedirects().redirect_request(request, None, 302, "Found", Message(), address)  # noqa: E731
    if fine:
        found = follow()
        assert found is not None and found.full_url == address
    else:
        with pytest.raises(urllib.error.URLError, match="another place"):
            follow()
