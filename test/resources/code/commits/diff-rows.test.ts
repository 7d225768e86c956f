import { expect, test } from 'vitest';
import { parseRanges } from '#resources/code/commits/diffs/expand.ts';
import { isGenerated } from '#resources/code/commits/diffs/generated.ts';
import { parseRows } from '#resources/code/commits/diffs/rows.ts';
import { markWords } from '#resources/code/commits/diffs/words.ts';
import { computing, longestTurn } from '#test/support/time.ts';

/** The marked words of a line. */
const wordsIn = (text: string, marks: readonly number[]): string[] =>
  marks.flatMap((from, at) => (at % 2 === 0 ? [text.slice(from, marks[at + 1])] : []));

const markedWords = (before: string, after: string) => {
  const marks = markWords(before, after);
  return marks && [wordsIn(before, marks.before), wordsIn(after, marks.after)];
};

test('the words that changed are marked, and none where little is common', () => {
  expect(markedWords('const a = readCursor(query.after);', 'const b = readCursor(query.before);')).toEqual([
    ['a', 'after'],
    ['b', 'before'],
  ]);
  expect(markedWords('return numbered(rows);', 'return numberedWithCursors(rows, from);')).toEqual([
    ['numbered'],
    ['numberedWithCursors', ', from'],
  ]);
  expect(markedWords('a b c', 'a b c d')).toEqual([[], [' d']]);
  expect(markedWords('größer 😀', 'größer 😁')).toEqual([['😀'], ['😁']]);
  expect(markedWords('nothing', 'completely different')).toBeUndefined();
  expect(markWords('x'.repeat(501), 'y')).toBeUndefined();
});

test('long lines of many words take little time', () => {
  const many = (word: string) => Array.from({ length: 250 }, (_, at) => (at % 2 ? word : '.')).join('');
  expect(computing(() => markWords(many('a'), many('b')))).toBeLessThan(10);
});

const patch = `@@ -1,4 +1,4 @@ class A
 one
-two words
+two Words
 three
\\ No newline at end of file
@@ -20,2 +20,3 @@
 twenty
+more
 end`;

test('rows have their positions and numbers', async () => {
  const { rows, next } = await parseRows(patch);
  expect(next).toBeUndefined();
  expect(rows.map(({ kind, position, left, right }) => [kind, position, left, right])).toEqual([
    ['hunk', 0, 1, 1],
    ['context', 1, 1, 1],
    ['removed', 2, 2, undefined],
    ['added', 3, undefined, 2],
    ['context', 4, 3, 3],
    ['note', 5, undefined, undefined],
    ['hunk', 6, 20, 20],
    ['context', 7, 20, 20],
    ['added', 8, undefined, 21],
    ['context', 9, 21, 22],
  ]);
  expect(rows[0]?.text).toBe('class A');
  expect(wordsIn(rows[3]?.text ?? '', rows[3]?.marks ?? [])).toEqual(['Words']);
});

test('a page that begins within a hunk repeats its header', async () => {
  const { rows: first, next } = await parseRows(patch, { limit: 3 });
  expect([first.length, next]).toEqual([3, 3]);
  const { rows } = await parseRows(patch, { from: 3 });
  expect(rows.slice(0, 2)).toMatchObject([
    { kind: 'hunk', left: 3, right: 2 },
    { kind: 'added', right: 2 },
  ]);
  expect((await parseRows(patch, { from: 99 })).rows).toEqual([]);
});

test('long lines are cut', async () => {
  const { rows } = await parseRows(`@@ -0,0 +1 @@\n+${'x'.repeat(5_000)}`);
  expect([rows[1]?.text.length, rows[1]?.cut]).toEqual([2_000, 3_000]);
});

test('a patch of 50,000 lines holds the event loop for short turns only', async () => {
  const [removed, added] = ['-an old line with some words\n', '+a new line with some words\n'];
  const large = `@@ -1,25000 +1,25000 @@\n${removed.repeat(25_000)}${added.repeat(25_000)}`;
  const { result, longest } = await longestTurn(() => parseRows(large, { from: 49_000 }));
  expect(result.rows.length).toBeGreaterThan(900);
  expect(longest).toBeLessThan(20);
});

test('ranges of lines are ordered, joined and bounded', () => {
  expect(parseRanges('50-60,10-30,20-40')).toEqual([
    { from: 10, to: 30 },
    { from: 31, to: 40 },
    { from: 50, to: 60 },
  ]);
  expect(parseRanges('1-99999999')).toEqual([{ from: 1, to: 1_000 }]);
  expect(parseRanges('9-3')).toEqual([]);
});

test('generated files are known by their paths', () => {
  expect(['package-lock.json', 'a/b/Cargo.lock', 'dist/a.min.js', 'vendor/x.go', 'x.pb.go'].every(isGenerated)).toBe(true);
  expect(['package.json', 'src/vendors.ts', 'min.js', 'lock.ts'].some(isGenerated)).toBe(false);
});
