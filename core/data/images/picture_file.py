"""Reading of uploaded pictures: any common format, size and color mode, or a refusal that says why.

The format is determined from the first bytes, never from the file's name. Only the reader of that one format opens the
file, and only after the size in its header was found small enough, because a few kilobytes can unpack to gigabytes.
"""

import io
import re
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

_MAGIC: Mapping[str, tuple[bytes, ...]] = {
    "PNG": (b"\x89PNG\r\n\x1a\n",),
    "JPEG": (b"\xff\xd8\xff",),
    "GIF": (b"GIF87a", b"GIF89a"),
    "BMP": (b"BM",),
    "TIFF": (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
    "PPM": tuple(b"P%d%c" % (kind, space) for kind in range(1, 7) for space in b" \t\r\n"),
}
# Other kinds of files that people try; a label says how to convert them.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "other.pdf"),
    (b"%!PS", "other.postscript"),
    (b"\xc5\xd0\xd3\xc6", "other.postscript"),
    (b"8BPS", "other.photoshop"),
    (b"\0\0\1\0", "other.icon"),
    (b"icns", "other.icon"),
    (b"\0\0\0\x0cjP  ", "other.jpeg2000"),
    (b"\xff\x4f\xff\x51", "other.jpeg2000"),
    (b"PK\3\4", "other.zip"),
    (b"\x1f\x8b", "other.gzip"),
)


class PictureRefused(ValueError):
    """The file can't be used; the message says why."""


def _picture_kind(data: bytes, called: str) -> str:
    """Detect the format from the first bytes: "PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF" or "PPM".

    Raises PictureRefused for anything else. The message says, where known, what the file is and how to convert it, and
    names the file as it is `called`.
    """
    for kind, starts in _MAGIC.items():
        if data.startswith(starts):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] == b"ftyp":
        brands = data[8 : min(64, max(16, int.from_bytes(data[:4], "big")))]
        if b"avif" in brands or b"avis" in brands:
            return "AVIF"
        if any(brand in brands for brand in (b"hei", b"hev", b"mif1", b"msf1")):
            raise PictureRefused(LABELS("heic", called=called))
        raise PictureRefused(LABELS("video", called=called))
    for start, message in _OTHERS:
        if data.startswith(start):
            raise PictureRefused(LABELS(message, called=called))
    head = data[:4096]
    if b"<svg" in head.lower() or "<svg".encode("utf-16-le") in head:
        raise PictureRefused(LABELS("svg", called=called))
    if not set(head) & set(range(9)) and _is_text(head):
        raise PictureRefused(LABELS("text", called=called, formats=LABELS["formats"]))
    raise PictureRefused(LABELS("unknown", called=called, formats=LABELS["formats"]))


def _is_text(head: bytes) -> bool:
    try:
        head[:-4].decode() if len(head) > 4 else head.decode()
    except UnicodeDecodeError:
        return False
    return True


def _webp_size(data: bytes) -> tuple[int, int]:
    """Return (width, height) from the header of a WebP file; (1, 1) if it is broken, so that its reader will fail."""
    if len(data) < 30:
        return 1, 1
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if data[12:16] == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    return 1, 1


if TYPE_CHECKING:
    from PIL import Image

MAX_FILE = 10 * 2**20  # bytes, as the upload itself allows
MAX_PIXELS = 24_000_000  # a camera's; unpacked they take 200 MB at most, for the moment that it takes to shrink them
# Readers of these formats make several copies of the picture.
_FEWER: Mapping[str, int] = {"WEBP": 10_000_000, "AVIF": 16_000_000, "TIFF": 12_000_000}
_FEWER_OF_CMYK = 16_000_000  # a fourth channel
MOST_SIDE = 1_024  # pixels that are kept in either direction
MOST_SHAPE = 64  # the longer side against the shorter
# A picture this long and narrow has at least 16 pixels across after it is shrunk to 1,024.
LEAST_SIDE = MOST_SIDE // MOST_SHAPE
ORIENTATION = 0x0112  # the Exif tag with the orientation of the camera
_BAND = 500_000  # pixels that are converted at a time: a copy of the whole would double the memory

_BROKEN_OFF = re.compile(r"truncat|unexpected end|end of file|premature|not enough|Truncated|EOF", re.IGNORECASE)


@dataclass(frozen=True)
class LoadedPicture:
    """The picture in a file, ready for use."""

    # (Y, X, 3) red, green and blue, at most 1,024 and at least 16 in either direction; read-only
    pixels: NDArray[np.uint8]
    size: tuple[int, int]  # (width, height) that the file has, in pixels
    notes: tuple[str, ...] = ()  # sentences on what was left out or changed


