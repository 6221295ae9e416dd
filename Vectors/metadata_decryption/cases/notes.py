"""The kinds of cases."""

NOTES = {
    "Size": ("BASIC", "Key sizes, and texts as long as a block and one octet more."),
    "Chunks": (
        "FUNCTIONALITY",
        "Several blocks, of the largest size or another one. The blocks are joined, then decoded.",
    ),
    "StraddlingCharacter": ("FUNCTIONALITY", "The octets of one character stand in two blocks or more."),
    "Oaep": ("FUNCTIONALITY", "OAEP, which must be asked for."),
    "PaddingMismatch": ("FUNCTIONALITY", "Encrypted under another padding than the one that was asked for."),
    "KeyRing": ("FUNCTIONALITY", "Several keys, the newest first."),
    "Base64": ("MALLEABILITY", "Spellings of Base64: strict, but for what channels are known to do to it."),
    "LostPlus": ("FUNCTIONALITY", "A + that a form decoder turned into a space."),
    "Length": ("MISSING_STEP", "No whole number of blocks for any key of the ring."),
    "Range": ("EDGE_CASE", "The number is at or above the modulus, or near an end of the range."),
    "InvalidPkcs1Padding": (
        "KNOWN_BUG",
        "Wrong padding. Which part of it is wrong must not show: one error, one time (Bleichenbacher, Marvin).",
    ),
    "InvalidOaepPadding": ("KNOWN_BUG", "Wrong padding under OAEP (Manger): one error, whatever is wrong."),
    "MixedBlocks": ("KNOWN_BUG", "Good and bad blocks in one value: nothing of the good ones comes out."),
    "NoIntegrity": ("MALLEABILITY", "Nothing binds blocks to each other or to a sender: changed order, changed text."),
    "NotUtf8": ("MISSING_STEP", "Well padded, and no UTF-8."),
    "Text": ("FUNCTIONALITY", "Texts that must come out octet by octet."),
    "Shape": ("FUNCTIONALITY", "The attribute's name says what its text must look like."),
    "Plausibility": ("FUNCTIONALITY", "The documents leave room for what is plausible; README.md states this reading."),
    "ForeignValue": ("FUNCTIONALITY", "Not this kind of value at all."),
}

HEADER = [
    "Test vectors of type MetadataDecrypt check the decryption of user metadata.",
    "Every value is invented and every key is test-only. Keys are files below Vectors/keys, the newest first.",
    "A text expected here must come out octet by octet. Some rings hold keys of fewer than 2048 bits.",
]
