import { expect, test } from 'vitest';
import { system } from '#lib/caller.ts';
import { showLines } from '#resources/code/source-pages/code-lines.ts';
import { longestTurn } from '#test/support/time.ts';

const shown = async (text: string, line: number, length = 3) => {
  const { from, lines, total, previous, next } = await showLines({ text, path: 'a.txt', line, length }, system);
  return [from, lines.join(''), total, previous, next];
};

test('a text is shown in parts that begin at fixed lines', async () => {
  const text = 'a\nb\r\nc\nd\ne\nf\n';
  expect(await shown(text, 1)).toEqual([1, 'abc', 6, null, 4]);
  expect(await shown(text, 3)).toEqual([1, 'abc', 6, null, 4]);
  expect(await shown(text, 4)).toEqual([4, 'def', 6, 1, null]);
  expect(await shown(text, 99)).toEqual([4, 'def', 6, 1, null]);
  expect(await shown(`${text}g`, 7)).toEqual([7, 'g', 7, 4, null]);
  expect(await shown('', 1)).toEqual([1, '', 0, null, null]);
  expect(await shown('\n\n', 1)).toEqual([1, '', 2, null, null]);
});

test('a part with long lines has several pages, none of which is skipped', async () => {
  const text = `${'x'.repeat(19_000)}\n`.repeat(100);
  const seen: number[] = [];
  for (let line: number | null = 1; line !== null; ) {
    const part = await showLines({ text, path: 'a.txt', line }, system);
    expect(part.from).toBe(line);
    seen.push(...part.lines.map((_, at) => part.from + at));
    line = part.next;
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  const last = await showLines({ text, path: 'a.txt', line: 60 }, system);
  expect(last.from).toBeLessThanOrEqual(60);
  expect(last.from + last.lines.length).toBeGreaterThan(60);
});

test('millions of lines are counted in turns', async () => {
  const text = '\n'.repeat(8_000_000);
  const { longest, result } = await longestTurn(() => showLines({ text, path: 'a.txt', line: 1 }, system));
  expect(result.total).toBe(8_000_000);
  expect(longest).toBeLessThan(60);
});
