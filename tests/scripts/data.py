"""Tiny data in the formats that the scripts read, the same each time."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from array import array
from pathlib import Path
from random import Random

WORDS = "every effort moves you and the quick brown fox jumps over a lazy dog at noon".split()


def mnist(folder: Path, trained: int, tested: int) -> None:
    """The files of MNIST as torchvision keeps them; its size is in their heads."""
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name, count in (("train", trained), ("t10k", tested)):
        random = Random(name)
        images = struct.pack(">4I", 0x803, count, 28, 28) + random.randbytes(count * 28 * 28)
        labels = struct.pack(">2I", 0x801, count) + bytes(n % 10 for n in range(count))
        (raw / f"{name}-images-idx3-ubyte").write_bytes(images)
        (raw / f"{name}-labels-idx1-ubyte").write_bytes(labels)


def text(path: Path, words: int) -> None:
    """Words in lines of ten."""
    path.parent.mkdir(parents=True, exist_ok=True)
    chosen = Random(0).choices(WORDS, k=words)
    lines = [" ".join(chosen[start : start + 10]) for start in range(0, words, 10)]
    path.write_text("\n".join(lines) + "\n")


def names(path: Path, count: int) -> None:
    """Different words of small letters, one a line."""
    random = Random(0)
    found = {"".join(random.choices("abcdefghij", k=random.randint(3, 8))) for _ in range(count)}
    path.write_text("\n".join(sorted(found)))


def images(folder: Path, count: int, width: int, height: int) -> None:
    """PNG files of noise in RGB."""
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"{number}.png").write_bytes(_png(Random(number), width, height))


def _png(random: Random, width: int, height: int) -> bytes:
    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + random.randbytes(3 * width) for _ in range(height))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def masks(folder: Path, count: int, width: int, height: int) -> None:
    """PNG files of two grey values, half and half."""
    folder.mkdir(parents=True)
    header = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    row = b"\0" + b"\0" * (width // 2) + b"\xff" * (width - width // 2)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(row * height)), (b"IEND", b""))
    image = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)
    for number in range(count):
        (folder / f"{number}.png").write_bytes(image)


def tokens(folder: Path, count: int, kinds: int) -> None:
    """Two files of 16-bit numbers and the number of kinds, as nanoGPT prepares them."""
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(0)
    for name in ("train", "val"):
        numbers = array("H", random.choices(range(kinds), k=count))
        (folder / f"{name}.bin").write_bytes(numbers.tobytes())
    (folder / "meta.pkl").write_bytes(pickle.dumps({"vocab_size": kinds}))


def cora(folder: Path, papers: int, words: int, cites: int) -> None:
    """A graph of papers, each with a class and the words that it has."""
    folder.mkdir(parents=True)
    random = Random(0)
    rows = [[n, *random.choices((0, 1), k=words), f"class{n % 7}"] for n in range(papers)]
    edges = [random.sample(range(papers), 2) for _ in range(cites)]
    for name, table in (("content", rows), ("cites", edges)):
        lines = ["\t".join(map(str, row)) for row in table]
        (folder / f"cora.{name}").write_text("\n".join(lines) + "\n")


def messages(path: Path, count: int) -> None:
    """A table of short messages, each `ham` or `spam`."""
    path.parent.mkdir(parents=True)
    random = Random(0)
    kinds = ("ham", "spam")
    lines = [f"{kinds[n % 2]}\t{' '.join(random.choices(WORDS, k=9))}" for n in range(count)]
    path.write_text("\n".join(lines) + "\n")


def instructions(path: Path, count: int) -> None:
    """A list of instructions in JSON, each with its answer."""
    random = Random(0)
    keys = ("instruction", "input", "output")
    entries = [{key: " ".join(random.choices(WORDS, k=6)) for key in keys} for _ in range(count)]
    path.write_text(json.dumps(entries))


def opt(folder: Path) -> None:
    """The configuration and the tokenizer of a small OPT, as `transformers` reads them."""
    folder.mkdir(parents=True)
    known = ["<pad>", "<s>", "</s>", "<unk>", *WORDS]
    vocabulary = {word: number for number, word in enumerate(known)}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    tokenizer = {"version": "1.0", "model": model, "pre_tokenizer": {"type": "Whitespace"}}
    tokenizer["added_tokens"] = []
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", **special}
    config = {"model_type": "opt", "vocab_size": len(known), "hidden_size": 128, "ffn_dim": 256}
    config |= {"num_hidden_layers": 4, "num_attention_heads": 4, "word_embed_proj_dim": 128}
    config |= {"max_position_embeddings": 128, "pad_token_id": 0}
    files = {"tokenizer": tokenizer, "tokenizer_config": kind, "config": config}
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
