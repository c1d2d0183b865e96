"""Download a published model from the Hugging Face hub by name, only on a person's request.

First `look_up_model` returns what would be downloaded and its size; then `download_model` fetches exactly those files
from one fixed commit: config, safetensors weights and the tokenizer. They are only data: `core.models.pretrained.load`
checks them.

We don't use huggingface_hub: it follows redirects to any host, reads answers of any length, hands large files to a
second client (hf-xet) and compares no checksum, so each of the limits here would have to be built around it.
"""

import hashlib
import os
import re
import shutil
import tempfile
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.data.download import DownloadFailed
from core.data.localization.labels import module_labels
from core.models.imports.importable_families import FAMILIES
from core.models.imports.model_folder_reader import INDEX, MAX_SHARDS, SHARD, WEIGHTS, list_shards
from core.models.imports.published import check_not_quantized, unsupported_model_type_advice
from core.models.imports.weights_file import GGUF, ImportRefused, is_count, parse_json, shorten_name
from core.models.imports.wrong_folder_advice import ADAPTER, is_adapter
from core.rooms.pretrained.compute.hub_address import HUB_HOST, Opener, read_chunks

LABELS = module_labels(__name__)

MAX_RESPONSE_BYTES = 5_000_000  # bytes of the hub's answer about a model
MAX_FILE_BYTES = 40_000_000  # bytes of a file other than weights; Gemma 3's tokenizer.json has 33 MB
MAX_WEIGHT_BYTES = 4_000_000_000  # bytes of all weights together
TOKENIZER_FILES = (
    ("tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"),
    ("vocab.txt", "tokenizer_config.json"),
    ("vocab.json", "merges.txt"),
)

ProgressCallback = Callable[[int, int], object]  # bytes so far, total bytes; an exception raised here ends the download


@dataclass(frozen=True)
class HubFile:
    """One file of a model: its name, its size, and for large files the checksum."""

    name: str
    n_byte: int
    sha256: str | None


@dataclass(frozen=True)
class DownloadOffer:
    """The files that a download would fetch."""

    name: str  # of the model on the hub
    revision: str  # the commit to download
    files: tuple[HubFile, ...]  # the files to download

    @property
    def n_byte(self) -> int:
        """Total size in bytes."""
        return sum(file.n_byte for file in self.files)


def check_model_name(name: str) -> str:
    """Return the name if it is valid for a model: `gpt2`, or `owner/model`.

    Raises:
        DownloadFailed: if it is not valid.
    """
    part = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
    if not re.fullmatch(rf"(?:{part}/)?{part}", name) or ".." in name or "--" in name:
        raise DownloadFailed(LABELS("bad_model_name", name=shorten_name(repr(name))))
    return name


def look_up_model(name: str, opener: Opener | None = None) -> DownloadOffer:
    """Look a model up on the hub with one request; download nothing.

    Args:
        name: `gpt2`, or `owner/model`.

    Raises:
        DownloadFailed: if there is no network, no such model, or no file that we can read.
    """
    check_model_name(name)
    raw = b"".join(read_chunks(f"https://{HUB_HOST}/api/models/{name}?blobs=true", MAX_RESPONSE_BYTES, name, opener))
    try:
        said = parse_json(raw, LABELS["hub_answer"])
    except ImportRefused as error:
        raise DownloadFailed(LABELS("unreadable_answer", host=HUB_HOST, error=error)) from error
    if said.get("gated") or said.get("private") or said.get("disabled"):
        raise DownloadFailed(LABELS("login_needed", name=name))
    config = said.get("config")
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind is not None and kind not in FAMILIES:
        raise DownloadFailed(
            LABELS(
                "unsupported", name=name, why=unsupported_model_type_advice(config if isinstance(config, dict) else {})
            )
        )
    try:
        check_not_quantized(config if isinstance(config, dict) else {})
    except ImportRefused as error:
        raise DownloadFailed(LABELS("unreadable", name=name, error=error)) from error
    revision = said.get("sha")
    if not isinstance(revision, str) or not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise DownloadFailed(LABELS("no_version", host=HUB_HOST, name=name))
    return DownloadOffer(name, revision, _wanted(name, _listed(said.get("siblings"))))


