"""PNG files with nothing but the standard library; the Python twin of png.c.

Reads 8-bit gray, gray+alpha, RGB and RGBA, not interlaced; writes RGB. Used by heat.py and
make_picture.py. What cannot be read raises PngError with a sentence that says why.
"""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by colour type
SIDE_MAX = 32768


class PngError(Exception):
    """Why a file is not a PNG that this module reads."""


def paeth(a, b, c):
    """PNG's predictor of left (a), upper (b) and upper-left (c)."""
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def chunks(data):
    """Yields (name, body) of each chunk up to IEND."""
    at = len(SIGNATURE)
    while len(data) - at >= 12:
        size, name = struct.unpack_from(">I4s", data, at)
        if size > len(data) - at - 12:
            break
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(name + body) != struct.unpack_from(">I", data, at + 8 + size)[0]:
            raise PngError("is damaged: a checksum does not match")
        if name == b"IEND":
            return
        yield name, body
        at += size + 12
    raise PngError("ends too early")


def shape(body):
    """(width, height, channels) of an IHDR chunk."""
    if len(body) != 13:
        raise PngError("has a damaged header")
    width, height, depth, colour, packing, filters, interlace = struct.unpack(">IIBBBBB", body)
    if not (1 <= width <= SIDE_MAX and 1 <= height <= SIDE_MAX):
        raise PngError("has a side of 0 or of more than 32768 pixels")
    if depth != 8 or colour not in CHANNELS:
        raise PngError("is neither 8-bit gray nor 8-bit RGB or RGBA")
    if packing or filters:
        raise PngError("uses an unknown compression")
    if interlace:
        raise PngError("is interlaced, which this reader does not know")
    return width, height, CHANNELS[colour]


def unfilter(kind, line, above, step):
    """Takes the filter off one row, in place."""
    if kind == 1:
        for i in range(step, len(line)):
            line[i] = (line[i] + line[i - step]) & 255
    elif kind == 2:
        line[:] = bytes((x + b) & 255 for x, b in zip(line, above))
    elif kind in (3, 4):
        for i in range(len(line)):
            a, c = (line[i - step], above[i - step]) if i >= step else (0, 0)
            guess = (a + above[i]) // 2 if kind == 3 else paeth(a, above[i], c)
            line[i] = (line[i] + guess) & 255
    elif kind != 0:
        raise PngError("has a row with an unknown filter")
    return line


def read(path):
    """(width, height, channels, pixels) of the file; pixels are rows from the top."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(SIGNATURE):
        raise PngError("is not a PNG file")
    head, packed = None, b""
    for name, body in chunks(data):
        if name == b"IHDR":
            head = shape(body)
        elif name == b"IDAT":
            packed += body
    if head is None:
        raise PngError("has no header")
    width, height, channels = head
    stride = width * channels
    try:
        raw = zlib.decompress(packed)
    except zlib.error:
        raw = b""
    if len(raw) != (stride + 1) * height:
        raise PngError("is damaged: its data cannot be unpacked")
    pixels, above = bytearray(), bytes(stride)
    for at in range(0, len(raw), stride + 1):
        above = unfilter(raw[at], bytearray(raw[at + 1:at + 1 + stride]), above, channels)
        pixels += above
    return width, height, channels, bytes(pixels)


def filtered(kind, line, above):
    """One row of RGB under a filter, with the filter's number in front."""
    if kind == 2:
        return bytes([2]) + bytes((x - b) & 255 for x, b in zip(line, above))
    left = bytes(3) + line[:-3]
    corner = bytes(3) + above[:-3]
    guess = {
        0: lambda a, b, c: 0,
        1: lambda a, b, c: a,
        3: lambda a, b, c: (a + b) // 2,
        4: paeth,
    }[kind]
    rest = zip(line, left, above, corner)
    return bytes([kind]) + bytes((x - guess(a, b, c)) & 255 for x, a, b, c in rest)


def write(path, width, height, pixels, kinds=(2,)):
    """Writes RGB pixels; each row takes the filter of `kinds` with the smallest residue."""
    def chunk(name, data):
        crc = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)

    packed, above = bytearray(), bytes(width * 3)
    for at in range(0, width * 3 * height, width * 3):
        line = pixels[at:at + width * 3]
        rows = [filtered(kind, line, above) for kind in kinds]
        packed += min(rows, key=lambda r: sum(min(b, 256 - b) for b in r)) if rows[1:] else rows[0]
        above = line
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(packed), 9 if len(kinds) > 1 else 6)
    with open(path, "wb") as out:
        out.write(SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b""))
