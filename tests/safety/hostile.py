"""What hostile visitors send: one set for every surface of the app (the map of tests is README.md beside this file).

`TEXTS` are typed, `FILES` are uploaded or lie where a file is expected, `NAMES` stand where a name becomes part of a
path, `VALUES` stand where a number, a choice or an address's parameter is expected, and `PAYLOADS` try to run as a
script, to load something from elsewhere, or to leave the place where they are shown.
"""

import gzip
import io
import random
import struct
import zipfile
import zlib
from collections.abc import Mapping

RANDOM = random.Random(0)
CANARY = "canary.example"  # nobody may ever be asked for anything there

TEXTS: Mapping[str, str] = {
    "empty": "",
    "one letter": "a",
    "one space": " ",
    "only spaces": " " * 500,
    "only line ends": "\n" * 200,
    "tabs": "\t" * 100,
    "carriage returns": "a\r\nb\rc\n\r\r\n",
    "vertical tab and form feed": "a\x0bb\x0cc",
    "no-break and thin spaces": "a\u00a0b\u2009c\u3000d",
    "line separators": "a\u2028b\u2029c\x85d",
    "BOM": "\ufeffAnna had a ball",
    "UTF-16 read as Latin": "A\x00n\x00n\x00a\x00",
    "lone high surrogate": "Anna \ud83d had",
    "lone low surrogate": "Anna \udc00 had",
    "surrogates the wrong way round": "\udc00\ud83d",
    "NUL": "Anna\x00had",
    "only NUL": "\x00" * 50,
    "every control character": "".join(map(chr, range(32))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0))),
    "invalid UTF-8 replaced": b"Anna \xff\xfe had".decode("utf-8", "replace"),
    "right-to-left override": "\u202eAnna had a ball\u202c",
    "all directions": "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069",
    "Arabic and Hebrew": "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd",
    "a thousand combining marks": "a" + "\u0301" * 1000,
    "zalgo": "".join(c + "\u0321\u0489\u035c" * 8 for c in "Anna had a ball"),
    "seventy emoji": "\U0001f600" * 70,
    "family with joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
    "flags and skin tones": "\U0001f1e9\U0001f1ea\U0001f44d\U0001f3fd" * 20,
    "NFC twin": "caf\u00e9",
    "NFD twin": "cafe\u0301",
    "zero-width characters": "A\u200bn\u200cn\u200da\u2060 had\ufeff",
    "private use": "\ue000\uf8ff\U000f0000",
    "unassigned and non-characters": "\uffff\ufffe\U0010ffff",
    "the unknown token itself": "\ufffd" * 40,
    "the visible space and line end": "\u2423\u21b5\u00b7",
    "Chinese": "\u5f20\u4e09\u6709\u4e00\u4e2a\u7403" * 30,
    "only unknown words": "zeppelin xylophone quasar " * 30,
    "a megabyte in one line": "Anna had a ball. " * 62_500,
    "a word of a million letters": "a" * 1_000_000,
    "a million digits": "9" * 1_000_000,
    "a hundred thousand line ends": "a\n" * 100_000,
    "a million random characters": "".join(map(chr, RANDOM.choices(range(1, 0xD800), k=1_000_000))),
    "punctuation only": "!?.,;:" * 100,
    "quotes": "\"'`\u201c\u201d\u2018\u2019" * 40,
    "HTML with a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "SVG with a script": "<svg onload=alert(1)>",
    "an iframe": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "Markdown image": "![x](http://canary.example/a.png)",
    "Markdown link with script": "[a](javascript:alert(1))",
    "Markdown table, heading and rule": "# a\n\n| a | b |\n|---|---|\n\n---\n> q",
    "Streamlit directives": ":red[a] :material/home: :blue-badge[b] :smile:",
    "LaTeX": "$\\frac{1}{0}$ $$\\def\\x{\\x\\x}\\x$$ \\input{/etc/passwd}",
    "templates": "{{7*7}} ${7*7} #{7*7} %s %n {0} {looked}",
    "formula cells": "=cmd|'/c calc'!A1\t+1\t-1\t@SUM(A1)",
    "SQL": "'; DROP TABLE runs; --",
    "shell": "$(rm -rf /) `id` && ls | cat ; exit",
    "paths": "../../../../etc/passwd C:\\Windows\\system32 \\\\server\\share",
    "prototype pollution": '{"__proto__": {"x": 1}, "constructor": 1}',
    "JSON nested deep": "[" * 5_000,
    "regular expression bait": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" * 30 + "(a+)+$",
    "numbers that are none": "nan inf -inf 1e309 -0 0x10 1_000",
    "query string": "&text=other&layer=99&row=x#fragment?a=b%00%ff",
    "the separators of our keys": "0,1,2 : . 1.2.3:0.5,0.5",
}


