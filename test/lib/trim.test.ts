import { expect, test } from 'vitest';
import { trimEndOf, trimOf } from '#lib/trim.ts';
import { computing } from '#test/support/time.ts';

test('characters are taken off the ends of a text', () => {
  expect(trimOf('//a//b//', '/')).toBe('a//b');
  expect(trimOf('_-a-_', '-_')).toBe('a');
  expect(trimOf('////', '/')).toBe('');
  expect(trimOf('', '/')).toBe('');
  expect(trimEndOf('//a//', '/')).toBe('//a');
});

test('a long run in the middle takes no time', () => {
  const text = `a${'/'.repeat(1_000_000)}b`;
  expect(computing(() => expect(trimOf(text, '/')).toBe(text))).toBeLessThan(200);
});
