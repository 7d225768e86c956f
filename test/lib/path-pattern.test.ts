import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fnmatchesOf, fnmatchOf, matchesFnmatch, pathOf, fnmatchProblem as problemOf } from '#lib/path-pattern.ts';
import { stepsOfAllWork, stepsOfWork, stepsWithin } from '#lib/pattern-steps.ts';
import { computing } from '#test/support/time.ts';

const matches = (pattern: string, path: string): boolean =>
  matchesFnmatch(fnmatchOf(pattern, stepsOfWork()), pathOf(path), stepsOfWork());

const fnmatchProblem = (pattern: string): string | undefined => problemOf(pattern, stepsOfWork());

test.each<[string, string[], string[]]>([
  ['refs/heads/main', ['refs/heads/main'], ['refs/heads/mainly', 'refs/heads/a/main', 'refs/heads/Main']],
  ['refs/heads/*', ['refs/heads/a', 'refs/heads/.a'], ['refs/heads/a/b', 'refs/tags/a']],
  ['refs/heads/**/*', ['refs/heads/a', 'refs/heads/a/b', 'refs/heads/a/b/c'], ['refs/tags/a', 'refs/heads']],
  ['refs/heads/**', ['refs/heads/a'], ['refs/heads/a/b']],
  ['refs/**/a', ['refs/a', 'refs/heads/a', 'refs/heads/b/a'], ['refs/heads/ba']],
  ['release/?.?', ['release/1.2'], ['release/1.22', 'release/1/2']],
  ['v[0-9]*', ['v1', 'v1.2-rc'], ['vx', 'v', 'v/1']],
  ['[!a-c]x', ['dx', '-x'], ['ax', 'cx', 'x']],
  ['[^a-c]x', ['dx'], ['bx']],
  ['[]x]', [']', 'x'], ['[', '[]x]']],
  ['[a\\]]', ['a', ']'], ['\\']],
  ['[-a]', ['-', 'a'], ['b']],
  ['[é-ü😀]', ['é', 'ö', '😀'], ['a']],
  ['{main,release/*}', ['main', 'release/1'], ['release', 'release/1/2', 'a']],
  ['a{b,c{d,e}}f', ['abf', 'acdf', 'acef'], ['acf', 'adf']],
  ['a{,b}', ['a', 'ab'], ['b']],
  ['a{b', ['a{b'], ['ab']],
  ['a}b,c', ['a}b,c'], ['ab']],
  ['a\\{b,c\\}', ['a{b,c}'], ['ab']],
  ['\\*', ['*'], ['a']],
])('%s', (pattern, matched, others) => {
  expect(fnmatchProblem(pattern)).toBeUndefined();
  expect(matched.filter((path) => !matches(pattern, path))).toEqual([]);
  expect(others.filter((path) => matches(pattern, path))).toEqual([]);
});

test.each(['[a', 'a/[b/c]', 'a[', '{a,[}', 'a//b', '/a', 'a/', '{a,b}'.repeat(7), '{a,b/}'])('%s is no pattern', (pattern) => {
  expect(fnmatchProblem(pattern)).toEqual(expect.any(String));
});

test('there can be a hundred alternatives', () => {
  expect(fnmatchProblem('{a,b}'.repeat(6))).toBeUndefined();
  expect(fnmatchProblem(`{${Array.from({ length: 100 }, (_, at) => at).join(',')}}`)).toBeUndefined();
  expect(fnmatchProblem(`{${Array.from({ length: 101 }, (_, at) => at).join(',')}}`)).toEqual(expect.any(String));
});

/** The same meaning, tried in every possible way. A pattern is a list of parts; `**` with its slash is one of them. */
function naive(pattern: readonly string[], text: string): boolean {
  const [part, ...rest] = pattern;
  if (part === undefined) return text === '';
  if (part === '**/') {
    if (naive(rest, text)) return true;
    const slash = text.indexOf('/');
    return slash >= 0 && naive(pattern, text.slice(slash + 1));
  }
  const [first = '', ...others] = text;
  const left = others.join('');
  if (part === '*') return naive(rest, text) || (first !== '' && first !== '/' && naive(pattern, left));
  if (part.startsWith('{'))
    return part
      .slice(1, -1)
      .split(',')
      .some((alternative) => naive([...alternative, ...rest], text));
  if (first === '') return false;
  if (part === '?') return first !== '/' && naive(rest, left);
  if (part.startsWith('[')) {
    const isIn = part.includes('a-b') ? first === 'a' || first === 'b' : part.includes(first);
    return first !== '/' && isIn !== part.startsWith('[!') && naive(rest, left);
  }
  return part === first && naive(rest, left);
}

