import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QueryError } from '#search/query/errors.ts';
import { parse } from '#search/query/parser.ts';
import { print } from '#search/query/printer.ts';
import { type SearchKind, searchKinds } from '#search/query/qualifiers.ts';
import { advancedTree, basicTree } from './trees.ts';

const word = (text: string) => ({ kind: 'text', text, quoted: false });
const phrase = (text: string) => ({ kind: 'text', text, quoted: true });

/** The parse of a query, unless a limit refuses it. */
function within(kind: SearchKind, q: string, advanced: boolean) {
  try {
    return parse(kind, q, { advanced });
  } catch (error) {
    if (error instanceof QueryError && ['too_long', 'too_many_operators', 'too_deep'].includes(error.problem)) return undefined;
    throw error;
  }
}

describe.each(searchKinds)('%s', (kind) => {
  test('printing a tree and parsing it again gives the same tree', () => {
    let compared = 0;
    const round = (advanced: boolean) => (tree: Parameters<typeof print>[0]) => {
      const again = within(kind, print(tree, { advanced }), advanced);
      if (!again) return;
      compared += 1;
      expect(again).toEqual(tree);
    };
    fc.assert(fc.property(basicTree(kind), round(false)), { numRuns: 400 });
    fc.assert(fc.property(advancedTree(kind), round(true)), { numRuns: 400 });
    expect(compared).toBeGreaterThan(400);
  });

  test('no input throws anything but a QueryError, and what parses prints to an equal query', () => {
    const piece = fc.constantFrom(
      '"',
      '(',
      ')',
      '-',
      ':',
      ',',
      ' ',
      'AND',
      'OR ',
      ' NOT ',
      'repo:',
      'label:',
      'is:',
      '\\',
      '\u0000',
      'a',
      '..',
      '*',
    );
    const soup = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 25 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(soup, fc.boolean(), (q, advanced) => {
        try {
          const tree = parse(kind, q, { advanced });
          expect(parse(kind, print(tree, { advanced }), { advanced })).toEqual(tree);
        } catch (error) {
          if (!(error instanceof QueryError)) throw error;
          expect(error.errors[0]).toMatchObject({ resource: 'Search', field: 'q' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

test('rule 1: keywords come with qualifiers, separated by spaces', () => {
  expect(parse('code', 'addClass in:file language:js repo:jquery/jquery')).toEqual({
    kind: 'all',
    parts: [
      word('addClass'),
      { kind: 'qualifier', name: 'in', raw: ['file'], value: { type: 'set', words: ['file'] } },
      { kind: 'qualifier', name: 'language', raw: ['js'], value: { type: 'text', text: 'js' } },
      {
        kind: 'qualifier',
        name: 'repo',
        raw: ['jquery/jquery'],
        value: { type: 'repository', owner: 'jquery', name: 'jquery' },
      },
    ],
  });
});

test.each([
  ['error "not found"', [word('error'), phrase('not found')]],
  ['std::vector https://x.y foo:bar', [word('std::vector'), word('https://x.y'), word('foo:bar')]],
  ['note:"two words"', [word('note:'), phrase('two words')]],
  ['say "an unclosed quote', [word('say'), phrase('an unclosed quote')]],
  ['"a \\"quoted\\" \\\\ word" x', [phrase('a "quoted" \\ word'), word('x')]],
  ['a\u0000b\tc\u2028d', [word('a'), word('b'), word('c'), word('d')]],
  ['repo: in: user::name', [word('repo:'), word('in:'), word('user::name')]],
  ['(a) -b', [word('(a)'), word('-b')]],
])('the words of %j', (q, parts) => {
  expect(parse('code', q)).toEqual({ kind: 'all', parts });
});

test('operators bind NOT before AND before OR', () => {
  expect(parse('code', 'a AND b OR c NOT "d e"')).toEqual({
    kind: 'any',
    parts: [
      { kind: 'all', parts: [word('a'), word('b')] },
      { kind: 'all', parts: [word('c'), { kind: 'not', part: phrase('d e') }] },
    ],
  });
});

test('in the basic grammar, qualifiers filter the whole query', () => {
  expect(print(parse('code', 'cats OR -language:go dogs repo:a/b'))).toBe('cats OR dogs -language:go repo:a/b');
  expect(parse('issues', 'label:bug OR label:question')).toMatchObject({ kind: 'any' });
});

test('in the advanced grammar, parentheses group terms and qualifiers', () => {
  const tree = parse('issues', 'crash (label:bug OR (label:help -author:@me))', { advanced: true });
  expect(print(tree, { advanced: true })).toBe('crash (label:bug OR label:help -author:@me)');
  expect(parse('issues', 'a -(b OR c)', { advanced: true })).toMatchObject({
    parts: [{}, { kind: 'not', part: { kind: 'any' } }],
  });
});

test('several values are separated by commas, quoted or not', () => {
  const { raw } = parse('issues', 'label:bug,"good first issue",x') as { raw: string[] };
  expect(raw).toEqual(['bug', 'good first issue', 'x']);
});

test('a qualifier is known in upper case too, and -q: and NOT q: are the same', () => {
  expect(parse('code', '-REPO:a/b x')).toEqual(parse('code', 'x NOT repo:a/b'));
});
