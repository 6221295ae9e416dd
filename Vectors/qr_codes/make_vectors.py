#!/usr/bin/env python3
"""Writes qr_code_test.json: QR codes with error correction L in byte mode, made by another encoder.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file is not what the script makes

Needs qrcode 8.2, zxing-cpp 3.1.1 and numpy 2.4.6. The encoder is qrcode. Nothing is written unless zxing-cpp, a decoder
of a third origin, reads every code. Each matrix is its modules row by row, the highest bit first, 1 for dark, filled up
with zeros and written as hexadecimal digits.
"""

import hashlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files

try:
    import numpy
    import qrcode
    import qrcode.util
    import zxingcpp
except ImportError:
    print("skipped (needs qrcode 8.2, zxing-cpp 3.1.1 and numpy)")
    sys.exit(0)

# The most bytes that a version holds in byte mode with error correction L: ISO/IEC 18004, table 7.
CAPACITY = {
    1: 17, 2: 32, 3: 53, 4: 78, 5: 106, 6: 134, 7: 154, 8: 192, 9: 230, 10: 271, 14: 458, 19: 792, 20: 858, 21: 929,
    27: 1465, 32: 1952, 40: 2953,
}
ADDRESS = "https://broker.example.org/api/v2/authenticate/REF30/8ER640M"


def filler(count):
    """Text that needs byte mode, the same in each run."""
    text = "".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(count // 64 + 1))
    return text[:count]


def encoded(content, mask):
    """The code with a mask pattern."""
    code = qrcode.QRCode(error_correction=qrcode.ERROR_CORRECT_L, mask_pattern=mask, border=0)
    code.add_data(qrcode.util.QRData(content.encode(), mode=qrcode.util.MODE_8BIT_BYTE))
    code.make(fit=True)
    return code


def decoded(rows):
    """What zxing-cpp reads in a picture of the code, four pixels to a module, with the quiet zone."""
    picture = numpy.array([[0 if dark else 255 for dark in row] for row in rows], dtype=numpy.uint8)
    picture = numpy.pad(picture, 4, constant_values=255).repeat(4, axis=0).repeat(4, axis=1)
    found = zxingcpp.read_barcodes(picture, is_pure=True)
    return found[0].text if found else None


def digits(rows):
    bits = "".join("1" if dark else "0" for row in rows for dark in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[n:n + 8], 2) for n in range(0, len(bits), 8)).hex()


def build():
    contents = [("an address", ADDRESS, 4, range(8)), ("one byte", "a", 1, [3]), ("UTF-8", "Zoë ☺", 1, [2])]
    for version, capacity in CAPACITY.items():
        contents.append((f"version {version}, full", filler(capacity), version, [version % 8]))
        if version + 1 in CAPACITY:
            contents.append(
                (f"one byte too many for version {version}", filler(capacity + 1), version + 1, [(version + 3) % 8]))
    tests = []
    for comment, content, version, masks in contents:
        for mask in masks:
            rows = encoded(content, mask).modules
            if decoded(rows) != content or len(rows) != 17 + 4 * version:
                raise SystemExit(f"not readable, or of another size: {comment}")
            tests.append({
                "tcId": len(tests) + 1, "comment": f"{comment}, mask {mask}", "flags": [], "content": content,
                "mask": mask, "side": len(rows), "matrix": digits(rows), "result": "valid",
            })
    text = vector_files.envelope(
        "QR code, error correction L", tests=len(tests), header=["Made with qrcode 8.2, read with zxing-cpp 3.1.1."],
        notes={}, groups=[{"type": "QRCode", "source": vector_files.SOURCE, "tests": tests}])
    return [vector_files.VectorFile("qr_code_test.json", text, len(tests))]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
