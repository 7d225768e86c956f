// The functions and operators of expressions do what the library of those who defined the format does; beside it, they count
// their steps.
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { expect, test } from 'vitest';
import { computing } from '#test/support/time.ts';
import { budget, ExpressionProblem, evaluateExpression, type Json, newBudget } from '#workflow-files/expressions.ts';
import { picker, randomExpression } from './random-expressions.ts';

const github: Json = {
  a: 'text',
  B: ['x', 'X', 1, null, true, { a: 'in a list', b: [1, 2] }, ['y', { a: 2 }]],
  empty: '',
  upper: 'TEXT',
  dotless: 'ıAı',
  sharp: 'straße',
  number: 1.1,
  zero: 0,
  tiny: 1e-7,
  large: 1e21,
  negative: -2,
  nothing: null,
  yes: true,
  mapping: { a: { a: 1, c: 'deep' }, list: [{ a: 'p' }, { A: 'q' }, { x: 'r' }], 0: 'zero' },
  json: '{"a": [1, "x\\u0041", {"b": null}], "A": 2, "c": 1e999}',
  template: '{0}-{1}',
};
const leaves = [
  ...Object.keys(github as object).map((name) => `github.${name}`),
  ...["'text'", "'a'", "''", "'{0}'", "'{{{0}}}'", "'{1} {0}'", "'{00:x}'", "'{'", "'}'", "'[1, 2]'", "'it''s'", "'1'", "' 1 '"],
  ...['1', '0', '-2', '1.10', '0x1F', '1e3', 'NaN', 'Infinity', 'true', 'false', 'null'],
];

/** What the library makes of an expression; undefined where it throws. */
function byLibrary(expression: string): { value: Json } | undefined {
  try {
    const contexts: data.Dictionary = JSON.parse(JSON.stringify({ github }), data.reviver);
    const parsed = new Parser(new Lexer(expression).lex().tokens, ['github'], []).parse();
    return { value: JSON.parse(JSON.stringify(new Evaluator(parsed, contexts).evaluate(), data.replacer)) };
  } catch {
    return undefined;
  }
}

function byServer(expression: string): { value: Json } | undefined {
  try {
    return { value: evaluateExpression(expression, { github, [budget]: newBudget() }) };
  } catch (error) {
    if (error instanceof ExpressionProblem) return undefined;
    throw error;
  }
}

test('random expressions have the values that the library gives them', () => {
  const pick = picker(1);
  const expressions = Array.from({ length: 20_000 }, () => randomExpression(pick, leaves, pick([1, 2, 3])));
  const values = expressions.map((expression) => ({ expression, found: byServer(expression) }));
  const wrong = values.filter(({ expression, found }) => JSON.stringify(found) !== JSON.stringify(byLibrary(expression)));
  expect(wrong.slice(0, 5).map(({ expression, found }) => ({ expression, found, wanted: byLibrary(expression) }))).toEqual([]);
  expect(values.filter(({ found }) => found).length).toBeGreaterThan(10_000);
});

const dear: Json = {
  a: 'ı'.repeat(65_536),
  text: `${'x'.repeat(250_000)}y${'x'.repeat(250_000)}`,
  part: `${'x'.repeat(60_000)}y${'x'.repeat(60_000)}z`,
  braces: '{'.repeat(200_000),
  digits: `{${'0'.repeat(300_000)}`,
  arguments: '{0}{0000}{1}'.repeat(20_000),
  brackets: '[],'.repeat(20_000),
  deep: `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  quotes: '"\u0001'.repeat(50_000),
  B: Array.from({ length: 20_000 }, (_, at) => ({ a: 'b', [`c${at % 50}`]: [at, 'ı'] })),
  list: Array.from({ length: 60_000 }, () => ''),
};
const dearLeaves = [
  ...Object.keys(dear as object).map((name) => `github.${name}`),
  ...["'{0}{0}{0}{0}{0}{0}{0}{0}'", "'[{0}{0}{0}{0}0]'", "'{0:x}{000}'", '1', 'null', "'x'"],
];

test('random expressions of large values end within a bound of time and size', () => {
  const pick = picker(2);
  let refused = 0;
  for (let at = 0; at < 300; at++) {
    const expression = randomExpression(pick, dearLeaves, pick([1, 2, 3, 4]));
    const time = computing(() => {
      try {
        const value = evaluateExpression(expression, { github: dear, [budget]: newBudget() });
        expect(JSON.stringify(value).length, expression).toBeLessThan(64 * 1024 * 1024);
      } catch (error) {
        expect(error, expression).toBeInstanceOf(ExpressionProblem);
        expect((error as Error).message.length).toBeLessThan(1_100);
        refused++;
      }
    });
    expect(time, expression).toBeLessThan(700);
  }
  expect(refused).toBeGreaterThan(50);
});
