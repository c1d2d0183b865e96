"""The cost of the largest uploadable pictures: seconds and memory, each in a process of its own.

python -m benchmarks.picture_file
"""

import io
import json
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
MEASURE = """
import json, sys, time
import PIL.Image
from core.data.images.picture_file import open_picture
from core.data.images.picture_file import PictureRefused

def peak():  # of this program; what getrusage gives begins with that of the program that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

with open(sys.argv[1], "rb") as file:
    data = file.read()
open_picture(b"P5 20 20 255 " + bytes(400))
before, start = peak(), time.process_time()
try:
    said = "x".join(map(str, open_picture(data).pixels.shape))
except PictureRefused as refusal:
    said = str(refusal)[:60]
after = peak()
print(json.dumps([said, time.process_time() - start, (after - before) / 1024]))
"""


def png(width: int, height: int, bits: int, color: int) -> bytes:
    """Make a PNG of any size with equal rows."""
    n_channel = {0: 1, 2: 3, 6: 4}[color]
    row = b"\0" + (bytes([70, 99, 3, 200]) * (width * n_channel * bits // 32 + 1))[: width * n_channel * bits // 8]
    pack = zlib.compressobj(1)
    body = b"".join(pack.compress(row) for _ in range(height)) + pack.flush()

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def smooth(width: int, height: int, mode: str = "RGB") -> Image.Image:
    y, x = np.mgrid[:height, :width]
    return Image.fromarray(np.stack([y // 16, x // 24, (y + x) // 40], -1).astype(np.uint8)).convert(mode)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "PNG, 256 MP, 24 bits": lambda: png(16_000, 16_000, 8, 2),
    "PNG, 24 MP, 64 bits": lambda: png(6_000, 4_000, 16, 6),
    "PNG, 24 MP, 16 bits gray": lambda: png(6_000, 4_000, 16, 0),
    "JPEG, 24 MP, progressive": lambda: encoded(smooth(6_000, 4_000), "JPEG", progressive=True, subsampling=0),
    "JPEG, 16 MP, CMYK": lambda: encoded(smooth(4_000, 4_000, "CMYK"), "JPEG", progressive=True),
    "GIF, 24 MP": lambda: encoded(smooth(6_000, 4_000, "P"), "GIF"),
    "WebP, 10 MP, lossless": lambda: encoded(smooth(3_333, 3_000), "WEBP", lossless=True, quality=0, method=0),
    "AVIF, 16 MP": lambda: encoded(smooth(4_000, 4_000), "AVIF", speed=10),
    "TIFF, 12 MP, floats in one strip": lambda: encoded(
        smooth(4_000, 3_000, "F"), "TIFF", compression="tiff_deflate", strip_size=2**30
    ),
}


def main() -> None:
    """Print one line for each file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for name, make in FILES.items():
            path.write_bytes(make())
            command = [sys.executable, "-c", MEASURE, str(path)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            said, seconds, megabytes = json.loads(done.stdout)
            size = path.stat().st_size / 2**20
            print(f"{name:34} file {size:5.2f} MB  {seconds:5.2f} s of CPU  +{megabytes:4.0f} MB  {said}", flush=True)


if __name__ == "__main__":
    main()