def download_model(
    offer: DownloadOffer, folder: Path | str, progress: ProgressCallback | None = None, opener: Opener | None = None
) -> Path:
    """Download an offer. The folder appears only when all files are complete and have the announced sizes.

    Args:
        offer: from `look_up_model`.
        folder: the destination; it must be missing or empty.
        progress: called with the bytes so far and the total.

    Raises:
        DownloadFailed: no network, too slow, content that differs from the offer, or a full disk.
    """
    check_model_name(offer.name)
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DownloadFailed(LABELS("folder_exists", name=folder.name))
    folder.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder.parent).free
    if free < offer.n_byte + 100_000_000:
        raise DownloadFailed(LABELS("disk_full", name=offer.name, n_byte=offer.n_byte, free=free))
    part = Path(tempfile.mkdtemp(prefix=".hub-", dir=folder.parent))
    try:
        so_far = 0
        for file in offer.files:
            if Path(file.name).name != file.name or file.name.startswith("."):
                raise DownloadFailed(LABELS("bad_file_name", name=shorten_name(repr(file.name))))
            _fetch(offer, file, part / file.name, so_far, progress, opener)
            so_far += file.n_byte
        if folder.exists():
            folder.rmdir()
        os.replace(part, folder)
    except OSError as error:
        raise DownloadFailed(LABELS("not_written", name=offer.name, error=error.strerror or error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _listed(siblings: object) -> dict[str, HubFile]:
    """Return the files that the hub lists, skipping those it describes incompletely."""
    found: dict[str, HubFile] = {}
    for one in siblings if isinstance(siblings, list) else []:
        if not isinstance(one, dict) or not isinstance(one.get("rfilename"), str) or not is_count(one.get("size")):
            continue
        lfs = one.get("lfs")
        sha256 = lfs.get("sha256") if isinstance(lfs, dict) else None
        known = isinstance(sha256, str) and re.fullmatch(r"[0-9a-f]{64}", sha256)
        found[one["rfilename"]] = HubFile(one["rfilename"], one["size"], sha256 if known else None)
    return found


def _wanted(name: str, there: dict[str, HubFile]) -> tuple[HubFile, ...]:
    """Select config, weights and tokenizer.

    Raises:
        DownloadFailed: if the model has no files that we can read, or files that are too large.
    """
    if is_adapter(there):
        raise DownloadFailed(LABELS("is_adapter", name=name, advice=ADAPTER))
    if "config.json" not in there:
        if any(file.endswith(".gguf") for file in there):
            raise DownloadFailed(LABELS("is_gguf", name=name, advice=GGUF))
        raise DownloadFailed(LABELS("no_config", name=name))
    shards = sorted(file for file in there if SHARD.fullmatch(file))
    if WEIGHTS in there:
        weights = [WEIGHTS]
    elif len(shards) > MAX_SHARDS:
        raise DownloadFailed(LABELS("too_many_files", name=name, n_file=len(shards), most=MAX_SHARDS))
    elif INDEX in there and shards:
        weights = [INDEX, *shards]
    elif shards:
        try:
            weights = list_shards(shards)
        except ImportRefused as error:
            raise DownloadFailed(LABELS("not_downloadable", name=name, error=error)) from error
    else:
        raise DownloadFailed(LABELS("no_weights", name=name, weights=WEIGHTS))
    spoken = next((one for one in TOKENIZER_FILES if one[0] in there), ())
    files = [there[file] for file in ("config.json", *weights, *spoken) if file in there]
    for file in files:
        if not file.name.endswith(".safetensors") and file.n_byte > MAX_FILE_BYTES:
            raise DownloadFailed(LABELS("file_too_large", name=file.name, n_byte=file.n_byte, most=MAX_FILE_BYTES))
    n_byte = sum(file.n_byte for file in files if file.name.endswith(".safetensors"))
    if n_byte > MAX_WEIGHT_BYTES:
        raise DownloadFailed(LABELS("weights_too_large", name=name, n_byte=n_byte, most=MAX_WEIGHT_BYTES))
    return tuple(files)


def _fetch(
    offer: DownloadOffer,
    file: HubFile,
    path: Path,
    so_far: int,
    progress: ProgressCallback | None,
    opener: Opener | None,
) -> None:
    """Download one file to the disk, and check its size and checksum."""
    address = f"https://{HUB_HOST}/{offer.name}/resolve/{offer.revision}/{urllib.parse.quote(file.name)}"
    digest, n_byte = hashlib.sha256(), 0
    with path.open("wb") as out:
        for chunk in read_chunks(address, file.n_byte, offer.name, opener):
            n_byte += len(chunk)
            digest.update(chunk)
            out.write(chunk)
            if progress is not None:
                progress(so_far + n_byte, offer.n_byte)
        out.flush()
        os.fsync(out.fileno())
    if n_byte != file.n_byte:
        raise DownloadFailed(LABELS("incomplete", name=file.name, n_byte=n_byte, expected=file.n_byte))
    if file.sha256 is not None and digest.hexdigest() != file.sha256:
        raise DownloadFailed(LABELS("wrong_checksum", name=file.name, host=HUB_HOST))