const parts = fc.array(fc.constantFrom('a', 'b', 'c', '*', '?', '[a-b]', '[!a-b]', '[c]', '{a,bc}', '{ab,c}'), {
  minLength: 1,
  maxLength: 5,
});
/** Two stars one after the other would stand for folders. */
const name = parts.map((all) => all.filter((part, at) => part !== '*' || all[at - 1] !== '*'));
const pattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant(['**/']) }), {
    maxLength: 4,
  })
  .chain((names) => name.map((last) => [...names.flatMap((one) => (one[0] === '**/' ? one : [...one, '/'])), ...last]));
const text = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));

test('patterns match what a search through all possibilities matches', () => {
  let both = 0;
  fc.assert(
    fc.property(pattern, text, (parts, path) => {
      const written = parts.join('');
      fc.pre(fnmatchProblem(written) === undefined);
      const expected = naive(parts, path);
      if (expected) both += 1;
      expect(matches(written, path), `${written} ${path}`).toBe(expected);
    }),
    { numRuns: 10_000 },
  );
  expect(both).toBeGreaterThan(50);
});

test('a pattern that tries everything costs steps in proportion to its length', () => {
  const pattern = fnmatchOf(`${'**/'.repeat(40)}${'*a'.repeat(60)}b`, stepsOfWork());
  const path = pathOf(`${'a/'.repeat(100)}${'a'.repeat(255)}`);
  expect(computing(() => matchesFnmatch(pattern, path, stepsOfWork()))).toBeLessThan(200);
});

test('a pattern that takes too many steps for a path is refused', () => {
  const pattern = `${'*a'.repeat(120)}b`;
  expect(matches(pattern, `${'a'.repeat(200)}b`)).toBe(true);
  expect(() => matches(`{${Array.from({ length: 90 }, (_, at) => `*a*${at}`).join(',')}}`, 'a'.repeat(4_000))).toThrow(
    'too many steps (interpreters.patternSteps)',
  );
});

const tooMany = 'too many steps (interpreters.patternWorkSteps)';

test('all patterns of a list share the steps of their work', () => {
  const patterns = fnmatchesOf(
    Array.from({ length: 10_000 }, (_, at) => `*${'a'.repeat(50)}b${at}`),
    stepsOfAllWork(),
  );
  const path = pathOf('a'.repeat(200));
  const work = stepsOfWork();
  const time = computing(() => expect(() => patterns.some((pattern) => matchesFnmatch(pattern, path, work))).toThrow(tooMany));
  expect(time).toBeLessThan(2_000);
  expect(matchesFnmatch(fnmatchOf('a', stepsOfWork()), pathOf('a'), stepsOfWork())).toBe(true);
});

test.each([
  ['long alternatives', `?${'a'.repeat(120)}{${','.repeat(99)}}`],
  ['alternatives of many braces', `{${','.repeat(99)}}${'{}'.repeat(70)}`],
])('reading patterns takes steps: %s', (_what, pattern) => {
  const list = Array.from({ length: 250 }, () => pattern);
  const time = computing(() => expect(() => fnmatchesOf(list, stepsOfWork())).toThrow(tooMany));
  expect(time).toBeLessThan(2_000);
  expect(() => list.map((text) => problemOf(text, stepsOfWork()))).not.toThrow();
});

test('a list of long patterns without braces is read', () => {
  const list = Array.from({ length: 250 }, (_, at) => `refs/heads/release-*/${'a'.repeat(200)}${at}`);
  expect(fnmatchesOf(list, stepsOfWork())).toHaveLength(250);
});

test('steps of some work count among those of all', () => {
  const all = { left: 1_000, limit: 'all' };
  const work = stepsWithin(all);
  expect(matchesFnmatch(fnmatchOf('refs/*', work), pathOf('refs/a'), work)).toBe(true);
  expect(work.left).toBeLessThan(1_000);
  expect(all.left).toBe(work.left);
  const long = pathOf('a'.repeat(2_000));
  expect(() => matchesFnmatch(fnmatchOf('*b', stepsOfWork()), long, stepsWithin(all))).toThrow('too many steps (all)');
});
