import { expect, test } from 'vitest';
import { presentMessage } from '#resources/code/commits/index.ts';
import { computing } from '#test/support/time.ts';

test('the line ends that close a message are left out, in time that grows with its length alone', () => {
  expect(presentMessage('Subject\n\nBody\n\n')).toBe('Subject\n\nBody');
  expect([presentMessage('\n\n'), presentMessage('')]).toEqual(['', '']);
  const hostile = `${'\n'.repeat(300_000)}x`;
  expect(computing(() => expect(presentMessage(hostile)).toBe(hostile))).toBeLessThan(500);
});
