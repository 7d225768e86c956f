"""Writes bench/search/semantic/minilm.bin: what all-MiniLM-L6-v2 itself makes of the pairs. See README.md."""

import json
from pathlib import Path

import numpy as np

from minilm import MiniLM

FOLDER = Path(__file__).resolve().parents[2] / "bench/search/semantic"


def main() -> None:
    """384 signed bytes a text: first the queries, then the issues, each in the order of the pairs."""
    pairs = [json.loads(line) for line in (FOLDER / "pairs.jsonl").read_text().splitlines()]
    texts = [pair["query"] for pair in pairs] + [f"{pair['title']}\n{pair['body']}" for pair in pairs]
    vectors = MiniLM().encode(texts)
    components = np.round(vectors / np.abs(vectors).max(1, keepdims=True) * 127).astype(np.int8)
    (FOLDER / "minilm.bin").write_bytes(components.tobytes())


if __name__ == "__main__":
    main()