def open_picture(data: bytes, name: str = "") -> LoadedPicture:
    """Read an uploaded picture.

    Transparent parts become white, the camera's orientation is applied, 16 bits become 8. Pictures larger than 1,024
    pixels are shrunk; those under 16 are enlarged by a whole factor. If there are several frames, the first is read.

    The name is the file's name on its owner's machine, for messages.

    Raises PictureRefused if the file can't be used.
    """
    called = f"“{' '.join(name.split())[:60]}”" if name.strip() else LABELS["this_file"]
    if not data:
        raise PictureRefused(LABELS("empty", called=called))
    if len(data) > MAX_FILE:
        raise PictureRefused(LABELS("file_too_large", called=called, size=len(data) / 2**20, most=MAX_FILE // 2**20))
    kind = _picture_kind(data, called)
    if kind == "WEBP":  # its reader allocates the whole picture before the size can be read
        _check_size(*_webp_size(data), kind, called)
    try:
        with _one_at_a_time(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on odd but harmless files
            return _read(data, kind, called)
    except PictureRefused:
        raise
    except MemoryError:
        raise PictureRefused(LABELS("no_memory", called=called)) from None
    except Exception as error:  # a reader of files from anywhere can fail in any way
        if type(error).__name__ == "DecompressionBombError":
            number = re.search(r"\d+", str(error))
            n_pixel = int(number[0]) if number else 10 * MAX_PIXELS
            raise PictureRefused(_too_large(n_pixel, _most_pixels(kind), called)) from None
        message = "cut_off" if _BROKEN_OFF.search(str(error)) else "damaged"
        if "MAX_TEXT" in str(error):
            message = "large_notes"
        raise PictureRefused(LABELS(message, called=called, kind=kind, size=len(data))) from None


@cache
def _one_at_a_time() -> Lock:
    """Return the lock under which pictures are unpacked, one after the other.

    Unpacking one takes a hundred megabytes for a moment; sixty people at once would take six gigabytes.
    """
    return Lock()


def _most_pixels(kind: str, mode: str = "") -> int:
    return min(_FEWER.get(kind, MAX_PIXELS), _FEWER_OF_CMYK if mode == "CMYK" else MAX_PIXELS)


def _too_large(n_pixel: int, most: int, called: str) -> str:
    return LABELS("too_many_pixels", called=called, n_million=n_pixel / 1e6, most=most / 1e6, most_side=MOST_SIDE)


def _check_size(width: int, height: int, kind: str, called: str, mode: str = "") -> None:
    most = _most_pixels(kind, mode)
    if width * height > most:
        raise PictureRefused(_too_large(width * height, most, called))
    if max(width, height) > MOST_SHAPE * min(width, height):
        raise PictureRefused(
            LABELS(
                "too_narrow",
                called=called,
                width=width,
                height=height,
                most_shape=MOST_SHAPE,
                most_side=MOST_SIDE,
                least_side=LEAST_SIDE,
            )
        )


def _read(data: bytes, kind: str, called: str) -> LoadedPicture:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data), formats=[kind]) as image:
        size = (int(image.width), int(image.height))
        if not min(size):
            raise PictureRefused(LABELS("no_pixels", called=called, width=size[0], height=size[1]))
        _check_size(*size, kind, called, image.mode)
        # A JPEG can be unpacked at a half, a quarter or an eighth of its size.
        image.draft(None, (MOST_SIDE, MOST_SIDE))
        image.load()
        notes = _notes(image, kind)
        small = _shrunk(image)
        with suppress(Exception):  # the camera's metadata can be broken even if the picture isn't
            small.getexif()[ORIENTATION] = image.getexif().get(ORIENTATION, 1)
            small = ImageOps.exif_transpose(small)
    pixels = np.array(small)
    grow = -(-LEAST_SIDE // min(pixels.shape[:2]))
    if grow > 1:
        pixels = pixels.repeat(grow, 0).repeat(grow, 1)
    pixels.flags.writeable = False
    return LoadedPicture(pixels, size, notes)


def _notes(image: "Image.Image", kind: str) -> tuple[str, ...]:
    notes = []
    try:
        if kind != "JPEG" and getattr(image, "is_animated", False):
            notes.append(LABELS["note.frames"])
    except Exception:  # frames after the first may be broken; they are not used
        notes.append(LABELS["note.broken_frames"])
    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        notes.append(LABELS["note.gray"])
    return tuple(notes)


def _shrunk(image: "Image.Image") -> "Image.Image":
    """Convert a picture to RGB, band by band, and shrink it to at most 1,024 pixels a side."""
    from PIL import Image

    by = max(1, max(image.size) // MOST_SIDE)
    high = max(1, _BAND // image.width // by) * by
    span = _span(image)
    small = Image.new("RGB", (-(-image.width // by), -(-image.height // by)))
    for top in range(0, image.height, high):
        band = _as_color(image.crop((0, top, image.width, min(image.height, top + high))), span)
        small.paste(band.reduce(by) if by > 1 else band, (0, top // by))
    if max(small.size) > MOST_SIDE:
        part = MOST_SIDE / max(small.size)
        width, height = (max(1, round(side * part)) for side in small.size)
        return small.resize((width, height), Image.Resampling.LANCZOS)
    return small


def _span(image: "Image.Image") -> tuple[float, float]:
    """Return (black, white), the range of the shades of a picture with more than 8 bits per channel."""
    if image.mode.startswith("I;16"):
        return 0, 65_535
    if image.mode not in ("I", "F"):
        return 0, 255
    numbers = np.asarray(image)
    seen = numbers[np.isfinite(numbers)] if image.mode == "F" else numbers
    low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)
    for most in (1, 255, 65_535) if image.mode == "F" else (255, 65_535):
        if low >= 0 and high <= most:
            return 0, most
    return low, max(high, low + 1e-30)


def _as_color(band: "Image.Image", span: tuple[float, float]) -> "Image.Image":
    from PIL import Image

    if band.mode.startswith("I;16") or band.mode in ("I", "F"):
        numbers = np.nan_to_num(np.asarray(band).astype(np.float64), nan=span[0], posinf=span[1], neginf=span[0])
        shades = np.clip((numbers - span[0]) / (span[1] - span[0]), 0, 1) * 255
        return Image.fromarray((shades + 0.5).astype(np.uint8)).convert("RGB")
    if band.has_transparency_data:
        band = band.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", band.size, "white"), band).convert("RGB")
    return band.convert("RGB")
