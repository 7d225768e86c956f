import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isVulnerable } from '#resources/security/dependency-alerts/versions.ts';
import { newIdentifier } from '#resources/security/repository-advisories/identifier.ts';
import {
  firstPatched,
  isVersion,
  readPatched,
  readRange,
  vulnerableOf,
} from '#resources/security/repository-advisories/ranges.ts';

test.each([
  ['< 1.2.3', [{ sign: '<', version: '1.2.3' }]],
  [
    '>=1.0.0,<2.0.0',
    [
      { sign: '>=', version: '1.0.0' },
      { sign: '<', version: '2.0.0' },
    ],
  ],
  ['= 1.0.0', [{ sign: '=', version: '1.0.0' }]],
  [
    '> 1.0.0, <= 2.0.0',
    [
      { sign: '>', version: '1.0.0' },
      { sign: '<=', version: '2.0.0' },
    ],
  ],
])('%s is a range', (text, bounds) => {
  expect(readRange(text)).toEqual(bounds);
});

test.each(['', '1.0.0', '< ', '== 1', '< 1, < 2', '>= 1, > 2', '= 1, < 2', '< 1 2', '=> 1', '< 1,', `< ${'1'.repeat(101)}`])(
  '%j is none',
  (text) => {
    expect(readRange(text)).toBeUndefined();
  },
);

test('patched versions are versions with or without a sign, and the first of them is one alone', () => {
  expect(readPatched('1.2.3')).toEqual(['1.2.3']);
  expect(readPatched('>= 1.2.3, < 2, 2.0.1')).toEqual(['1.2.3', '2', '2.0.1']);
  for (const text of ['', ',', '1.0.0,', '1 2']) expect(readPatched(text)).toBeUndefined();
  expect(firstPatched('>= 1.2.3')).toBe('1.2.3');
  expect(firstPatched('= 1.2.3')).toBe('1.2.3');
  for (const text of [null, '1.2.3, 2.0.1', '< 2']) expect(firstPatched(text)).toBeNull();
});

test('versions are those of their ecosystem, where that is compared', () => {
  expect(isVersion('npm', '1.2.3')).toBe(true);
  expect(isVersion('npm', '1.2')).toBe(false);
  expect(isVersion('pip', '1.2')).toBe(true);
  expect(isVersion('swift', 'whatever')).toBe(true);
});

const version = fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5)).map((parts) => parts.join('.'));

test('alerts compare a range as it is written', () => {
  expect(vulnerableOf(null)).toBeUndefined();
  expect(vulnerableOf('> 1.0.0, < 2.0.0')).toBeUndefined();
  const order = (one: string, other: string) => one.localeCompare(other); // single digits
  fc.assert(
    fc.property(version, version, version, fc.constantFrom('<', '<='), (low, high, asked, sign) => {
      const vulnerable = vulnerableOf(`>= ${low}, ${sign} ${high}`);
      const isBelow = sign === '<' ? order(asked, high) < 0 : order(asked, high) <= 0;
      expect(vulnerable && isVulnerable('npm', asked, vulnerable)).toBe(order(asked, low) >= 0 && isBelow);
    }),
  );
  fc.assert(
    fc.property(version, version, (only, asked) => {
      const vulnerable = vulnerableOf(`= ${only}`);
      expect(vulnerable && isVulnerable('npm', asked, vulnerable)).toBe(asked === only);
    }),
  );
});

test('no text breaks the reader of ranges', () => {
  fc.assert(
    fc.property(fc.string(), (text) => void [readRange(text), readPatched(text), vulnerableOf(text), firstPatched(text)]),
  );
});

test('identifiers have the public form', () => {
  for (let count = 0; count < 50; count++) expect(newIdentifier()).toMatch(/^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/);
});
