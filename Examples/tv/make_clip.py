#!/usr/bin/env python3
"""Makes a short clip of a channel: an HLS playlist and fragmented MP4 segments, with nothing but Python.

    python3 Examples/tv/make_clip.py FOLDER NUMBER

The picture is a test card with the channel's number and the seconds that have passed. It is H.264 without compression:
what changes is sent as raw blocks (I_PCM), the rest is skipped. Every browser with H.264 plays it, and a clip of 12
seconds takes 0.4 MB. It has no sound. A real channel comes from an encoder and a packager.

Source: ITU-T H.264 §7.3, ISO/IEC 14496-12 and -15.
"""

import pathlib
import re
import struct
import sys

WIDTH, HEIGHT, RATE = 256, 144, 8
SECONDS, SEGMENT_SECONDS = 12, 2
COLUMNS, ROWS = WIDTH // 16, HEIGHT // 16
# Luma and both chroma values (BT.601) of the bars.
BARS = [(180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114)]
DARK, LIGHT, PAPER = (24, 128, 128), (225, 128, 128), (52, 150, 118)
# Rows of three dots for each digit, as octal numbers.
DIGITS = ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", "75757", "75717"]


class Picture:
    """One frame: luma, and both chroma planes at half the size."""

    def __init__(self):
        self.planes = [bytearray(WIDTH * HEIGHT), *(bytearray(WIDTH * HEIGHT // 4) for _ in range(2))]

    def fill(self, left, top, width, height, colour):
        """Fills a rectangle; all numbers are even."""
        for plane, value in enumerate(colour):
            half = 2 if plane else 1
            stride, row = WIDTH // half, bytes([value]) * (width // half)
            for line in range(top // half, (top + height) // half):
                start = line * stride + left // half
                self.planes[plane][start:start + len(row)] = row

    def write(self, number, left, top, dot):
        """Writes digits, each of 3 by 5 dots."""
        for digit in number:
            for line, dots in enumerate(DIGITS[int(digit)]):
                for place in range(3):
                    if int(dots) >> (2 - place) & 1:
                        self.fill(left + place * dot, top + line * dot, dot, dot, LIGHT)
            left += 4 * dot

    def block(self, column, row):
        """The 384 bytes of a macroblock."""
        found = []
        for plane, data in enumerate(self.planes):
            size = 8 if plane else 16
            stride = WIDTH // (2 if plane else 1)
            start = row * size * stride + column * size
            found += [data[start + line * stride:start + line * stride + size] for line in range(size)]
        return b"".join(found)


class Bits:
    """Bits of a NAL unit, the highest first."""

    def __init__(self):
        self.done, self.waiting, self.count = bytearray(), 0, 0

    def put(self, value, width):
        self.waiting, self.count = self.waiting << width | value, self.count + width
        whole = self.count // 8
        self.count -= whole * 8
        self.done += (self.waiting >> self.count).to_bytes(whole, "big")
        self.waiting &= (1 << self.count) - 1

    def golomb(self, *values):
        """Unsigned Exp-Golomb codes, ue(v)."""
        for value in values:
            self.put(value + 1, 2 * (value + 1).bit_length() - 1)

    def raw(self, data):
        """Bytes, after zeros up to the next whole byte."""
        if self.count:
            self.put(0, 8 - self.count)
        self.done += data

    def unit(self, kind):
        """The whole NAL unit, ended and protected against start codes."""
        self.put(1, 1)
        self.raw(b"")
        return bytes([kind]) + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", bytes(self.done))


def parameter_sets():
    sequence = Bits()
    # Constrained baseline, level 3.0; order of output is order of decoding (type 2); one reference.
    for value in (66, 0xC0, 30):
        sequence.put(value, 8)
    sequence.golomb(0, 0, 2, 1)
    sequence.put(0, 1)
    sequence.golomb(COLUMNS - 1, ROWS - 1)
    # Frames only, no inference, no cropping, no further information.
    sequence.put(0b1000, 4)
    picture = Bits()
    picture.golomb(0, 0)
    picture.put(0, 2)
    picture.golomb(0, 0, 0)
    picture.put(0, 3)
    picture.golomb(0, 0, 0)
    # The filter's control is there, so that slices can switch the filter off.
    picture.put(0b100, 3)
    return sequence.unit(0x67), picture.unit(0x68)


def frame(blocks, previous, number, segment):
    """The slice of a frame: a key frame if there is no previous one."""
    bits, is_key = Bits(), previous is None
    bits.golomb(0, 7 if is_key else 5, 0)
    bits.put(number % 16, 4)
    if is_key:
        bits.golomb(segment % 2)
        bits.put(0, 2)
    else:
        # No other number of references, no other order of them, no marking.
        bits.put(0, 3)
    # The quantiser as it is, signed 0, and no filter.
    bits.golomb(0, 1)
    skipped = 0
    for place, block in enumerate(blocks):
        if not is_key and block == previous[place]:
            skipped += 1
            continue
        if not is_key:
            bits.golomb(skipped)
            skipped = 0
        bits.golomb(25 if is_key else 30)
        bits.raw(block)
    if skipped:
        bits.golomb(skipped)
    return bits.unit(0x65 if is_key else 0x41)


def draw(channel, tick):
    """The blocks of one frame."""
    picture = Picture()
    picture.fill(0, 0, WIDTH, HEIGHT, PAPER)
    for place, colour in enumerate(BARS):
        picture.fill(place * 36 + 2, 0, 36, 48, BARS[(place + channel) % len(BARS)])
    picture.fill(0, 0, 2, 48, DARK)
    picture.fill(254, 0, 2, 48, DARK)
    picture.write(str(channel), 16, 58, 12)
    picture.write(f"{tick // RATE:02}", 160, 58, 12)
    # How much of the clip has passed.
    picture.fill(16, 128, 224, 8, DARK)
    picture.fill(16, 128, 2 * (112 * (tick + 1) // (SECONDS * RATE)), 8, LIGHT)
    return [picture.block(column, row) for row in range(ROWS) for column in range(COLUMNS)]


def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", len(content) + 8, kind) + content


def full(kind, flags, *parts, version=0):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)


def beginning():
    """The initialisation segment."""
    sequence, picture = parameter_sets()
    configuration = box(
        b"avcC", b"\1" + sequence[1:4] + b"\xff\xe1", struct.pack(">H", len(sequence)), sequence, b"\1",
        struct.pack(">H", len(picture)), picture)
    entry = box(
        b"avc1", bytes(6), struct.pack(">H16xHHIIIH32sHh", 1, WIDTH, HEIGHT, 0x480000, 0x480000, 0, 1, bytes(32), 24, -1),
        configuration)
    empty = [full(kind, 0, struct.pack(">I", 0)) for kind in (b"stts", b"stsc", b"stco")]
    table = box(
        b"stbl", full(b"stsd", 0, struct.pack(">I", 1), entry), *empty, full(b"stsz", 0, struct.pack(">II", 0, 0)))
    source = box(b"dinf", full(b"dref", 0, struct.pack(">I", 1), full(b"url ", 1)))
    media = box(
        b"mdia", full(b"mdhd", 0, struct.pack(">IIIIHH", 0, 0, RATE, 0, 0x55C4, 0)),
        full(b"hdlr", 0, struct.pack(">I4s12x", 0, b"vide"), b"video\0"),
        box(b"minf", full(b"vmhd", 1, bytes(8)), source, table))
    track = box(
        b"trak", full(b"tkhd", 3, struct.pack(">IIIII8xHHHH", 0, 0, 1, 0, 0, 0, 0, 0, 0), MATRIX,
                      struct.pack(">II", WIDTH << 16, HEIGHT << 16)), media)
    header = full(b"mvhd", 0, struct.pack(">IIIIIH10x", 0, 0, RATE, 0, 0x10000, 0x100), MATRIX, bytes(24),
                  struct.pack(">I", 2))
    extends = box(b"mvex", full(b"trex", 0, struct.pack(">IIIII", 1, 1, 1, 0, 0)))
    return box(b"ftyp", b"iso6\0\0\0\1iso6avc1") + box(b"moov", header, track, extends)


def segment(number, units):
    """A media segment; its first frame is a key frame."""
    samples = [struct.pack(">I", len(unit)) + unit for unit in units]

    def fragment(offset):
        entries = b"".join(
            struct.pack(">II", len(sample), 0x1010000 if place else 0x2000000) for place, sample in enumerate(samples))
        return box(
            b"moof", full(b"mfhd", 0, struct.pack(">I", number + 1)),
            box(b"traf", full(b"tfhd", 0x20000, struct.pack(">I", 1)),
                full(b"tfdt", 0, struct.pack(">Q", number * SEGMENT_SECONDS * RATE), version=1),
                full(b"trun", 0x601, struct.pack(">Ii", len(samples), offset), entries)))

    return fragment(len(fragment(0)) + 8) + box(b"mdat", *samples)


def make(folder, channel):
    """Writes `index.m3u8`, `init.mp4` and the segments."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "init.mp4").write_bytes(beginning())
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}", "#EXT-X-PLAYLIST-TYPE:VOD",
             '#EXT-X-MAP:URI="init.mp4"']
    length = SEGMENT_SECONDS * RATE
    for number in range(SECONDS // SEGMENT_SECONDS):
        units, previous = [], None
        for place in range(length):
            blocks = draw(channel, number * length + place)
            units.append(frame(blocks, previous, place, number))
            previous = blocks
        (folder / f"{number}.m4s").write_bytes(segment(number, units))
        lines += [f"#EXTINF:{SEGMENT_SECONDS}.0,", f"{number}.m4s"]
    # Written last: a clip with a playlist is whole.
    (folder / "index.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