def as_bytes(text: str) -> bytes:
    """The text as a file of UTF-8, with lone surrogates written as some programs write them."""
    return text.encode("utf-8", "surrogatepass")


def png(width: int, height: int, rows: bytes = b"") -> bytes:
    """A PNG that claims this size, whatever its rows are."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def zip_of(name: str, data: bytes) -> bytes:
    """A zip file with one entry."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def safetensors(header: bytes, data: bytes = b"") -> bytes:
    """A safetensors file with this header."""
    return struct.pack("<Q", len(header)) + header + data


_ENGLISH = "The quick brown fox jumps over the lazy dog, and the dog does not mind. " * 10
_MIXED = ("Grüße, 漢字, 😀 and more of it. " * 100).encode("utf-16")
_YAML_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
_FRONT = "---\ntitle: t\nabout: a\nminutes: 10\ntrains: t\n---\n## Step\n"
# Opening this one with pickle would write a file named "exploded".
_PICKLE = b"cbuiltins\nopen\n(S'exploded'\nS'w'\ntR."

FILES: Mapping[str, bytes] = {
    **{f"text: {name}": as_bytes(text) for name, text in TEXTS.items()},
    "empty": b"",
    "one byte": b"a",
    "one odd byte": b"\xff",
    "UTF-8 with mark": b"\xef\xbb\xbf" + _ENGLISH.encode(),
    "two marks": b"\xef\xbb\xbf" * 2 + _ENGLISH.encode(),
    "UTF-16 with mark": _ENGLISH.encode("utf-16"),
    "UTF-16 without mark": _ENGLISH.encode("utf-16-le"),
    "UTF-32": _ENGLISH.encode("utf-32"),
    "invalid UTF-8": _ENGLISH.encode() + b"\xff\xfe\xfa",
    "overlong UTF-8": _ENGLISH.encode() + b"\xc0\xaf" * 3,
    "Windows-1252": ("Müller, café – “naïve” € " * 40).encode("cp1252"),
    "Shift-JIS": ("これは日本語の文章です。" * 80).encode("shift_jis"),
    "NULs": b"\0" * 10_000,
    "control characters": bytes(range(1, 9)) * 500,
    "random bytes": RANDOM.randbytes(20_000),
    "two million bytes in one line": b"ab cd " * 350_000,
    "mixed line ends": b"a\r\nb\rc\n\r\n\r\r" * 200,
    "a picture of one pixel": png(1, 1, b"\0\0"),
    "a picture of 256 million pixels": png(16_000, 16_000, b"\0" * 1000),
    "a picture 1 by 60,000": png(1, 60_000, b"\0" * 120_000),
    "a picture without rows": png(8, 8),
    "a picture that is also HTML": png(8, 8, b"\0" * 16) + b"<script>alert(1)</script>" * 50,
    "a picture that is also a zip": png(8, 8, b"\0" * 16) + zip_of("a.txt", b"a"),
    "an SVG with a script": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "an SVG of entities": b'<!DOCTYPE s [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;">]><svg>&b;</svg>',
    "an XML that reads a file": b'<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg>&a;</svg>',
    "a GIF": b"GIF89a" + RANDOM.randbytes(2000),
    "a JPEG": b"\xff\xd8\xff\xe0" + RANDOM.randbytes(2000),
    "a WebP": b"RIFF\xff\xff\xff\xffWEBPVP8 " + RANDOM.randbytes(500),
    "a TIFF": b"II*\0" + RANDOM.randbytes(2000),
    "a BMP of a huge size": b"BM"
    + struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 2**30, 2**30, 1, 24, 0, 0, 0, 0, 0, 0),
    "a PDF": b"%PDF-1.7\n" + RANDOM.randbytes(2000),
    "a zip": zip_of("a.txt", b"hello"),
    "a zip bomb": zip_of("a.txt", b"0" * 5_000_000),
    "a zip that climbs": zip_of("../../etc/passwd", b"x"),
    "a gzip bomb": gzip.compress(b"0" * 5_000_000),
    "a program": b"\x7fELF" + RANDOM.randbytes(2000),
    "a database": b"SQLite format 3\0" + b"\0" * 4000,
    "a pickle": b"\x80\x04\x95" + RANDOM.randbytes(2000),
    "a pickle that runs": _PICKLE,
    "a zip of a pickle that runs": zip_of("archive/data.pkl", _PICKLE),
    "safetensors without tensors": safetensors(b"{}"),
    "safetensors with a header of 2^63 bytes": struct.pack("<Q", 2**63) + b"{}",
    "safetensors with a header of 1e12 bytes": struct.pack("<Q", 10**12) + b"{}",
    "safetensors nested 100,000 deep": safetensors(b"[" * 100_000),
    "safetensors with overlapping tensors": safetensors(
        b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}',
        b"\0" * 12,
    ),
    "safetensors outside of the file": safetensors(
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[1000000000,1000000004]}}', b"\0" * 4
    ),
    "safetensors of an unknown type": safetensors(
        b'{"a":{"dtype":"F1337","shape":[1],"data_offsets":[0,4]}}', b"\0" * 4
    ),
    "safetensors of 20,000 empty tensors": safetensors(
        (
            "{" + ",".join(f'"e{i}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}' for i in range(20_000)) + "}"
        ).encode()
    ),
    "JSON of a huge number": b'{"kind":"gpt","vocab_size":' + b"9" * 5000 + b"}",
    "JSON of NaN": b'{"kind":"gpt","vocab_size":NaN}',
    "JSON with a name twice": b'{"kind":"gpt","kind":"bert"}',
    "JSON nested 100,000 deep": b'{"a":' * 100_000,
    "JSON of a list": b"[1, 2]",
    "JSON of remote code": b'{"auto_map": {"AutoModel": "code.Model"}, "trust_remote_code": true}',
    "merges of one letter": b"#version: 0.2\n" + b"a a\n" * 50_000,
    "10,000 columns": b",".join([b"a"] * 10_000) + b"\n",
    "the same column twice": b"a,a\n1,2\n",
    "a YAML bomb": f"---\n{_YAML_BOMB}---\n## Step\n".encode(),
    "a YAML object of Python": b"---\ntitle: !!python/object/apply:os.system [id]\n---\n## Step\n",
    "a lesson of a head alone": b"---\ntitle: t\n---\n",
    "a lesson of no head": b"## Step\nwords\n",
    "a lesson of 100,000 steps": (_FRONT + "## Step\na\n" * 100_000).encode(),
    "a lesson with an unknown exhibit": (_FRONT + "```exhibit ../../etc/passwd\n```\n").encode(),
    "a lesson that shows other code": (_FRONT + "```code os:system\n```\n").encode(),
    "a lesson with a condition that runs": (
        _FRONT + "```do\nsay: x\nwhen: __import__('os').system('id')\n```\n"
    ).encode(),
    "a lesson of an odd number": (
        _FRONT + "```predict\nask: x\nnumber: {low: .nan, high: .inf}\nright: 1\n```\n"
    ).encode(),
    "a lesson of 1,000 options": (
        _FRONT + "```check\nask: x\noptions: {" + ", ".join(f"a{i}: b" for i in range(1000)) + "}\nright: a1\n```\n"
    ).encode(),
    "a lesson with a control character": (_FRONT + "```check\nask: x\x01\n```\n").encode(),
    "a lesson of deep lists": (_FRONT + "> " * 20_000 + "a\n").encode(),
    "a lesson of open brackets": (_FRONT + "[" * 50_000 + "\n").encode(),
    **{f"cut at {n} sixteenths": _MIXED[: len(_MIXED) * n // 16] for n in range(1, 16)},
}

VALUES = (
    "",
    " ",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "Infinity",
    "1e309",
    "-1e309",
    "1e308",
    "-0",
    "-0.0",
    "1e-400",
    "0x10",
    "1_000",
    "٣",
    "½",
    "１",
    "1,5",
    "1.5.5",
    "--1",
    "+1",
    "1e9",
    "999999999",
    "-999999999",
    "2147483648",
    "9223372036854775808",
    "9" * 4301,
    "true",
    "True",
    "none",
    "null",
    "undefined",
    "[object Object]",
    "[]",
    "{}",
    "0;1",
    "1 or 1=1",
    "a" * 5000,
    "\x00",
    "\ufffd",
    "\u202e1",
    "😀" * 70,
    "a" + "\u0301" * 1000,
    "../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "C:\\Windows",
    "\\\\server\\share",
    "<script>alert(1)</script>",
    "![x](http://canary.example/x.png)",
    "$\\frac{1}{0}$",
    ":red[a]",
    "{{7*7}}",
    "%s%n",
    "'; DROP TABLE runs; --",
    "$(id)",
    "__proto__",
    "constructor",
    "lock",
    "hide",
    "seed,seed,seed",
    ",".join(["seed"] * 1000),
    "&lock=seed",
    "?",
    "#",
    "%",
    "%00",
    "%ff",
    "\r\nSet-Cookie: a=b",
)

_PARTS = (
    "..",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "CON",
    "nul.txt",
    "COM1",
    "COM¹",
    "LPT9.md",
    "aux.",
    "a.",
    "a ",
    " a",
    ".a",
    "~",
    "~root",
    "$HOME",
    "%TEMP%",
    "a:b",
    "a*b",
    "a?b",
    'a"b',
    "a<b",
    "a|b",
    "a\0b",
    "a\nb",
    "a\rb",
    "a\tb",
    "\u202ea",
    "\u2028a",
    "é",
    "e\u0301",
    "ß",
    "SS",
    "İ",
    "a" * 300,
    "漢" * 300,
    "😀" * 100,
    "-rf",
    "--help",
    "",
    ".",
    "..",
    "...",
    "//",
    "\\\\server\\share",
    "\\\\?\\C:\\a",
    "C:",
    "C:a",
    "file:///etc/passwd",
    "http://canary.example/",
)
# Names that want to be paths: each part alone, climbing, ending in what is expected, and repeated.
NAMES = tuple(
    dict.fromkeys(
        made
        for part in _PARTS
        for made in (part, f"../{part}", f"..\\{part}", f"{part}.txt", f"x/../../{part}.safetensors", part * 3)
    )
)[:260]

_RUN = "window.caught=1"
PAYLOADS = (
    f"<script>{_RUN}</script>",
    f"<ScRiPt>{_RUN}</sCrIpT>",
    f"<img src=x onerror={_RUN}>",
    f"<svg onload={_RUN}>",
    f"<svg><script>{_RUN}</script></svg>",
    f"<body onload={_RUN}>",
    "<iframe srcdoc='<script>parent.caught=1</script>'>",
    f"<iframe src=javascript:{_RUN}>",
    f"<a href=javascript:{_RUN}>a</a>",
    f"[a](javascript:{_RUN})",
    f"[a](JaVaScRiPt:{_RUN})",
    f"[a](data:text/html,<script>{_RUN}</script>)",
    f"<details open ontoggle={_RUN}>",
    f"<input autofocus onfocus={_RUN}>",
    f"<video><source onerror={_RUN}></video>",
    f"<math><mtext><img src=x onerror={_RUN}></mtext></math>",
    f"<object data=javascript:{_RUN}>",
    f"<embed src=javascript:{_RUN}>",
    f"<form><button formaction=javascript:{_RUN}>x",
    f'"><img src=x onerror={_RUN}>',
    f"'><img src=x onerror={_RUN}>",
    f"</title><script>{_RUN}</script>",
    f"</textarea><script>{_RUN}</script>",
    f"</script><script>{_RUN}</script>",
    f"--><script>{_RUN}</script>",
    f"]]><script>{_RUN}</script>",
    f"${{{_RUN}}}",
    f"{{{{constructor.constructor('{_RUN}')()}}}}",
    f"';{_RUN}//",
    f'";{_RUN}//',
    f"\\';{_RUN}//",
    f"`;{_RUN}//",
    f"<img src=`x` onerror={_RUN}>",
    f"<style>*{{background:url(http://{CANARY}/s)}}</style>",
    f"<link rel=stylesheet href=http://{CANARY}/l>",
    f"<base href=http://{CANARY}/>",
    f"<meta http-equiv=refresh content='0;url=http://{CANARY}/m'>",
    f"![x](http://{CANARY}/i.png)",
    f"![x](//{CANARY}/i.png)",
    f"![x][r]\n\n[r]: http://{CANARY}/r.png",
    f"<img src=http://{CANARY}/h.png>",
    f"<img srcset='http://{CANARY}/h2.png 1x'>",
    f"<audio src=http://{CANARY}/a autoplay>",
    f"<picture><source srcset=http://{CANARY}/p></picture>",
    f"<svg><image href=http://{CANARY}/v.png /></svg>",
    f"<svg><use href=http://{CANARY}/v.svg#a /></svg>",
    f"<table background=http://{CANARY}/t>",
    f"$\\includegraphics{{http://{CANARY}/x.png}}$",
    f"$\\href{{javascript:{_RUN}}}{{x}}$",
    f"$\\url{{http://{CANARY}/u}}$",
    f"$$\\htmlData{{a={_RUN}}}{{x}}$$",
    "$\\def\\x{\\x\\x}\\x$",
    ":red[x] :material/home: :blue-badge[x]",
    f"<div style='position:fixed;inset:0;background:url(http://{CANARY}/d)'>x</div>",
    "</div></div></div><h1>out</h1>",
    f"<template shadowrootmode=open><img src=x onerror={_RUN}></template>",
    f"<noscript><img src=x onerror={_RUN}></noscript>",
    f"\u202e<script>{_RUN}</script>",
    f"<\0script>{_RUN}</script>",
    f"<img/src=x/onerror={_RUN}>",
    f"datum.x;{_RUN}",
    f"<a href='http://{CANARY}/' ping='http://{CANARY}/p'>a</a>",
    # Inside a formula's text: what one parser takes for a comment, and a browser doesn't.
    f"$$\\text{{<!--><script>{_RUN}</script>-->}}$$",
    f"$$\\text{{<!--a--!><img src=x onerror={_RUN}>-->}}$$",
    f"$$\\text{{<![CDATA[><img src=x onerror={_RUN}>]]>}}$$",
    f"$$\\text{{</mtext></math><img src=x onerror={_RUN}>}}$$",
    '$\\text{<!--><iframe/srcdoc="<script/src=&quot;data:text/javascript,parent.caught=1&quot;></script>"></iframe>-->}$',
    f"$\\text{{&#x3C;img src=x onerror={_RUN}&#x3E;}}$",
)
