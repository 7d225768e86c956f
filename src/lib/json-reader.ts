import { readStringPart } from './json-text.ts';
import { badRequest, Refusal } from './refusal.ts';

export type JsonLimits = {
  /** How deeply lists and objects may nest. */
  readonly depth: number;
  /** How many lists, objects, strings, numbers, booleans and nulls there may be. */
  readonly values: number;
  /** What these limits are called in refusals. */
  readonly names: { readonly depth: string; readonly values: string };
};

export type Json = {
  readonly value: unknown;
  /** How many values it holds, itself included. */
  readonly size: number;
  /** Whether a string or a name in it holds U+0000. */
  readonly hasNul: boolean;
};

export type JsonReader = {
  /** Reads on. Throws a Refusal as soon as the text can't become JSON within the limits. */
  write(part: Buffer): void;
  /** What was read; undefined where there was nothing but blanks. */
  end(): Json | undefined;
};

type Container = unknown[] | Record<string, unknown>;
/** What may come next. `first …`: here the list or object may end, too. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'nothing';

/** Longer numbers and names are refused. Nobody needs them, and each would be worked on at once. */
const longest = { number: 1_000, name: 1_024 };

/**
 * Reads JSON (RFC 8259) from the parts of a text as they arrive. It gives what `JSON.parse` gives, but a part makes no more work than
 * its own length, so that a large text never stops the process. Bytes that aren't UTF-8 are refused, halves of surrogate pairs become
 * U+FFFD, since PostgreSQL can't store them, and fields named `__proto__` are left out.
 */
export function jsonReader(limits: JsonLimits): JsonReader {
  const open: Container[] = [];
  /** For each open object, the name of the field whose value comes next. */
  const names: string[] = [];
  let expected: Expected = 'value';
  /** What there is of a string that goes on in the next part. */
  let string: { pieces: string[]; length: number; isEscaped: boolean } | undefined;
  let inString = false;
  let carried: Buffer | undefined;
  let result: unknown;
  let size = 0;
  let hasNul = false;

  const count = (): void => {
    if (++size <= limits.values) return;
    const limit = limits.names.values;
    throw new Refusal('too_large', `The body holds more than ${limits.values} values (${limit})`, [], { limit });
  };

  const place = (value: unknown): void => {
    const container = open.at(-1);
    if (container === undefined) result = value;
    else if (Array.isArray(container)) container.push(value);
    else {
      const name = names.pop() ?? '';
      if (name !== '__proto__') container[name] = value;
    }
    expected = container === undefined ? 'nothing' : 'comma';
  };

  const enter = (container: Container): void => {
    count();
    const limit = limits.names.depth;
    if (open.length >= limits.depth)
      throw new Refusal('bad_request', 'Problems parsing JSON: it is nested too deeply', [], { limit });
    open.push(container);
    expected = Array.isArray(container) ? 'first value' : 'first name';
  };

  const leave = (first: Expected): void => {
    const container = open.pop();
    const isOfKind = Array.isArray(container) === (first === 'first value');
    if (container === undefined || !isOfKind || !(expected === 'comma' || expected === first)) throw malformed();
    place(container);
  };

  const wantsValue = (): boolean => expected === 'value' || expected === 'first value';
  const wantsName = (): boolean => expected === 'name' || expected === 'first name';

  const readMark = (mark: number): void => {
    if (mark === quote && (wantsValue() || wantsName())) {
      if (wantsValue()) count();
      inString = true;
    } else if (mark === comma && expected === 'comma') expected = Array.isArray(open.at(-1)) ? 'value' : 'name';
    else if (mark === colon && expected === 'colon') expected = 'value';
    else if (mark === openBrace && wantsValue()) enter({});
    else if (mark === openBracket && wantsValue()) enter([]);
    else if (mark === closeBrace) leave('first name');
    else if (mark === closeBracket) leave('first value');
    else throw malformed();
  };

  const finish = (text: string, isEscaped: boolean): void => {
    const read = isEscaped ? text.toWellFormed() : text;
    hasNul ||= isEscaped && read.includes('\0');
    inString = false;
    string = undefined;
    if (wantsName()) {
      names.push(read);
      expected = 'colon';
    } else place(read);
  };

  /** Each of these reads from `at`, and gives the place to go on from: the end of the part where its last bytes have to wait. */
  const readString = (bytes: Buffer, at: number): number => {
    const part = readStringPart(bytes, at);
    if (!part) throw malformed();
    const length = (string?.length ?? 0) + part.keep - at;
    if (length > longest.name && wantsName()) throw badRequest('Problems parsing JSON: the name of a field is too long');
    const isEscaped = part.isEscaped || string?.isEscaped === true;
    if (part.end >= 0) {
      finish(string ? [...string.pieces, part.text].join('') : part.text, isEscaped);
      return part.end;
    }
    string ??= { pieces: [], length: 0, isEscaped };
    string.pieces.push(part.text);
    Object.assign(string, { length, isEscaped });
    carried = bytes.subarray(part.keep);
    return bytes.length;
  };

  const readWord = (bytes: Buffer, at: number): number => {
    if (!wantsValue()) throw malformed();
    let end = at;
    while (end < bytes.length && isWord(bytes[end] ?? 0)) end++;
    if (end === at || end - at > longest.number) throw malformed();
    if (end === bytes.length) {
      carried = bytes.subarray(at);
      return end;
    }
    count();
    place(wordOf(bytes.toString('latin1', at, end)));
    return end;
  };

  const write = (part: Buffer): void => {
    const bytes = carried && carried.length > 0 ? Buffer.concat([carried, part]) : part;
    carried = undefined;
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] ?? 0;
      if (inString) at = readString(bytes, at);
      else if (isBlank(byte)) at++;
      else if (isMark(byte)) {
        readMark(byte);
        at++;
      } else at = readWord(bytes, at);
    }
    if (carried) carried = Buffer.from(carried); // the part may be written over
  };

  return {
    write,
    end() {
      write(Buffer.from(' ')); // ends a number
      if (expected === 'value' && open.length === 0 && !inString) return undefined;
      if (expected !== 'nothing') throw malformed();
      return { value: result, size, hasNul };
    },
  };
}

const malformed = (): Refusal => badRequest('Problems parsing JSON');

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isMark = (byte: number): boolean =>
  byte === quote ||
  byte === comma ||
  byte === colon ||
  byte === openBrace ||
  byte === closeBrace ||
  byte === openBracket ||
  byte === closeBracket;

/** Letters, digits and what else a number may hold. */
const isWord = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x30 && byte <= 0x39) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45;

const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const numeral = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function wordOf(word: string): number | boolean | null {
  if (numeral.test(word)) return Number(word);
  const known = words.get(word);
  if (known === undefined) throw malformed();
  return known;
}
