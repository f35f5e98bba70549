"""Headers of input records that look like those of dead letters and replayed records."""

from holdfast.topics import header_names

NAMES = sorted(value for name, value in vars(header_names).items() if name.isupper())
VALUES = [b"1", b"", b"-7", b"gone", b"value", b"record", b"headers", b"\xff\xfe\x00", "ö".encode(), b"9" * 50, None]
_LOOKING_RIGHT = {
    "hf-topic": b"orders", "hf-partition": b"0", "hf-offset": b"99", "hf-node": b"orders", "hf-at": b"app.py:1",
    "hf-reason": b"because", "hf-time": b"1", "hf-port": b"1", "hf-path": b"0102", "hf-seen": b"headers",
    "hf-key": b"forged", "hf-value": b"forged", "hf-replayed": b"3", "hf-original": b"gone", "hf-null": b"value",
    "hf-epoch": b"7", "hf-input": b"x", "hf-window-start": b"1", "hf-window-end": b"2", "hf-stream-time": b"3",
    "hf-timestamp": b"7",
}  # fmt: skip

LISTS = [
    *([(name, _LOOKING_RIGHT.get(name, b"1"))] for name in NAMES),
    *([(name, None), (name, b"\xff\x00"), (name, b"-7")] for name in NAMES),
    list(_LOOKING_RIGHT.items()),
    [(name, b"\xff\xfe") for name in NAMES],
    [(name, None) for name in NAMES],
    [("trace", b"1"), *((name, value) for name in NAMES for value in (b"1", b"?", None)), ("trace", b"2")],
]
