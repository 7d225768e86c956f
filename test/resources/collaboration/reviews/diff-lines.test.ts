import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import {
  areInOneHunk,
  type DiffLine,
  findLine,
  findPosition,
  hunkUntil,
  linesAfter,
  type Patch,
  parseChanges,
  parsePatch,
} from '#resources/collaboration/reviews/diff-lines.ts';
import { computing } from '#test/support/time.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The patch of a file as Git writes it, from its first hunk on; empty where nothing differs. */
function gitDiff(before: readonly string[], after: readonly string[], ...options: string[]): string {
  const [one, other] = [join(folder, 'before'), join(folder, 'after')];
  // No end of line at the end, so that Git notes that too.
  writeFileSync(one, before.join('\n'));
  writeFileSync(other, after.join('\n'));
  try {
    execFileSync('git', ['diff', '--no-index', '--no-color', '--no-ext-diff', ...options, '--', one, other]);
    return '';
  } catch (error) {
    const text = String((error as { stdout: Buffer }).stdout);
    const start = text.search(/^@@ /m);
    return start < 0 ? '' : text.slice(start).replace(/\n$/, '');
  }
}

const example = parsePatch(
  ['@@ -1,3 +1,3 @@', ' a', '-b', '+B', ' c', '@@ -20,2 +20,3 @@ c', ' t', '+u', ' v', '\\ No newline at end of file'].join('\n'),
);

test('lines have positions and numbers on either side', () => {
  expect(findPosition(example, 0)).toBeUndefined();
  expect(findPosition(example, 1)).toEqual({ position: 1, left: 1, right: 1 });
  expect(findPosition(example, 2)).toEqual({ position: 2, left: 2 });
  expect(findPosition(example, 3)).toEqual({ position: 3, right: 2 });
  expect(findPosition(example, 5)).toBeUndefined();
  expect(findPosition(example, 9)).toBeUndefined();
  expect(findLine(example, 'RIGHT', 21)?.position).toBe(7);
  expect(findLine(example, 'LEFT', 21)?.position).toBe(8);
  expect(findLine(example, 'RIGHT', 4)).toBeUndefined();
  const [b, t] = [findLine(example, 'LEFT', 2), findLine(example, 'LEFT', 20)];
  expect(b && t && areInOneHunk(example, b, t)).toBe(false);
});

test('a hunk is shown down to a line; of a long one, the lines before that', () => {
  expect(hunkUntil(example, 2, 1_000)).toBe('@@ -1,3 +1,3 @@\n a\n-b');
  expect(hunkUntil(example, 7, 1_000)).toBe('@@ -20,2 +20,3 @@ c\n t\n+u');
  expect(hunkUntil(example, 4, 22)).toBe('@@ -1,3 +1,3 @@\n+B\n c');
  expect(hunkUntil(example, 4, 17)).toBe('@@ -1,3 +1,3 @@\n ');
});

/** Two versions of a file that have most of their lines in common. */
const versions = fc
  .array(fc.record({ line: fc.constantFrom('a', 'b', 'c', '-d', '+e', '@@ -1 +1 @@', ''), change: fc.nat(9) }), { maxLength: 40 })
  .map((given) => ({
    before: given.flatMap(({ line, change }) => (change === 0 ? [] : [line])),
    after: given.flatMap(({ line, change }) =>
      change === 1 ? [] : change === 2 ? [`${line}!`] : change === 3 ? [line, 'new'] : [line],
    ),
  }));

const textAt = ({ texts }: Patch, position: number): string => (texts[position] ?? '').slice(1);

/** The lines of a patch, in the plainest way. */
function linesOf({ texts }: Patch): DiffLine[] {
  let [left, right] = [0, 0];
  return texts.flatMap((text, position): DiffLine[] => {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (header) [left, right] = [Number(header[1]), Number(header[2])];
    if (text.startsWith('-')) return [{ position, left: left++ }];
    if (text.startsWith('+')) return [{ position, right: right++ }];
    return text.startsWith(' ') ? [{ position, left: left++, right: right++ }] : [];
  });
}

test('lines that a patch does not show are not found', () => {
  fc.assert(
    fc.property(versions, ({ before, after }) => {
      const text = gitDiff(before, after);
      if (text === '') return;
      const patch = parsePatch(text);
      const lines = linesOf(patch);
      for (let line = 1; line <= 90; line++) {
        expect(findLine(patch, 'LEFT', line)).toEqual(lines.find(({ left }) => left === line));
        expect(findLine(patch, 'RIGHT', line)).toEqual(lines.find(({ right }) => right === line));
      }
    }),
    { numRuns: 100 },
  );
});

test('lines of a patch as long as one may be are found in an instant', () => {
  const patch = parsePatch(`@@ -0,0 +1,400000 @@\n${'+\n'.repeat(400_000)}`);
  const time = computing(() => {
    for (let line = 390_001; line <= 400_000; line++) expect(findLine(patch, 'RIGHT', line)?.position).toBe(line);
  });
  expect(time).toBeLessThan(1_000);
  const after = linesAfter(Array.from({ length: 50_000 }, (_, at) => ({ from: at * 3 + 1, removed: 1, added: 1 })));
  expect(
    computing(() => {
      for (let line = 140_001; line < 150_000; line += 3) expect([after(line), after(line + 1)]).toEqual([line, undefined]);
    }),
  ).toBeLessThan(1_000);
});

test('every position of a diff of Git has the lines that it shows, and those lead back to it', () => {
  fc.assert(
    fc.property(versions, ({ before, after }) => {
      const text = gitDiff(before, after);
      if (text === '') return;
      const patch = parsePatch(text);
      for (const line of linesOf(patch)) {
        const { position, left, right } = line;
        if (left !== undefined)
          expect([before[left - 1], findLine(patch, 'LEFT', left)]).toEqual([textAt(patch, position), line]);
        if (right !== undefined)
          expect([after[right - 1], findLine(patch, 'RIGHT', right)]).toEqual([textAt(patch, position), line]);
        expect(hunkUntil(patch, position, 10_000).split('\n').at(-1)).toBe(patch.texts[position]);
      }
    }),
    { numRuns: 150 },
  );
});

test('lines that Git shows as unchanged are found again, and no others', () => {
  fc.assert(
    fc.property(versions, ({ before, after }) => {
      const changes = parseChanges(gitDiff(before, after, '-U0'));
      const whole = parsePatch(gitDiff(before, after, '-U1000'));
      const lineNow = linesAfter(changes);
      for (const { left, right } of linesOf(whole)) if (left !== undefined) expect(lineNow(left)).toBe(right);
    }),
    { numRuns: 150 },
  );
});
