import { expect, test } from 'vitest';
import { presentMessage } from '#resources/commits/index.ts';

test('the line ends that close a message are left out, in time that grows with its length alone', () => {
  expect(presentMessage('Subject\n\nBody\n\n')).toBe('Subject\n\nBody');
  expect([presentMessage('\n\n'), presentMessage('')]).toEqual(['', '']);
  const start = performance.now();
  const hostile = `${'\n'.repeat(300_000)}x`;
  expect(presentMessage(hostile)).toBe(hostile);
  expect(performance.now() - start).toBeLessThan(500);
});
