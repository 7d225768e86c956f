"""Makes src/search/embeddings/word-pieces.bin from all-MiniLM-L6-v2. See README.md beside it."""

import argparse
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from corpus import sentences
from minilm import MiniLM

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/search/embeddings/word-pieces.bin"
MAGIC = b"hearth-word-pieces/1"
FIRST, LAST = 101, 102  # [CLS], [SEP]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--corpus", type=Path, nargs="*", default=[], help="folders whose Markdown and text the table is fitted to"
    )
    options.add_argument("--sentences", type=int, default=18_000)
    options.add_argument("--dimensions", type=int, default=256)
    options.add_argument("--cache", type=Path, help="folder that keeps the model's vectors between runs")
    options.add_argument("--out", type=Path, default=TABLE)
    given = options.parse_args()

    model = MiniLM(longest=64)
    tokens = kept(given.cache, "tokens", lambda: token_vectors(model))
    texts = sentences(given.corpus, given.sentences)
    table = weighted(tokens)
    if texts:
        taught = kept(given.cache, f"sentences-{len(texts)}", lambda: model.encode(texts))
        bags = bags_of([encoding.ids[1:-1] for encoding in model.tokenizer.encode_batch(texts)], len(tokens))
        held = np.arange(len(texts)) % 10 == 0
        print(f"before the fit: {agreement(table, bags[held], taught[held])}")
        table = fitted(table, bags[~held], taught[~held])
        print(f"after the fit: {agreement(table, bags[held], taught[held])}")
    vocabulary = model.tokenizer.get_vocab()
    pieces = [piece for piece, at in sorted(vocabulary.items(), key=lambda item: item[1]) if not is_special(piece)]
    rows = np.array([vocabulary[piece] for piece in pieces])
    write(given.out, pieces, reduced(table, given.dimensions)[rows])


def kept(folder: Path | None, name: str, make) -> np.ndarray:
    if folder is None:
        return make()
    path = folder / f"{name}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, make())
    return np.load(path)


def is_special(piece: str) -> bool:
    return piece.startswith("[") and piece.endswith("]") and len(piece) > 2


def token_vectors(model: MiniLM, at_once: int = 512) -> np.ndarray:
    """What the model makes of each piece of its vocabulary alone."""
    count = model.config["vocab_size"]
    found = []
    for start in range(0, count, at_once):
        ids = np.arange(start, min(count, start + at_once))
        rows = np.stack([np.full_like(ids, FIRST), ids, np.full_like(ids, LAST)], 1)
        found.append(model.forward(rows, np.ones(rows.shape, np.float32)).mean(1))
    return np.concatenate(found)


def weighted(tokens: np.ndarray, a: float = 1e-5) -> np.ndarray:
    """Centres the tokens and weights rare pieces above common ones (SIF). The vocabulary is ordered by frequency, so Zipf's
    law estimates how common a piece is."""
    ranks = np.arange(1, len(tokens) + 1)
    frequency = (1 / ranks) / (1 / ranks).sum()
    centred = tokens - tokens.mean(0)
    return centred * (a / (a + frequency))[:, None].astype(np.float32)


def bags_of(texts: list[list[int]], vocabulary: int) -> sparse.csr_matrix:
    """How often each piece stands in each text."""
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    columns = np.concatenate([np.array(text, int) for text in texts])
    return sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), (len(texts), vocabulary))


def fitted(table: np.ndarray, bags: sparse.csr_matrix, taught: np.ndarray, ridge: float = 0.3, steps: int = 60) -> np.ndarray:
    """
    Moves pieces so that sums of them come nearer to what the model makes of whole sentences: least squares, and whoever moves
    far from where it was pays for it. Pieces that the sentences lack stay where they are.
    """
    lengths = np.maximum(np.asarray(bags.sum(1)).ravel(), 1)
    bags = sparse.diags((1 / np.sqrt(lengths)).astype(np.float32)) @ bags
    wanted = unit(taught - taught.mean(0))
    made = bags @ table
    scale = float((made * wanted).sum() / (made * made).sum())
    # Conjugate gradients, for all dimensions at once.
    rest = bags.T @ (wanted - scale * made)
    moved, step, squares = np.zeros_like(rest), rest.copy(), (rest * rest).sum(0)
    for _ in range(steps):
        image = bags.T @ (bags @ step) + ridge * step
        length = squares / np.maximum((step * image).sum(0), 1e-12)
        moved += length * step
        rest -= length * image
        before, squares = squares, (rest * rest).sum(0)
        step = rest + squares / np.maximum(before, 1e-12) * step
    return scale * table + moved


def agreement(table: np.ndarray, bags: sparse.csr_matrix, taught: np.ndarray) -> str:
    """Compares the table with the model on sentences: the correlation of the similarities, and the share of common ones among
    the ten nearest."""
    ours, theirs = unit(bags @ table), unit(taught)
    a, b = ours @ ours.T, theirs @ theirs.T
    pairs = np.triu_indices(len(a), 1)
    correlation = np.corrcoef(a[pairs], b[pairs])[0, 1]
    np.fill_diagonal(a, -2)
    np.fill_diagonal(b, -2)
    tens = zip(np.argsort(-a, 1)[:, :10], np.argsort(-b, 1)[:, :10], strict=True)
    shared = np.mean([len(set(x) & set(y)) / 10 for x, y in tens])
    return f"correlation {correlation:.3f}, shared neighbours {shared:.3f}"


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def reduced(table: np.ndarray, dimensions: int) -> np.ndarray:
    """The directions in which the table varies most."""
    _, directions = np.linalg.eigh(table.T @ table)
    return table @ directions[:, ::-1][:, :dimensions]


def write(path: Path, pieces: list[str], table: np.ndarray) -> None:
    scales = np.abs(table).max(1) / 127
    components = np.round(table / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    text = "\n".join(pieces).encode()
    counts = np.array([len(pieces), table.shape[1], len(text)], "<u4")
    path.write_bytes(MAGIC + counts.tobytes() + scales.astype("<f4").tobytes() + components.tobytes() + text)
    print(f"{path}: {len(pieces)} pieces, {table.shape[1]} dimensions, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
