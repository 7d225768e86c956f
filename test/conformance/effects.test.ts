// Every field that a request may write has a test of what it does, or a reason in the list of those that lack one.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allEndpoints } from '#resources/all.ts';
import { differencesFromDocuments } from './differences.ts';
import { lackingEffects } from './effects-lacking.ts';
import { fieldsOf } from './fields.ts';

type Effects = { readonly [family: string]: { readonly [test: string]: readonly string[] } };

const root = new URL('../../', import.meta.url);
/** By family, the tests of its fields, each as `file › name`. */
const effects: Effects = JSON.parse(readFileSync(new URL('effects.json', import.meta.url), 'utf8'));

const declared = new Set(allEndpoints.flatMap((endpoint) => fieldsOf(endpoint).map((field) => `${endpoint.family} ${field}`)));
const named = Object.entries(effects).flatMap(([family, tests]) =>
  Object.entries(tests).flatMap(([place, fields]) => fields.map((field) => ({ key: `${family} ${field}`, place, field }))),
);
const lacking = lackingEffects.flatMap(({ family, fields }) => fields.map((field) => `${family} ${field}`));

test('every writable field names the test of its effect, or stands in the list of those without one', () => {
  expect(declared.size).toBeGreaterThan(800);
  const known = [...named.map(({ key }) => key), ...lacking];
  const twice = known.filter((key, at) => known.indexOf(key) !== at);
  expect({ twice, unproved: [...declared].filter((key) => !known.includes(key)) }).toEqual({ twice: [], unproved: [] });
  expect(known.filter((key) => !declared.has(key))).toEqual([]);
});

test('the tests that are named exist, and write or read their fields', () => {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const address = new URL(file, root);
    const text = texts.get(file) ?? (existsSync(address) ? readFileSync(address, 'utf8') : '');
    texts.set(file, text);
    return text;
  };
  const wrong = named.filter(({ place, field }) => {
    const [file = '', name = ''] = place.split(' › ');
    const text = textOf(file);
    const word = field.split('.').findLast((part) => part !== '*') ?? '';
    return !text.includes(name) || name === '' || !new RegExp(`\\b${word}\\b`).test(text);
  });
  expect(wrong.map(({ key, place }) => `${key}: ${place}`)).toEqual([]);
});

test('a difference from a document has a test', () => {
  for (const { test: place } of differencesFromDocuments) {
    const [file = '', name = ''] = place.split(' › ');
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(name);
  }
});

test('the list of fields without an effect only shrinks', () => {
  expect(lacking.length).toBeLessThanOrEqual(49);
});
