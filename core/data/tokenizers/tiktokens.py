"""The vocabularies of OpenAI's models, if they are already on this machine, or downloaded on request.

`tiktoken` itself downloads a missing vocabulary at once and without a time limit. Here nothing is downloaded unless
`download_tiktoken` is called: a vocabulary counts as available only if all of its files are in tiktoken's cache and
have the right checksum, because tiktoken deletes and downloads any file that differs.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import tiktoken

from core.data import checks
from core.data.download import DownloadFailed, download_file
from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.data.tokenizers.tokenizer_base import ByteStringTokenizer, save_glassformer_tokenizer

LABELS = module_labels(__name__)

HOST = "https://openaipublic.blob.core.windows.net/"
MAX_BYTES = 8_000_000  # the largest of these files has 3.6 MB

# name -> (address, SHA-256) of each file; both are written in tiktoken_ext/openai_public.py.
GPT2 = HOST + "gpt-2/encodings/main/"
FILES = {
    "gpt2": (
        (GPT2 + "vocab.bpe", "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"),
        (GPT2 + "encoder.json", "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"),
    ),
    "r50k_base": (
        (HOST + "encodings/r50k_base.tiktoken", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    ),
    "cl100k_base": (
        (HOST + "encodings/cl100k_base.tiktoken", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    ),
    "o200k_base": (
        (HOST + "encodings/o200k_base.tiktoken", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    ),
}


class TokenizerUnavailable(ValueError):
    """The vocabulary is not on this machine."""


class TiktokenTokenizer(ByteStringTokenizer):
    """A vocabulary of OpenAI's: "gpt2", "r50k_base", "cl100k_base" or "o200k_base".

    Raises TokenizerUnavailable if the name is unknown or the vocabulary has not been downloaded.
    """

    kind = "tiktoken"

    def __init__(self, name: str) -> None:
        if not available_tiktoken()[_checked(name)]:
            raise TokenizerUnavailable(LABELS("missing", name=name))
        self.name = name
        self._encoding = tiktoken.get_encoding(name)

    @property
    def vocab_size(self) -> int:
        return self._encoding.n_vocab

    def encode(self, text: str) -> list[int]:
        """Encode a text; special tokens written in it, such as <|endoftext|>, are read as ordinary characters."""
        return self._encoding.encode_ordinary(replace_surrogates(text))

    def token_bytes(self, i: int) -> bytes:
        try:
            return self._encoding.decode_single_token_bytes(i)
        except KeyError:  # some ids below n_vocab belong to no token
            return b""

    def save(self, folder: Path | str) -> None:
        save_glassformer_tokenizer(folder, self.kind, {"name": self.name})


def available_tiktoken() -> dict[str, bool]:
    """Return for each vocabulary whether it can be used now. Checks only the cache, never the network."""
    return {name: all(_is_cached(url, sha256) for url, sha256 in files) for name, files in FILES.items()}


def download_tiktoken(name: str, seconds: float = 10.0) -> None:
    """Download a vocabulary into tiktoken's cache. Call it only on a user's request.

    Raises TokenizerUnavailable if the name is unknown or the files can't be downloaded.
    """
    _checked(name)
    folder = _cache_folder()
    if folder is None:
        raise TokenizerUnavailable(LABELS["no_cache"])
    for url, sha256 in FILES[name]:
        if _is_cached(url, sha256):
            continue
        try:
            write_atomic(folder / _cache_name(url), download_file(url, sha256, max_bytes=MAX_BYTES, seconds=seconds))
        except (DownloadFailed, OSError) as error:
            raise TokenizerUnavailable(LABELS("failed", name=name, error=error)) from error


def _checked(name: str) -> str:
    if checks.check_text("name", name) not in FILES:
        raise TokenizerUnavailable(LABELS("unknown", name=repr(name), names=", ".join(FILES)))
    return name


def _is_cached(url: str, sha256: str) -> bool:
    folder = _cache_folder()
    if folder is None:
        return False
    try:
        return hashlib.sha256((folder / _cache_name(url)).read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def _cache_name(url: str) -> str:
    return hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()


def _cache_folder() -> Path | None:
    """Return tiktoken's cache by its own rule (tiktoken/load.py); None if an empty variable switches it off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return Path(os.environ[variable]) if os.environ[variable] else None
    return Path(tempfile.gettempdir()) / "data-gym-cache"
