"""Mutations of files: of bytes, and of the elements of a format."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]

NUMBERS = (
    *(b"0 -0 -0.0 1 -1 1e-9 1e-308 5e-324 1e308 -1e308 1e999 1.0e+308 1.0e-9 1e30 65536".split()),
    *(b".nan nan NaN .inf inf -.inf Infinity 0x10 0b1 1_000 1,5 1:30:00 4294967296".split()),
    *(b"-9223372036854775809 18446744073709551616".split()),
    b"9" * 40,
    b"9" * 400,
    b"1" + b"0" * 5000,
    b"0." + b"3" * 5000,
)
WORDS = (
    *(b"true yes off null ~ 2026-99-99 2026-01-31 0000-00-00 ../../evil /etc/hostname".split()),
    *(b"&a *a <<: - : ? | > [ ] { } , # % @ ` ! !! --- ... << = \" '".split()),
    *(b"!!python/object/apply:os.getcwd !!binary !!timestamp !!set !!omap !!int !!float".split()),
    *(b"< > </ /> & &amp; &a; <!-- --> <![CDATA[ ]]> <?xml <mimic <link <joint".split()),
    *(b"floating planar fixed prismatic continuous package:// file:///".split()),
    b"[" * 60,
    b"{a: " * 60,
    b"<a>" * 60,
    b"- " * 60,
    b"a" * 5000,
    b"&a [*a]",
    b"&a [x, x]\nb: [*a, *a]\n",
    b'<!DOCTYPE r [<!ENTITY a "aaaa">]>',
    "é🤖\u2028\u200f".encode(),
    b"\\x1b[31m",
    b"\x1b[31m",
    b"\xff",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\r",
    b"\n",
    b"\t",
    b"",
)
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w./-]*")
_LEVEL = re.compile(rb"(?m)^ *(?=\S)")


def mutated(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Return data changed in one to eight places.

    Args:
        data: of a good file.
        random: source of all choices.
        others: good files of the same format, of which parts are taken.
    """
    if data.startswith(b"PK") and random.random() < 0.7:
        return _member_mutated(data, random, others)
    choice = _TEXT if _is_text(data) else _BINARY
    for _ in range(random.choice((1, 1, 1, 2, 3, 5, 8))):
        data = random.choice(choice)(data, random, others)
    return data


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:200]


def _at(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _span(data: bytes, random: Random, longest: int = 60) -> tuple[int, int]:
    start = _at(data, random)
    return start, min(len(data), start + random.randrange(1, longest))


def _flip(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return b"\0"
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def _set_byte(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    at = _at(data, random)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def _drop(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, random)
    return data[:start] + data[stop:]


def _repeat(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    start, stop = _span(data, random, 300)
    return data[:stop] + data[start:stop] * random.choice((1, 2, 50)) + data[stop:]


def _cut(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    return data[: _at(data, random)]


def _splice(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    other = random.choice(others)
    start, stop = _span(other, random, 500)
    at = _at(data, random)
    return data[:at] + other[start:stop] + data[at + random.choice((0, stop - start)) :]


def _integer(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    """Put an extreme length, offset or count."""
    kind = random.choice("BHIQ")
    size = struct.calcsize(kind)
    value = random.choice((0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), 2 ** (4 * size)))
    at = _at(data, random)
    return data[:at] + struct.pack(f"<{kind}", value) + data[at + size :]


def _double(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    value = random.choice((float("nan"), float("inf"), 1e308, -1e308, 5e-324, -0.0))
    at = _at(data, random) // 8 * 8 + random.choice((0, 4))
    return data[:at] + struct.pack("<d", value) + data[at + 8 :]


def _number(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    return _replaced(data, _NUMBER, random.choice(NUMBERS), random)


def _word(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    """Put another word of the file, or one of the grammar, for a word."""
    own = _WORD.findall(data)
    new = random.choice(own) if own and random.random() < 0.5 else random.choice(WORDS + NUMBERS)
    return _replaced(data, _WORD, new, random)


def _insert(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    at = _at(data, random)
    return data[:at] + random.choice(WORDS + NUMBERS) + data[at:]


def _replaced(data: bytes, what: re.Pattern[bytes], new: bytes, random: Random) -> bytes:
    found = list(what.finditer(data))
    if not found:
        return data + new
    one = random.choice(found)
    return data[: one.start()] + new + data[one.end() :]


def _lines(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    """Omit, repeat or exchange lines."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(3)
    if kind == 0:
        del lines[a]
    elif kind == 1:
        lines.insert(b, lines[a])
    else:
        lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def _indent(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    found = list(_LEVEL.finditer(data))
    if not found:
        return data
    one = random.choice(found)
    return data[: one.start()] + b" " * random.randrange(9) + data[one.end() :]


def _wrap(data: bytes, random: Random, _: Sequence[bytes]) -> bytes:
    """Make a list or group of a part."""
    start, stop = _span(data, random)
    left, right = random.choice(((b"[", b"]"), (b"{a: ", b"}"), (b"'", b"'"), (b"<a>", b"</a>")))
    return data[:start] + left + data[start:stop] + right + data[stop:]


_BINARY: tuple[Mutation, ...] = (
    *(_flip, _flip, _set_byte, _drop, _repeat, _cut, _splice),
    *(_integer, _integer, _double),
)
_TEXT: tuple[Mutation, ...] = (
    *(_flip, _set_byte, _drop, _repeat, _cut, _splice),
    *(_number, _number, _number, _word, _word, _word, _insert, _insert, _lines, _lines),
    *(_indent, _wrap),
)


def _member_mutated(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Change a member of an archive, and pack it again with a correct checksum."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
    except zipfile.BadZipFile:
        return _flip(data, random, others)
    name = random.choice(list(members))
    head, body = members[name][:128], members[name][128:]
    choice = random.choice((_number, _word, _flip, _cut, _insert))
    if random.random() < 0.5:
        head = choice(head, random, others)
    else:
        body = random.choice((_flip, _double, _cut, _drop))(body, random, others)
    members[name] = head + body
    if random.random() < 0.1:
        members.pop(random.choice(list(members)))
    packed = io.BytesIO()
    kind = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    return packed.getvalue()
