"""Uploaded pictures: any common format, size and color mode is read; unusable files are clearly refused."""

import gzip
import io
import json
import struct
import subprocess
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from core.data.images.picture_file import MAX_FILE, MAX_PIXELS, PictureRefused, open_picture
from tests.counts import IS_FULL

ROOT = Path(__file__).resolve().parents[3]
Y, X = np.mgrid[:90, :120]
COLORS = np.stack([Y * 2, X * 2, Y + X], -1).astype(np.uint8)
PLAIN = Image.fromarray(COLORS)
GRAY = PLAIN.convert("L")
PALETTE = PLAIN.quantize(16)
CLEAR = PLAIN.convert("RGBA")
CLEAR.putalpha(Image.fromarray((X * 2).astype(np.uint8)))
FINE = Image.fromarray((Y * 700).astype(np.uint16))


def pixels_of(data: bytes, name: str = "") -> np.ndarray:
    return open_picture(data, name).pixels


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(width: int, height: int, bits: int, color: int, *, extra: bytes = b"", n_row: int | None = None) -> bytes:
    """A PNG made by hand: every row the same, so that a picture of any size can be made."""
    n_channel = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    row = b"\0" + (bytes([70, 99, 3, 200]) * (width * n_channel * bits // 32 + 1))[: width * n_channel * bits // 8]
    pack = zlib.compressobj(1)
    rows = [pack.compress(row) for _ in range(height if n_row is None else n_row)]
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    body = chunk(b"IHDR", header) + extra + chunk(b"IDAT", b"".join(rows) + pack.flush()) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def on_white() -> np.ndarray:
    share = (X * 2 / 255)[..., None]
    return COLORS * share + 255 * (1 - share)


GRAYS = np.repeat(np.asarray(GRAY)[..., None], 3, -1)
FINES = np.repeat((Y * 700 / 257)[..., None], 3, -1)
FILES: dict[str, tuple[bytes, np.ndarray | None, int]] = {  # the file, what is in it, by how much it may differ
    "png": (encoded(PLAIN, "PNG"), COLORS, 0),
    "png with clear parts": (encoded(CLEAR, "PNG"), on_white(), 2),
    "gray png with clear parts": (encoded(CLEAR.convert("LA"), "PNG"), None, 0),
    "gray png": (encoded(GRAY, "PNG"), GRAYS, 0),
    "gray png with one clear shade": (encoded(GRAY, "PNG", transparency=5), np.where(GRAYS == 5, 255, GRAYS), 0),
    "png with one clear color": (encoded(PLAIN, "PNG", transparency=(0, 0, 0)), None, 0),
    "one bit": (encoded(PLAIN.convert("1"), "PNG"), None, 0),
    "palette": (encoded(PALETTE, "PNG"), np.asarray(PALETTE.convert("RGB")), 0),
    "palette with one clear color": (encoded(PALETTE, "PNG", transparency=3), None, 0),
    "palette with alphas": (encoded(PALETTE, "PNG", transparency=bytes(16)), np.full_like(COLORS, 255), 0),
    "16 bits": (encoded(FINE, "PNG"), FINES, 1),
    "jpeg": (encoded(PLAIN, "JPEG", quality=95), COLORS, 12),
    "gray jpeg": (encoded(GRAY, "JPEG", quality=95), GRAYS, 6),
    "progressive jpeg": (encoded(PLAIN, "JPEG", progressive=True, quality=95), COLORS, 12),
    "cmyk jpeg": (encoded(PLAIN.convert("CMYK"), "JPEG", quality=95), COLORS, 12),
    "jpeg of a telephone with two pictures": (encoded(PLAIN, "MPO", save_all=True, append_images=[GRAY]), COLORS, 40),
    "gif": (encoded(PALETTE, "GIF"), np.asarray(PALETTE.convert("RGB")), 0),
    "webp": (encoded(PLAIN, "WEBP", lossless=True), COLORS, 0),
    "webp with clear parts": (encoded(CLEAR, "WEBP", lossless=True, exact=True), on_white(), 2),
    "avif": (encoded(PLAIN, "AVIF", quality=90), COLORS, 16),
    "bmp": (encoded(PLAIN, "BMP"), COLORS, 0),
    "palette bmp": (encoded(PALETTE, "BMP"), np.asarray(PALETTE.convert("RGB")), 0),
    "tiff": (encoded(PLAIN, "TIFF"), COLORS, 0),
    "tiff lzw": (encoded(PLAIN, "TIFF", compression="tiff_lzw"), COLORS, 0),
    "fax": (encoded(PLAIN.convert("1"), "TIFF", compression="group4"), None, 0),
    "cmyk tiff": (encoded(PLAIN.convert("CMYK"), "TIFF"), COLORS, 1),
    "tiff of floats": (
        encoded(Image.fromarray((Y / 90).astype(np.float32)), "TIFF"), GRAYS * 0 + Y[..., None] * 2.83, 2),
    "tiff with nan": (encoded(Image.fromarray(np.where(X < 5, np.nan, Y * 1e9).astype(np.float32)), "TIFF"), None, 0),
    "tiff of integers": (encoded(Image.fromarray((Y * 100_000).astype(np.int32)), "TIFF"), None, 0),
    "16 bit tiff": (encoded(FINE, "TIFF"), FINES, 1),
    "ppm": (encoded(PLAIN, "PPM"), COLORS, 0),
    "16 bit pgm": (encoded(FINE, "PPM"), FINES, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_formats_and_color_modes(name: str) -> None:
    data, expected, tolerance = FILES[name]
    pixels = pixels_of(data, name)
    assert pixels.shape == (90, 120, 3) and pixels.dtype == np.uint8 and not pixels.flags.writeable
    assert int(pixels.max()) - int(pixels.min()) > 60 or name == "palette with alphas"
    if expected is not None:
        np.testing.assert_allclose(pixels.astype(float), expected, atol=tolerance)


def test_the_turn_of_the_camera_is_carried_out() -> None:
    for held in range(1, 9):
        notes = Image.Exif()
        notes[0x0112] = held
        data = encoded(PLAIN, "JPEG", exif=notes, quality=95)
        with Image.open(io.BytesIO(data)) as image:
            np.testing.assert_array_equal(pixels_of(data), np.asarray(ImageOps.exif_transpose(image)))


def test_several_frames_give_the_first_and_say_so() -> None:
    frames = [PLAIN.rotate(90 * i) for i in range(3)]
    for kind in ("GIF", "WEBP", "TIFF", "PNG"):
        options = {"lossless": True} if kind == "WEBP" else {}
        read = open_picture(encoded(PLAIN, kind, save_all=True, append_images=frames[1:], **options))
        assert np.abs(read.pixels.astype(int) - COLORS).mean() < 8
        assert "only the first is used" in " ".join(read.notes), kind


@pytest.mark.parametrize(
    ("width", "height", "shape"),
    [
        (1, 1, (16, 16)), (64, 1, (16, 1024)), (8, 8, (16, 16)), (17, 16, (16, 17)), (1024, 1024, (1024, 1024)),
        (1025, 700, (699, 1024)), (3000, 2000, (683, 1024)), (320, 20_480, (1024, 16)), (4, 200, (800, 16)),
    ],
)  # fmt: skip
def test_sizes(width: int, height: int, shape: tuple[int, int]) -> None:
    read = open_picture(png(width, height, 8, 0))
    assert read.pixels.shape == (*shape, 3) and read.size == (width, height)


def test_shrinking_keeps_what_is_seen() -> None:
    fine = np.zeros((2100, 2900, 3), np.uint8)
    fine[:1050, :1450] = (200, 0, 0)
    fine[1050:, 1450:] = (0, 0, 200)
    for kind, options in (("PNG", {"compress_level": 1}), ("JPEG", {}), ("TIFF", {"compression": "packbits"})):
        pixels = pixels_of(encoded(Image.fromarray(fine), kind, **options))
        height, width = pixels.shape[:2]
        assert (height, width) == (742, 1024)
        for y, x, color in ((0.25, 0.25, (200, 0, 0)), (0.75, 0.75, (0, 0, 200)), (0.25, 0.75, (0, 0, 0))):
            np.testing.assert_allclose(pixels[int(y * height), int(x * width)], color, atol=4)


ZEROS = zlib.compress(bytes(40_000_000), 9)
REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "one byte": (b"a", "holds text"),
    "zeros": (bytes(5_000), "isn't a picture that can be read"),
    "noise": (np.random.default_rng(0).bytes(5_000), "isn't a picture that can be read"),
    "a text called .png": (b"I am a text, not a picture. " * 50, "holds text, not a picture"),
    "svg": (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "SVG"),
    "svg in utf-16": ("<svg></svg>".encode("utf-16"), "SVG"),
    "svgz": (gzip.compress(b"<svg></svg>"), "gzip"),
    "html": (b"<!doctype html><img src=x onerror=alert(1)>", "holds text"),
    "pdf": (b"%PDF-1.7\n" + bytes(300), "a PDF document"),
    "eps": (b"%!PS-Adobe-3.0 EPSF-3.0\nshowpage", "PostScript"),
    "psd": (b"8BPS" + bytes(300), "Photoshop"),
    "ico": (encoded(PLAIN, "ICO"), "an icon file"),
    "jpeg 2000": (b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(300), "JPEG 2000"),
    "heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(300), "HEIC"),
    "film": (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + bytes(300), "a video"),
    "zip": (b"PK\3\4" + bytes(300), "ZIP"),
    "pickle": (b"\x80\x04\x95" + bytes(300), "isn't a picture"),
    "too many bytes": (b"\x89PNG\r\n\x1a\n" + bytes(MAX_FILE), "10.0 MB, and a picture may have 10"),
    "1 x 60,000": (png(1, 60_000, 8, 0), "1 x 60,000 pixels: at most 64 times"),
    "60,000 x 1": (png(60_000, 1, 8, 0), "60,000 x 1 pixels: at most 64 times"),
    "256 million pixels": (png(16_000, 16_000, 8, 2, n_row=1), "256.0 million pixels, and at most 24 million"),
    "24 million and one row": (png(6_000, 4_001, 8, 2, n_row=1), "24.0 million pixels"),
    "webp that says it is huge": (
        b"RIFF\x60\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\xfe\x3f\0\xfe\x3f\0" + bytes(80),
        "268.4 million pixels, and at most 10",
    ),
    "gif that says it is huge": (b"GIF89a\xff\xff\xff\xff\0\0\0" + bytes(30), ""),
    "bmp that says it is huge": (
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 99, 0, 0, 54, 40, 30_000, 30_000, 1, 24, 0, 0, 0, 0, 0, 0),
        "900.0 million",
    ),
    "text that unpacks to 40 MB": (
        png(60, 60, 8, 0, extra=chunk(b"zTXt", b"Comment\0\0" + ZEROS)),
        "notes beside the picture",
    ),
    "other text that unpacks": (png(60, 60, 8, 0, extra=chunk(b"iTXt", b"C\0\1\0\0\0" + ZEROS)), "notes beside"),
    "profile that unpacks": (png(60, 60, 8, 0, extra=chunk(b"iCCP", b"x\0\0" + ZEROS)), "notes beside"),
    "width 0": (png(0, 60, 8, 0), ""),
    "wrong sum": (encoded(PLAIN, "PNG")[:30] + b"\xff" + encoded(PLAIN, "PNG")[31:], "is damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_in_plain_words(name: str) -> None:
    data, words = REFUSED[name]
    with pytest.raises(PictureRefused) as refusal:
        open_picture(data, f"{name}.png")
    said = str(refusal.value)
    assert words in said and said.startswith(f"“{name}.png”"), said
    assert "Error" not in said and "0x" not in said and not said.endswith(".")


@pytest.mark.parametrize("name", FILES)
def test_broken_off_at_every_sixteenth(name: str) -> None:
    data = FILES[name][0]
    for part in range(1, 16):
        with suppress(PictureRefused):
            assert pixels_of(data[: len(data) * part // 16], name).ndim == 3


MEASURE = """
import json, sys, time, warnings
warnings.simplefilter("error")
import PIL.Image
from core.data.images.picture_file import open_picture
from core.data.images.picture_file import PictureRefused

def peak():  # of this program; what getrusage gives begins with that of the program that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

with open(sys.argv[1], "rb") as file:
    data = file.read()
open_picture(b"P5 20 20 255 " + bytes(400))  # loads Pillow
before = peak()
start = time.process_time()
try:
    said = list(open_picture(data).pixels.shape)
except PictureRefused as refusal:
    said = str(refusal)
after = peak()
print(json.dumps([said, time.process_time() - start, (after - before) / 1024]))
"""


LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")


def measured(data: bytes, folder: Path) -> tuple[Any, float, float]:
    """(what came of it, seconds of processor time, megabytes of memory on top) in a process of its own."""
    (folder / "file").write_bytes(data)
    command = [sys.executable, "-c", MEASURE, str(folder / "file")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    said, seconds, megabytes = json.loads(done.stdout)
    return said, seconds, megabytes


@LINUX
def test_a_picture_of_256_million_pixels_costs_nothing(tmp_path: Path) -> None:
    said, seconds, megabytes = measured(png(16_000, 16_000, 1, 0), tmp_path)
    assert "256.0 million pixels" in said and (seconds < 0.5 or not IS_FULL) and megabytes < 20


@pytest.mark.full
@LINUX
def test_the_largest_take_less_than_2_seconds_and_200_megabytes(tmp_path: Path) -> None:
    """The two that take most; benchmarks/picture_file.py measures the other kinds."""
    y, x = np.mgrid[:3000, :3333]
    smooth = Image.fromarray(np.stack([y // 16, x // 24, (y + x) // 40], -1).astype(np.uint8))
    webp = encoded(smooth, "WEBP", lossless=True, quality=0, method=0)
    for data in (png(6_000, MAX_PIXELS // 6_000, 8, 6), webp):
        said, seconds, megabytes = measured(data, tmp_path)
        assert max(said) == 1_024 and seconds < 2 and megabytes < 200, (said, seconds, megabytes)
