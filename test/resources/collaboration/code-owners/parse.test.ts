import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathOf } from '#lib/path-pattern.ts';
import { ownerListsOf, ownersOf } from '#resources/collaboration/code-owners/owners.ts';
import { beginOwnersWork, parseCodeOwners, ruleFor } from '#resources/collaboration/code-owners/parse.ts';
import { longestTurn } from '#test/support/time.ts';

const parsed = async (text: string) => {
  const owners = await parseCodeOwners(text);
  if (!owners) throw new Error('The file is too large');
  return owners;
};

const file = `# The owners of this repository
*       @ada  @acme/owners

*.js    @js-owner #This is an inline comment.
docs/   docs@example.com\r
\t/a\\ b/ @grace
/docs/private/
`;

test.each([
  ['readme', ['@ada', '@acme/owners']],
  ['src/a.js', ['@js-owner']],
  ['docs/a.js', ['docs@example.com']],
  ['a b/c', ['@grace']],
  ['docs/private/key', []],
])('the last rule for %s counts', async (path, owners) => {
  const { rules, problems } = await parsed(file);
  expect(problems).toEqual([]);
  expect((await ruleFor(rules, pathOf(path), beginOwnersWork()))?.owners.map(({ text }) => text)).toEqual(owners);
});

test('a line that cannot be read is left out, and it is told why', async () => {
  const { rules, problems } = await parsed('***/*.rb @monalisa\n*.txt docs@\n!a @ada\n  [ab] @ada\n* @ada and-more\n*.md @ada');
  expect(rules).toHaveLength(1);
  const invalid = { suggestion: null };
  expect(problems).toEqual([
    { line: 1, column: 1, kind: 'Invalid pattern', source: '***/*.rb @monalisa', suggestion: 'Did you mean **/*.rb?' },
    { line: 2, column: 7, kind: 'Invalid owner', source: '*.txt docs@', ...invalid },
    { line: 3, column: 1, kind: 'Invalid pattern', source: '!a @ada', ...invalid },
    { line: 4, column: 3, kind: 'Invalid pattern', source: '  [ab] @ada', ...invalid },
    { line: 5, column: 8, kind: 'Invalid owner', source: '* @ada and-more', ...invalid },
  ]);
});

test('a file of too many patterns and owners is not used', async () => {
  expect(await parseCodeOwners('a @b\n'.repeat(10_000))).toBeDefined();
  expect(await parseCodeOwners('a @b\n'.repeat(10_001))).toBeUndefined();
});

test.each([
  ['words', 'a '.repeat(1_570_000)],
  ['one word', 'a'.repeat(3_000_000)],
  ['backslashes', '\\'.repeat(3_000_000)],
  ['a comment', `* @ada # ${'c '.repeat(1_500_000)}`],
  ['lines', '\n'.repeat(3_000_000)],
])('a long file of %s is read in short turns', async (_, text) => {
  const { longest } = await longestTurn(() => parseCodeOwners(text));
  expect(longest).toBeLessThan(250);
});

test('finding owners is bounded in steps, and other work goes on meanwhile', async () => {
  const { rules } = await parsed(`* @ada\n${'**/*/*/*/*/*a*b*c*d*/*/x @eve\n'.repeat(9_999)}`);
  const name = 'a'.repeat(90);
  expect(await ownersOf(rules, ['a/b', name])).toEqual(['@ada']);
  const long = Array.from({ length: 100 }, (_, at) => `${'a/'.repeat(1_000)}${name}${at}`);
  const { longest } = await longestTurn(() =>
    expect(ownerListsOf(rules, long)).rejects.toThrow('(interpreters.codeOwnersSteps)'),
  );
  expect(longest).toBeLessThan(150);
  expect(await ownersOf(rules, ['a/b', ...long])).toEqual(['@ada']);
});

test('any text is read: each line becomes a rule, a problem or nothing', async () => {
  const words = fc.constantFrom(
    '*',
    '/a',
    '@ada',
    '@a/b',
    'a@b.example',
    '#',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\\',
    '!',
    '[',
    'é',
    '\0',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.array(words).map((all) => all.join('')),
      ),
      async (text) => {
        const { rules, problems } = await parsed(text);
        expect(rules.length + problems.length).toBeLessThanOrEqual(text.split('\n').length);
        for (const { line, column, source } of problems) {
          expect(text.split('\n')[line - 1]?.replace(/\r$/, '')).toBe(source);
          expect(source[column - 1]).toMatch(/\S/);
        }
      },
    ),
  );
});

test('owners and patterns that are too long are wrong, and are read in little time', async () => {
  const lines = [`* a@${'.'.repeat(500_000)}@`, `${'*a'.repeat(1_000_000)} @ada`, '*.js @ada'].join('\n');
  const start = process.threadCpuUsage();
  const read = await parseCodeOwners(lines);
  const { user } = process.threadCpuUsage(start);
  expect(read?.problems.map(({ line, kind }) => [line, kind])).toEqual([
    [1, 'Invalid owner'],
    [2, 'Invalid pattern'],
  ]);
  expect(read?.rules).toHaveLength(1);
  expect(user / 1_000, 'milliseconds').toBeLessThan(1_000);
});
