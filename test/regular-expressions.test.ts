import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// An expression such as `/_+$/` takes quadratic time where a long run isn't followed by what it wants: it is tried again from
// each character of the run.

const root = new URL('../src', import.meta.url).pathname;

const comments = /^\s*(?:\/\/|\/?\*).*$/gm;
const literals = /(?<=^|[(,=:?&|!\s[])\/(?![/*])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[.,;)\s\]]|$)/gm;
/** A repetition without end of one character, one class or one group of these, and something behind it. */
const repetition =
  /^\(*(?:\?:)?(?:\\p\{\w+\}|\\.|\[(?:[^\]\\]|\\.)*\]|\(\?:(?:[^()\\]|\\.)*\)|[^\\^$()[\]|])\)*(?:[+*]|\{\d+,\})[+*)]*.*[^)]/;

/** The alternatives of an expression. */
function alternativesOf(source: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of source.matchAll(/\\.|\[(?:[^\]\\]|\\.)*\]|./gs)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** The expressions of a file that begin with a repetition without end, and go on. */
const slowIn = (text: string): string[] =>
  [...text.replaceAll(comments, '').matchAll(literals)]
    .filter(([, source = '', flags = '']) => !flags.includes('y') && alternativesOf(source).some((part) => repetition.test(part)))
    .map(([, source]) => `/${source}/`);

/** Those that never give back more than a few characters, each with why. */
const harmless: ReadonlyMap<string, string> = new Map([
  ['/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/', 'it is satisfied one letter before the end of a run'],
  [String.raw`/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+/`, 'it is, too'],
]);

test('no regular expression begins with a repetition that something must follow', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const found = files.flatMap((file) =>
    slowIn(readFileSync(join(root, file), 'utf8'))
      .filter((source) => !harmless.has(source))
      .map((source) => `${file}: ${source}`),
  );
  expect(found, 'use trimOf of #lib/trim.ts, or say in `harmless` why they are none').toEqual([]);
});

test('such expressions are noticed', () => {
  for (const text of [
    't.replace(/_+$/, "")',
    'const a = /^a|b*$/;',
    't.match(/((?:[~^]\\d{0,9})+)$/)',
    'x(/[^/]+\\/[^/]+$/)',
    't.split(/ *, */)',
  ])
    expect(slowIn(text), text).toHaveLength(1);
  for (const text of [
    't.replace(/_+/g, "")',
    'const a = /^_+$/;',
    '/a+$/y.exec(t)',
    '/(?:a|b)/.test(t)',
    '// as /a+$/',
    't.test(/ab*$/)',
  ])
    expect(slowIn(text), text).toEqual([]);
});
