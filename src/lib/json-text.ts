import { isUtf8 } from 'node:buffer';

/** A string of a JSON text, or its piece in one part of the text. */
type StringPart = {
  readonly text: string;
  readonly isEscaped: boolean;
  /** The offset after the closing quote; -1 if the string continues in the next part. */
  readonly end: number;
  /** The offset of an incomplete character or escape at the end, which must be read again with the next part. */
  readonly keep: number;
};

const [quote, backslash, letterU] = [0x22, 0x5c, 0x75];

/**
 * Reads a string from offset `at` to its closing quote, or to the end of the part; undefined if it isn't valid JSON and UTF-8.
 */
export function readStringPart(bytes: Buffer, at: number): StringPart | undefined {
  let seen = 0;
  let isEscaped = false;
  let i = at;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === quote) return partOf(bytes, { from: at, to: i, end: i + 1, isAscii: seen < 0x80, isEscaped });
    if (byte < 0x20) return undefined;
    seen |= byte;
    if (byte !== backslash) continue;
    isEscaped = true;
    const width = bytes[i + 1] === letterU ? 6 : 2; // \u and four digits
    if (i + width > bytes.length) break;
    i += width - 1;
  }
  const to = i < bytes.length ? i : endOfCharacters(bytes, at);
  return partOf(bytes, { from: at, to, end: -1, isAscii: seen < 0x80, isEscaped });
}

type StringRange = { from: number; to: number; end: number; isAscii: boolean; isEscaped: boolean };

function partOf(bytes: Buffer, { from, to, end, isAscii, isEscaped }: StringRange): StringPart | undefined {
  if (!isAscii && !isUtf8(bytes.subarray(from, to))) return undefined;
  const raw = bytes.toString(isAscii ? 'latin1' : 'utf8', from, to);
  const text = isEscaped ? unescaped(raw) : raw;
  return text === undefined ? undefined : { text, isEscaped, end, keep: to };
}

function unescaped(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return undefined;
  }
}

/** The offset after the last complete UTF-8 character. */
function endOfCharacters(bytes: Buffer, from: number): number {
  for (let back = 1; back <= 3 && bytes.length - back >= from; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue; // a continuation byte
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
