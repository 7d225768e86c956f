import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitOverrides, limitsText, parseLimits } from '#cli/limit-settings.ts';
import { gitLimits } from '#git/limits.ts';
import { resourceLimits } from '#lib/limits.ts';
import { allLimits } from '#resources/all.ts';

const read = (text: string) => limitOverrides(parseLimits(text), allLimits);

test('limits are read by their names, bytes and times with units', () => {
  const overrides = read('git.transfers=32, requests.body = 2M,git.commandTime=1m');
  expect(overrides).toEqual({ git: { transfers: 32, commandTime: 60_000 }, requests: { body: 2 * 1024 * 1024 } });
  const limits = resourceLimits(allLimits, overrides).of(gitLimits);
  expect(limits.transfers).toBe(32);
  expect(limits.push).toBe(gitLimits.push.value);
});

test.each([
  ['', 'as git.transfers=32'],
  ['git.transfers', 'as git.transfers=32'],
  ['git.transfers=', 'as git.transfers=32'],
  ['git.transfers=-1', 'as git.transfers=32'],
  ['git.nothing=1', "there is no 'git.nothing'"],
  ['constructor.name=1', "there is no 'constructor.name'"],
  ['git.transfers=1k', 'whole number of things'],
  ['requests.body=1s', 'whole number of bytes, alone or with K, M, G'],
  ['git.transferTime=1d', 'ms, s, m, h'],
  ['git.transfers=0', 'at least 1'],
  ['git.push=99999999999G', 'at least 1'],
  ['search.results=2000', "can't change search.results, which is fixed"],
])('%j is refused: %s', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('what is written is read again', () => {
  const names = [...allLimits].flatMap(([group, { limits }]) =>
    Object.keys(limits)
      .filter((name) => !limits[name]?.fixed)
      .map((name) => `${group}.${name}`),
  );
  const given = fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 2 ** 40 }), { minKeys: 1 });
  fc.assert(
    fc.property(given, (values) => {
      const text = Object.entries(values).map(([name, value]) => `${name}=${value}`);
      expect(
        limitsText(read(text.join(',')))
          .split(',')
          .sort(),
      ).toEqual(text.sort());
    }),
  );
});
