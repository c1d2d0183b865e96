"""What kind of picture a file is, by its first bytes; its name is not asked."""

from collections.abc import Mapping
from types import MappingProxyType

READS = "PNG, JPEG, GIF, WebP, AVIF, BMP, TIFF and PPM"
_MAGIC: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        "PNG": (b"\x89PNG\r\n\x1a\n",),
        "JPEG": (b"\xff\xd8\xff",),
        "GIF": (b"GIF87a", b"GIF89a"),
        "BMP": (b"BM",),
        "TIFF": (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
        "PPM": tuple(b"P%d%c" % (kind, space) for kind in range(1, 7) for space in b" \t\r\n"),
    }
)
# What people try, and how it can be brought.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "a PDF document, not a picture: open it, take a screenshot, and upload that"),
    (b"%!PS", "a PostScript drawing, which is a program: save it as PNG"),
    (b"\xc5\xd0\xd3\xc6", "a PostScript drawing, which is a program: save it as PNG"),
    (b"8BPS", "a Photoshop file: export it as PNG or JPEG"),
    (b"\0\0\1\0", "an icon file, which holds one picture in many sizes: save it as PNG"),
    (b"icns", "an icon file, which holds one picture in many sizes: save it as PNG"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 picture: save it as PNG or JPEG"),
    (b"\xff\x4f\xff\x51", "a JPEG 2000 picture: save it as PNG or JPEG"),
    (b"PK\3\4", "a ZIP archive or an office document: upload the picture itself"),
    (b"\x1f\x8b", "compressed with gzip: unpack it first"),
)


class PictureRefused(ValueError):
    """The file cannot be used; the message says why in plain words."""


def kind_of(data: bytes, called: str) -> str:
    """Which reader the first bytes ask for: "PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF" or "PPM".

    Raises PictureRefused if it is something else, with what it is and how it can be brought, where that can be told;
    messages name the file as it is `called`.
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
            raise PictureRefused(f"{called} is a HEIC picture, as some phones make them: save or send it as JPEG")
        raise PictureRefused(f"{called} is a video, not a picture: take a still from it")
    for start, words in _OTHERS:
        if data.startswith(start):
            raise PictureRefused(f"{called} is {words}")
    head = data[:4096]
    if b"<svg" in head.lower() or "<svg".encode("utf-16-le") in head:
        raise PictureRefused(f"{called} is a drawing in text (SVG), not pixels: save it as PNG")
    if not set(head) & set(range(9)) and _is_text(head):
        raise PictureRefused(f"{called} holds text, not a picture, whatever its name says. Pictures are {READS}")
    raise PictureRefused(f"{called} isn't a picture that can be read here. Pictures are {READS}")


def _is_text(head: bytes) -> bool:
    try:
        head[:-4].decode() if len(head) > 4 else head.decode()
    except UnicodeDecodeError:
        return False
    return True


def webp_size(data: bytes) -> tuple[int, int]:
    """(width, height) as the header of a WebP file tells it; (1, 1) where it tells nothing and its reader will fail."""
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
