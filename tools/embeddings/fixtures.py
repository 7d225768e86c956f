"""Writes test/search/embeddings/word-pieces.json: how the model's own tokenizer cuts texts. See README.md."""

import json
import random
from pathlib import Path

from tokenizers import Tokenizer

from minilm import model_folder

OUT = Path(__file__).resolve().parents[2] / "test/search/embeddings/word-pieces.json"

WRITTEN = [
    "",
    " \t\r\n ",
    "Login page crashes with a NullPointerException after the session expires",
    "getUserName() returns get_user_name; see src/auth/session.ts:42 (it's broken!)",
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "UPPER lower MiXeD café naïve Ångström ﬁle İstanbul ΣΊΣΥΦΟΣ straße ẞ",
    "e\u0301 combining, \u00ad soft hyphen, \u200b zero width, \ufeff mark, \x00 nul, \x07 bell, \x85 next line",
    "日本語のテキスト と 漢字 混在 text, 한국어 문장, русский язык, العربية",
    "emoji 🚀 👩‍👩‍👧 ✅ and symbols © ™ → ≤ ½ ² €5 £3 $1.00 50% #123 @name a+b=c x^y ~/.config `code` <tag>",
    "a" * 100 + " " + "b" * 101,
    "supercalifragilisticexpialidocious antidisestablishmentarianism zxqjkvw",
    "one\u00a0two\u2003three\u3000four\u2028five",
    "[CLS] [SEP] [MASK] [UNK] [PAD] [unused5]",
    "“quotes” ‘single’ — dash … ellipsis ¿qué? ¡no!",
]


def drawn(random_: random.Random) -> str:
    """A text of letters, marks, spaces and anything else in the Basic Multilingual Plane that Unicode 8 knows."""
    ranges = [
        (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x300, 0x36F), (0x2000, 0x206F), (0x4E00, 0x4FFF),
        (0xAC00, 0xACFF),
    ]
    weights = [60, 10, 4, 4, 3, 5, 3, 2]
    chosen = random_.choices(ranges, weights, k=random_.randint(1, 60))
    return "".join(chr(random_.randint(*bounds)) for bounds in chosen)


def main() -> None:
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    random_ = random.Random(7)
    texts = WRITTEN + [drawn(random_) for _ in range(150)]
    # Texts that hold special pieces by name are cut by the plain model, as a reader's text is: they mean nothing to it.
    found = [{"text": text, "pieces": [p for p in pieces(tokenizer, text) if p != "[UNK]"]} for text in texts if "[" not in text]
    lines = ",\n".join(json.dumps(one, ensure_ascii=True) for one in found)
    OUT.write_text(f"[\n{lines}\n]\n")
    print(f"{OUT}: {len(found)} texts")


def pieces(tokenizer: Tokenizer, text: str) -> list[str]:
    return tokenizer.encode(text, add_special_tokens=False).tokens


if __name__ == "__main__":
    main()
