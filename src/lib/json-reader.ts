import { readStringPart } from './json-text.ts';
import { badRequest, Refusal } from './refusal.ts';

export type JsonLimits = {
  /** The maximum nesting of lists and objects. */
  readonly depth: number;
  /** The maximum number of lists, objects, strings, numbers, booleans and nulls. */
  readonly values: number;
  /** The maximum number of bytes of one string. If omitted, the length of the text. */
  readonly string?: number;
  /** The names of these limits in refusals. */
  readonly names: { readonly depth: string; readonly values: string; readonly string?: string };
};

/**
 * Called with each value as soon as it is read, with its path of field names and whether it is an item of a list. The result
 * replaces the value; undefined omits it. This way, a text can be read that is larger than the memory that its values take.
 */
type TakeJson = (names: readonly string[], value: unknown, isItem: boolean) => unknown;

export type Json = {
  readonly value: unknown;
  /** The number of values in it, including itself. */
  readonly size: number;
  /** Whether a string or a name in it contains U+0000. */
  readonly hasNul: boolean;
};

type JsonReader = {
  /** Reads the next part. @throws Refusal as soon as the text isn't JSON or exceeds a limit */
  write(part: Buffer): void;
  /** The value that was read; undefined for an empty or blank text. */
  end(): Json | undefined;
};

type Container = unknown[] | Record<string, unknown>;
/** The token that must come next. After `first …`, the list or object may also end. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'nothing';

/** Longer numbers and names are refused, since each is handled in one step that blocks the event loop. */
const maxLength = { number: 1_000, name: 1_024 };

/**
 * An incremental JSON parser (RFC 8259). The result is that of `JSON.parse`, but each part takes time in proportion to its own
 * length, so that a large body doesn't block the event loop. Bytes that aren't UTF-8 are refused. Lone surrogates become U+FFFD,
 * since PostgreSQL can't store them, and fields named `__proto__` are omitted.
 */
export function jsonReader(limits: JsonLimits, take?: TakeJson): JsonReader {
  const { string: maxString = Number.POSITIVE_INFINITY } = limits;
  const open: Container[] = [];
  /** For each open object, the name of the field that is being read. */
  const names: string[] = [];
  let expected: Expected = 'value';
  /** The beginning of a string that continues in the next part. */
  let string: { pieces: string[]; length: number; isEscaped: boolean } | undefined;
  let inString = false;
  let pending: Buffer | undefined;
  let result: unknown;
  let size = 0;
  let hasNul = false;

  const count = (): void => {
    if (++size <= limits.values) return;
    const limit = limits.names.values;
    throw new Refusal('too_large', `The body holds more than ${limits.values} values (${limit})`, [], { limit });
  };

  const addValue = (read: unknown): void => {
    const container = open.at(-1);
    const isItem = Array.isArray(container);
    const value = take === undefined || container === undefined ? read : take(names, read, isItem);
    if (container === undefined) result = value;
    else if (isItem) {
      if (value !== undefined) container.push(value);
    } else {
      const name = names.pop() ?? '';
      if (value !== undefined && name !== '__proto__') container[name] = value;
    }
    expected = container === undefined ? 'nothing' : 'comma';
  };

  const openContainer = (container: Container): void => {
    count();
    const limit = limits.names.depth;
    if (open.length >= limits.depth)
      throw new Refusal('bad_request', 'Problems parsing JSON: it is nested too deeply', [], { limit });
    open.push(container);
    expected = Array.isArray(container) ? 'first value' : 'first name';
  };

  const closeContainer = (first: Expected): void => {
    const container = open.pop();
    const isOfKind = Array.isArray(container) === (first === 'first value');
    if (container === undefined || !isOfKind || !(expected === 'comma' || expected === first)) throw malformed();
    addValue(container);
  };

  const expectsValue = (): boolean => expected === 'value' || expected === 'first value';
  const expectsName = (): boolean => expected === 'name' || expected === 'first name';

  const readPunctuation = (byte: number): void => {
    if (byte === quote && (expectsValue() || expectsName())) {
      if (expectsValue()) count();
      inString = true;
    } else if (byte === comma && expected === 'comma') expected = Array.isArray(open.at(-1)) ? 'value' : 'name';
    else if (byte === colon && expected === 'colon') expected = 'value';
    else if (byte === openBrace && expectsValue()) openContainer({});
    else if (byte === openBracket && expectsValue()) openContainer([]);
    else if (byte === closeBrace) closeContainer('first name');
    else if (byte === closeBracket) closeContainer('first value');
    else throw malformed();
  };

  const finish = (text: string, isEscaped: boolean): void => {
    const read = isEscaped ? text.toWellFormed() : text;
    hasNul ||= isEscaped && read.includes('\0');
    inString = false;
    string = undefined;
    if (expectsName()) {
      names.push(read);
      expected = 'colon';
    } else addValue(read);
  };

  /**
   * This and `readLiteral` read from `at` and return the offset behind what they read. An incomplete end is kept as `pending`.
   */
  const readString = (bytes: Buffer, at: number): number => {
    const part = readStringPart(bytes, at);
    if (!part) throw malformed();
    const length = (string?.length ?? 0) + part.keep - at;
    if (length > maxLength.name && expectsName()) throw badRequest('Problems parsing JSON: the name of a field is too long');
    if (length > maxString) throw tooLong(limits);
    const isEscaped = part.isEscaped || string?.isEscaped === true;
    if (part.end >= 0) {
      finish(string ? [...string.pieces, part.text].join('') : part.text, isEscaped);
      return part.end;
    }
    string ??= { pieces: [], length: 0, isEscaped };
    string.pieces.push(part.text);
    Object.assign(string, { length, isEscaped });
    pending = bytes.subarray(part.keep);
    return bytes.length;
  };

  const readLiteral = (bytes: Buffer, at: number): number => {
    if (!expectsValue()) throw malformed();
    let end = at;
    while (end < bytes.length && isLiteralByte(bytes[end] ?? 0)) end++;
    if (end === at || end - at > maxLength.number) throw malformed();
    if (end === bytes.length) {
      pending = bytes.subarray(at);
      return end;
    }
    count();
    addValue(literalOf(bytes.toString('latin1', at, end)));
    return end;
  };

  const write = (part: Buffer): void => {
    const bytes = pending && pending.length > 0 ? Buffer.concat([pending, part]) : part;
    pending = undefined;
    for (let at = 0; at < bytes.length; ) {
      const byte = bytes[at] ?? 0;
      if (inString) at = readString(bytes, at);
      else if (isBlank(byte)) at++;
      else if (isPunctuation(byte)) {
        readPunctuation(byte);
        at++;
      } else at = readLiteral(bytes, at);
    }
    if (pending) pending = Buffer.from(pending); // the caller may reuse the part's memory
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

const tooLong = ({ string, names: { string: limit = '' } }: JsonLimits): Refusal =>
  new Refusal('too_large', `The body holds a string of more than ${string} bytes (${limit})`, [], { limit });

const malformed = (): Refusal => badRequest('Problems parsing JSON');

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isPunctuation = (byte: number): boolean =>
  byte === quote ||
  byte === comma ||
  byte === colon ||
  byte === openBrace ||
  byte === closeBrace ||
  byte === openBracket ||
  byte === closeBracket;

/** The bytes of numbers, `true`, `false` and `null`. */
const isLiteralByte = (byte: number): boolean =>
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

function literalOf(word: string): number | boolean | null {
  if (numeral.test(word)) return Number(word);
  const known = words.get(word);
  if (known === undefined) throw malformed();
  return known;
}
