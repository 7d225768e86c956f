import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonLimits, jsonReader } from '#lib/json-reader.ts';
import { Refusal } from '#lib/refusal.ts';
import { computing } from '#test/support/time.ts';

const limits: JsonLimits = { depth: 64, values: 1_000_000, names: { depth: 'test.depth', values: 'test.values' } };
type Read = { value: unknown } | { refused: string; limit: string | undefined } | undefined;

/** What the reader makes of bytes that arrive in parts which end at these places. */
function read(bytes: Buffer, ends: readonly number[] = [], more: Partial<JsonLimits> = {}): Read {
  const reader = jsonReader({ ...limits, ...more });
  const places = [...new Set([0, ...ends.map((end) => end % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  try {
    for (const [index, from] of places.slice(0, -1).entries()) {
      const part = Buffer.from(bytes.subarray(from, places[index + 1]));
      reader.write(part);
      part.fill('"'); // as a buffer that is used again
    }
    const json = reader.end();
    return json && { value: json.value };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refused: error.message, limit: error.limit };
  }
}

/** What JSON.parse makes of a text, with what the reader changes. */
function parsed(text: string): Read {
  if (/^[ \t\r\n]*$/.test(text)) return undefined;
  try {
    return { value: mended(JSON.parse(text)) };
  } catch {
    return { refused: 'Problems parsing JSON', limit: undefined };
  }
}

const outcome = (read: Read): string => (read === undefined ? 'nothing' : 'value' in read ? 'a value' : read.refused);

/** A value with well-formed texts, and without fields named `__proto__`. */
function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(mended);
  const fields = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(fields.map(([name, inner]) => [name.toWellFormed(), mended(inner)]));
}

const ends = fc.array(fc.nat(), { maxLength: 12 });
const strings = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '€', '💩', '\ud83d', '\udca9', '\u2028', '/'),
});
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    strings,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
    fc.constantFrom(null, true, false, 1e21, 1e-7),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(strings, fc.constantFrom('a', '__proto__', '7', 'constructor')), tie('value'), { maxKeys: 5 }),
  ),
})).value;

/** The same JSON with other letters of its strings escaped than JSON.stringify escapes. */
const escaped = (text: string, every: number): string =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replace(/\\u.{4}|\\.|[aé€💩]/gu, (letter, at: number) =>
      at % every === 0 && !letter.startsWith('\\')
        ? Array.from({ length: letter.length }, (_, i) => `\\u${letter.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')
        : letter,
    ),
  );

// The values aren't compared with JSON.parse's: V8 mistakes an escaped name for another it met before (nodejs/node#63785).
test('it gives what was written, however the text is written and cut into parts', () => {
  fc.assert(
    fc.property(
      values,
      fc.constantFrom(0, 1, '\t', ' \r\n'),
      fc.integer({ min: 1, max: 3 }),
      ends,
      (value, indent, every, cuts) => {
        const text = escaped(JSON.stringify(value, undefined, indent), every);
        const bytes = Buffer.from(text);
        expect(read(bytes, cuts)).toEqual({ value: mended(value) });
      },
    ),
    { numRuns: 3_000 },
  );
});

test('it refuses what JSON.parse refuses, and takes what it takes', () => {
  const tokens = fc.constantFrom(
    ...'{}[],:"\\ \n\tu'.split(''),
    ...[
      '"a"',
      '"a":',
      '"\\u00e9"',
      '\\u00',
      '1',
      '-',
      '0',
      '1.5',
      '.5',
      '1e9',
      '1E+',
      'true',
      'false',
      'null',
      'nul',
      'é',
      '\u00a0',
      '\ufeff',
      '[]',
      '{}',
    ],
  );
  const texts = fc.array(tokens, { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, ends, (text, cuts) => {
      expect(outcome(read(Buffer.from(text), cuts))).toBe(outcome(parsed(text)));
    }),
    { numRuns: 20_000 },
  );
});

test('bytes that are not UTF-8 are refused, wherever a part ends', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), ends, (inside, cuts) => {
      const bytes = Buffer.concat([Buffer.from('"'), inside, Buffer.from('"')]);
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      const isUtf8 = Buffer.from(text).equals(bytes);
      expect(read(bytes, cuts)).toEqual(isUtf8 ? parsed(text) : { refused: 'Problems parsing JSON', limit: undefined });
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['['.repeat(65), { refused: 'Problems parsing JSON: it is nested too deeply', limit: 'test.depth' }],
  [`${'[{"a":'.repeat(32)}1${'}]'.repeat(32)}`, { value: expect.anything() }],
  [`[${'1,'.repeat(9)}1]`, { refused: 'The body holds more than 10 values (test.values)', limit: 'test.values' }],
  [`[${'1,'.repeat(8)}1]`, { value: expect.anything() }],
  [`{"${'a'.repeat(1_025)}":1}`, { refused: 'Problems parsing JSON: the name of a field is too long', limit: undefined }],
  [`[${'1'.repeat(1_001)}]`, { refused: 'Problems parsing JSON', limit: undefined }],
])('%.30s meets its limit', (text, expected) => {
  const values = text.startsWith('[1,') ? 10 : limits.values;
  for (const cuts of [[], [40, 70], Array.from({ length: text.length }, (_, at) => at)])
    expect(read(Buffer.from(text), cuts, { values })).toEqual(expected);
});

test('it tells how many values there are, and whether a string holds U+0000', () => {
  const about = (text: string) => {
    const reader = jsonReader(limits);
    reader.write(Buffer.from(text));
    const json = reader.end();
    return [json?.size, json?.hasNul];
  };
  expect(about('{"a":[1,"b",{"c":null}]}')).toEqual([6, false]);
  expect(about('["a\\u0000"]')).toEqual([2, true]);
  expect(about('{"a\\u0000":1}')).toEqual([2, true]);
  expect(about('["\\\\u0000"]')).toEqual([2, false]);
});

test('no part makes more work than its own length', () => {
  const mebi = 1024 * 1024;
  for (const text of [
    `"${'a'.repeat(8 * mebi)}"`,
    `"${'\\n'.repeat(4 * mebi)}"`,
    ' '.repeat(8 * mebi),
    `["${'é'.repeat(4 * mebi)}`,
  ]) {
    const bytes = Buffer.from(text);
    const reader = jsonReader(limits);
    const times: number[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) times.push(computing(() => reader.write(bytes.subarray(at, at + 65_536))));
    const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
    expect(median, 'milliseconds for 64 KiB').toBeLessThan(5);
  }
});
