"""Damage that keeps the outer form of a file: checksums, lengths and archives fit."""

import gzip
import io
import json
import re
import struct
import zipfile
import zlib

#: Values where a file has a number or a word.
NUMBERS = (b"0", b"-1", b"7", b"255", b"65536", b"2147483647", b"4294967296", b"1e999")
WORDS = (
    b"", b"nan", b"NULL", b"\xe9\xff", b"\0", b'"', b"\r", b"\xef\xbb\xbf", b"'",
    b"9" * 400, b"x" * 70_000, "\u202e漢".encode(), b"\t,;", b"=1+1", b"../../etc",
    b"[" * 3000,
)  # fmt: skip
ODD = (
    None, True, -1, 0, 2**31, 2**62, 1e308, "", "\ud800", [], {}, [[]], "pickle",
    [2**40] * 9,
)  # fmt: skip


def mutate(content, rng):
    """Damage bytes in one of seven ways; the same generator, the same damage."""
    data = bytearray(content or b"\0")
    at = int(rng.integers(len(data)))
    size = len(data[at : at + 40])
    pieces = {  # in the place of how many bytes
        "cut": (len(data) - at, b""),
        "a hole of zeros": (size, bytes(size)),
        "large numbers": (min(8, size), b"\xff" * min(8, size)),
        "a piece twice": (0, data[at // 2 : at // 2 + int(rng.integers(1, 200))]),
        "a piece lost": (int(rng.integers(1, 60)), b""),
        "noise": (min(16, size), rng.bytes(min(16, size))),
    }
    way = _one(rng, ["bits", *pieces])
    if way == "bits":
        for i in rng.integers(len(data), size=int(rng.integers(1, 9))):
            data[i] ^= 1 << int(rng.integers(8))
    else:
        lost, new = pieces[way]
        data[at : at + lost] = new
    return bytes(data)


def restructure(name, content, rng):
    """Damage a file within its format, which its name says."""
    for pattern, damage in FORMATS.items():
        if re.search(pattern, name):
            return damage(content, rng)
    return mutate(content, rng)


def _one(rng, options):
    return options[int(rng.integers(len(options)))]


def hdf5(content, rng):
    """Zero a page, exchange pages, or bend an address or the start of a structure."""
    data = bytearray(content)
    pages = range(0, len(data) - 511, 512)
    starts = [
        m.start() for m in re.finditer(rb"TREE|SNOD|HEAP|GCOL|OHDR|\x89HDF", data)
    ]
    # an undefined address is all ones; the others are within the file
    addresses = [
        i
        for i in range(0, len(data) - 8, 8)
        if 0 < int.from_bytes(data[i : i + 8], "little") < len(data)
    ]
    way = rng.integers(5)
    if way == 0:
        at = _one(rng, pages)
        data[at : at + 512 * int(rng.integers(1, 4))] = bytes(512)
    elif way == 1:
        here, there = _one(rng, pages), _one(rng, pages)
        data[here : here + 512] = data[there : there + 512]
    elif way == 2:
        at = _one(rng, starts) + 4 + int(rng.integers(60))
        data[at : at + 4] = rng.bytes(4)
    elif way == 3:
        here, there = _one(rng, addresses), _one(rng, addresses)
        data[here : here + 8] = data[there : there + 8]
    else:
        at = _one(rng, addresses)
        data[at : at + 8] = struct.pack("<Q", 1 << int(rng.integers(64)))
    return bytes(data)


def parquet(content, rng):
    """Damage the footer and keep its length right, or the head of a page."""
    size = int.from_bytes(content[-8:-4], "little")
    pages, footer = content[: -8 - size], content[-8 - size : -8]
    if rng.random() < 0.3:
        at = int(rng.integers(len(pages)))
        pages = pages[:at] + mutate(pages[at : at + 60], rng) + pages[at + 60 :]
    else:
        footer = mutate(footer, rng)
    return pages + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def arrow(content, rng):
    """Damage the description of a message, whose length follows four bytes of ones."""
    starts = [m.end() for m in re.finditer(rb"\xff{4}(?=..\0\0)", content, re.DOTALL)]
    data = bytearray(content)
    at = _one(rng, [*starts, len(data) - 400])
    at = max(0, at) + int(rng.integers(300))
    size = int(rng.integers(1, 5))
    data[at : at + size] = _one(rng, [bytes(size), b"\xff" * size, rng.bytes(size)])
    return bytes(data[: len(content)])


def archive(content, rng):
    """Damage one member and pack it again: its checksum fits."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        members = {one: packed.read(one) for one in packed.namelist()}
    name = _one(rng, sorted(members))
    kind = text if name.endswith((".xml", ".rels")) else array
    members[name] = kind(members[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for one, value in members.items():
            packed.writestr(one, value)
    return out.getvalue()


def array(content, rng):
    """Change the header of an .npy file: bits of it, or a number or a type in it."""
    head, rest = content[:128], content[128:]
    way = rng.integers(3)
    if way == 0:
        return mutate(head, rng) + rest
    if way == 1:
        return _replaced(rb"\d+", head, NUMBERS, rng) + rest
    kinds = (
        b"'|O'",
        b"'<U999999999'",
        b"'<f2'",
        b"'<c16'",
        b"'|V8'",
        b"'<M8[s]'",
        b"'>i8'",
    )
    return _replaced(rb"'[<|>][^']*'", head, kinds, rng) + rest


def mat(content, rng):
    """Change the type or size of an element, also inside compressed ones."""
    kind, size = struct.unpack_from("<II", content, 128)
    if kind != 15:  # not compressed
        data = bytearray(content)
        at = 128 + 8 * int(rng.integers((len(data) - 128) // 8))
        data[at : at + 4] = struct.pack(
            "<I", int(_one(rng, [0, 1, 14, 15, 99, 2**31, 2**32 - 1]))
        )
        return bytes(data)
    element = zlib.compress(mutate(zlib.decompress(content[136 : 136 + size]), rng))
    head = struct.pack("<II", 15, len(element))
    return content[:128] + head + element + content[136 + size :]


def text(content, rng):
    """Write text in another encoding, or other numbers and words in it."""
    way = rng.integers(6)
    if way == 0:
        coding = _one(
            rng, ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp500", "utf-7"]
        )
        return content.decode(errors="replace").encode(coding)
    if way == 1:
        return content.replace(
            b"\n", _one(rng, [b"\r", b"\r\n", b"\n\r", b"\n\n", b"", b"\x85"])
        )
    if way == 2:
        return _replaced(rb"[-+.\w]+", content, WORDS, rng)
    if way == 3:
        return _replaced(rb"\d+", content, NUMBERS, rng)
    if way == 4:
        lines = content.splitlines(keepends=True)
        at = int(rng.integers(len(lines)))
        lines[at:at] = [_one(rng, lines)] * int(rng.integers(1, 40))
        return b"".join(lines)
    return mutate(content, rng)


def _replaced(pattern, content, values, rng):
    found = list(re.finditer(pattern, content))
    if not found:
        return mutate(content, rng)
    one = _one(rng, found)
    return content[: one.start()] + _one(rng, values) + content[one.end() :]


def gz(content, rng):
    return gzip.compress(text(gzip.decompress(content), rng))


def zst(content, rng):
    import pyarrow as pa

    with pa.input_stream(io.BytesIO(content), compression="zstd") as stream:
        plain = stream.read()
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(text(plain, rng))
    return out.getvalue().to_pybytes()


def description(content, rng):
    """Put an odd value at a random place of a JSON document."""
    document = json.loads(content)
    node = document
    while True:
        items = list(node.items() if isinstance(node, dict) else enumerate(node))
        key, value = _one(rng, items)
        if not (isinstance(value, dict | list) and value) or rng.random() < 0.2:
            break
        node = value
    node[key] = _one(rng, ODD)
    return json.dumps(document).encode()


def yaml(content, rng):
    """Add what YAML can do: aliases of aliases, tags, depth; or change the text."""
    bomb = b"a0: &a0 [x, x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9))
        for i in range(1, 30)
    )
    key = _one(rng, re.findall(rb"(?m)^\w+", content))
    values = (
        b"*a29", b"!!python/object/apply:os.system [id]", b"!!binary x", b"2020-99-99",
        b"[" * 5000, b"{a: " * 3000, b"&x [*x]", b"&x {a: *x}", b"!!set {a}",
        b"0x" + b"f" * 5000, b"!!timestamp x", b"? [a]", b"1" * 5000, b"<<: 1",
    )  # fmt: skip
    if rng.random() < 0.5:
        return text(content, rng)
    return bomb + content + b"\n" + key + b": " + _one(rng, values) + b"\n"


#: How files are damaged, by what their names end with.
FORMATS = {
    r"\.(h5|h5ad)$|v73\.mat$": hdf5,
    r"\.parquet$": parquet,
    r"\.(feather|arrow)$": arrow,
    r"\.(npz|xlsx)$": archive,
    r"\.npy$": array,
    r"v5c?\.mat$": mat,
    r"\.gz$": gz,
    r"\.zst$": zst,
    r"\.json$": description,
    r"\.yaml$": yaml,
    r"\.(csv|tsv|txt|mtx)$": text,
}
