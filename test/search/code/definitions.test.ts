import { expect, test } from 'vitest';
import { definitionsOf } from '#search/code/definitions.ts';
import { computing } from '#test/support/time.ts';

test('names that lines define, in several languages', () => {
  const text = [
    'export default async function getUser() {}',
    '  public static final class Widget {',
    'pub unsafe fn look_up() {}',
    '#define LIMIT 3',
    'def run(): pass',
    'return user;',
  ].join('\n');
  expect([...definitionsOf(text)]).toEqual(['getUser', 'Widget', 'look_up', 'run', 'LIMIT']);
});

// One look at each line: reading on over the following ones takes most of a minute for a file of the largest size.
test.each(['public\n', 'static ', 'function\n', '  # ', 'const '])('a file full of %j takes linear time', (piece) => {
  expect(computing(() => definitionsOf(piece.repeat(380_000 / piece.length)))).toBeLessThan(1_500);
});
