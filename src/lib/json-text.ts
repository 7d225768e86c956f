import { isUtf8 } from 'node:buffer';

/** What a part of a JSON text has of a string between quotes. */
export type StringPart = {
  readonly text: string;
  readonly isEscaped: boolean;
  /** The place behind the closing quote; -1 where the string goes on in the next part. */
  readonly end: number;
  /** From where on the bytes belong to the next part: it may end in the middle of a letter, or of an escape. */
  readonly keep: number;
};

const [quote, backslash, letterU] = [0x22, 0x5c, 0x75];

/** Reads a string from `at` to its closing quote, or to the end of the part; undefined where that isn't JSON or isn't UTF-8. */
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
  const to = i < bytes.length ? i : endOfLetters(bytes, at);
  return partOf(bytes, { from: at, to, end: -1, isAscii: seen < 0x80, isEscaped });
}

type Found = { from: number; to: number; end: number; isAscii: boolean; isEscaped: boolean };

function partOf(bytes: Buffer, { from, to, end, isAscii, isEscaped }: Found): StringPart | undefined {
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

/** Where the last letter ends that is there with all its bytes. */
function endOfLetters(bytes: Buffer, from: number): number {
  for (let back = 1; back <= 3 && bytes.length - back >= from; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue; // inside a letter
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
