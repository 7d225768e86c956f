import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskOfSecrets } from '#resources/actions/workflow-runs/logs/secret-mask.ts';

const maskOf = (...secrets: string[]) => {
  const mask = maskOfSecrets(secrets);
  if (!mask) throw new Error('These secrets have too many lines');
  return mask;
};

test.each<[string, string[], string, string]>([
  ['nothing', [], 'all is shown', 'all is shown'],
  ['a secret', ['moon'], 'a moon and a moonlight', 'a *** and a ***light'],
  [
    'the longest of those with one beginning',
    ['moon', 'moonlight', 'moonbeam'],
    'moonligh moonlight moonbea',
    '***ligh *** ***bea',
  ],
  ['lines of a secret', ['first line\n second line \nab'], 'a first line, a second line, ab', 'a ***, a ***, ab'],
  ['a secret whose lines are all short', ['ab\ncd'], 'ab cd ab\ncd', 'ab cd ***'],
  ['secrets that overlap', ['abcdef', 'defghi'], 'xabcdefghix', 'x***x'],
  ['secrets that touch', ['abc', 'def'], 'abcdef', '***'],
  ['no text that is shorter than three characters', ['ab', ''], 'ab', 'ab'],
])('hides %s', (_name, secrets, text, shown) => {
  expect(maskOf(...secrets).hide(text)).toBe(shown);
});

test('a long secret is hidden as one, though it is looked for in pieces, and another secret has its beginning', () => {
  const secret = Array.from({ length: 40_000 }, (_, at) => String.fromCharCode(97 + ((at * at) % 26))).join('');
  const mask = maskOf(secret, `${secret.slice(0, 900)}${'z'.repeat(90)}`, secret.slice(0, 1_010));
  expect(mask.hide(`before ${secret} behind`)).toBe('before *** behind');
});

test('of a text that is cut, a secret shows nothing that goes on behind its end', () => {
  const mask = maskOf('moonlight');
  expect(mask.hide('by moonlight', 7)).toBe('by ***');
  expect(mask.hide('by day and by moonlight', 6)).toBe('by day');
});

test('whatever the secrets and the text are, no secret is left in it', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 8 }),
      fc.array(fc.oneof(letters, fc.constant(' ')), { maxLength: 12 }),
      (secrets, parts) => {
        const text = parts.join('');
        const shown = maskOf(...secrets).hide(text);
        expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
        // What is shown besides is of the text, in its order.
        const rest = shown.split('***').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
        expect(text).toMatch(new RegExp(`^${rest.join('[^]+')}$`));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('secrets of the largest size and number, and a text that almost is one of them, take milliseconds', () => {
  const secrets = Array.from({ length: 300 }, (_, at) => `${'a'.repeat(48 * 1_024 - 8)}b${at}`);
  const start = process.threadCpuUsage();
  const shown = maskOf(...secrets).hide('a'.repeat(4_096));
  const { user, system } = process.threadCpuUsage(start);
  expect(shown.length).toBeLessThan(10);
  expect((user + system) / 1_000, 'milliseconds').toBeLessThan(500);
});

test('secrets of too many lines have no mask', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join('\n');
  expect(maskOfSecrets([lines(20_000)])?.hide('a line 19999')).toBe('a ***');
  expect(maskOfSecrets([lines(20_001)])).toBeUndefined();
});
