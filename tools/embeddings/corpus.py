"""Sentences about software, from Markdown and text in folders: documentation and change logs."""

import random
import re
from pathlib import Path

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|<[^>\s]+>|https?://\S+")
MARKS = re.compile(r"^[\s>#*+\-=|\d.)]+|[*`]+|\(?#\d+\)?|\b[0-9a-f]{7,40}\b")
BREAK = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*+#|>]|\s*\d+\.)")


def sentences(folders: list[Path], wanted: int, seed: int = 1) -> list[str]:
    """So many sentences of 5 to 60 words, each once, in an order that depends on the seed alone."""
    found: set[str] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in (".md", ".rst", ".txt") and path.is_file() and path.stat().st_size < 400_000:
                found.update(of_text(path.read_text(errors="ignore")))
    ordered = sorted(found)
    random.Random(seed).shuffle(ordered)
    return ordered[:wanted]


def of_text(text: str) -> list[str]:
    """The sentences of one document, without its code, links, marks and numbers of issues and commits."""
    bare = LINK.sub(lambda link: link.group(1) or " ", FENCE.sub("\n\n", text))
    cleaned = (" ".join(MARKS.sub(" ", part).split()) for part in BREAK.split(bare))
    return [sentence for sentence in cleaned if is_prose(sentence)]


def is_prose(sentence: str) -> bool:
    words = sentence.split()
    letters = sum(character.isalpha() or character == " " for character in sentence)
    return 5 <= len(words) <= 60 and letters > 0.85 * len(sentence) and sentence.isascii()
