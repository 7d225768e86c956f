// The evaluator of expressions with a budget: each step of the tree, and each value that functions make, is counted.
import { data, Evaluator, type Expr, wellKnownFunctions } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import type { ExpressionBudget } from './expression-budget.ts';

/** So many characters of a text that is read or compared cost one step: comparisons turn each into upper case. */
const charactersOfStep = 8;
/** To turn a character into upper case costs as much as to write so many. */
const charactersOfUpperCase = 4;

export class BoundedEvaluator extends Evaluator {
  readonly #budget: ExpressionBudget;

  /** @param functions those of the caller, beside those that every expression has */
  constructor(
    expression: Expr,
    {
      contexts,
      functions,
      budget,
    }: { contexts: data.Dictionary; functions: readonly FunctionDefinition[]; budget: ExpressionBudget },
  ) {
    const bounded = [...boundedFunctions(budget), ...functions].map((one) => [one.name.toLowerCase(), one] as const);
    super(expression, contexts, new Map(bounded));
    this.#budget = budget;
  }

  protected override eval(expression: Expr): data.ExpressionData {
    const value = super.eval(expression);
    this.#budget.spendSteps(1 + sizeOf(value));
    return value;
  }
}

/** The steps that a value costs whoever reads it. */
function sizeOf(value: data.ExpressionData | undefined): number {
  if (value?.kind === data.Kind.String) return Math.floor(value.coerceString().length / charactersOfStep);
  // Lists are filtered item by item.
  return value?.kind === data.Kind.Array ? (value as data.Array).values().length : 0;
}

/** The functions that make values, each counting what it makes before it does. */
function boundedFunctions({ spendCharacters }: ExpressionBudget): FunctionDefinition[] {
  const { format, join, tojson, fromjson, contains } = wellKnownFunctions;
  const counting = (
    own: FunctionDefinition | undefined,
    count: (args: readonly data.ExpressionData[]) => number,
  ): FunctionDefinition[] => {
    if (!own) return [];
    const call: FunctionDefinition['call'] = (...args) => {
      spendCharacters(count(args));
      return own.call(...args);
    };
    return [{ ...own, call }];
  };
  return [
    ...counting(format, charactersOfFormat),
    ...counting(join, charactersOfJoin),
    // A list is searched item by item, each in upper case.
    ...counting(contains, ([list]) => charactersOfUpperCase * charactersOfJoin(list ? [list] : [])),
    ...counting(tojson, ([value]) => charactersOfJson(value)),
    ...counting(fromjson, ([text]) => text?.coerceString().length ?? 0),
  ];
}

function charactersOfFormat([text, ...values]: readonly data.ExpressionData[]): number {
  const written = text?.coerceString() ?? '';
  let characters = written.length;
  for (const [, index] of written.matchAll(/\{(\d{1,3})\}/g)) characters += values[Number(index)]?.coerceString().length ?? 0;
  return characters;
}

function charactersOfJoin([list, separator]: readonly data.ExpressionData[]): number {
  if (list?.kind !== data.Kind.Array) return list?.coerceString().length ?? 0;
  const between = separator?.coerceString().length ?? 1;
  return (list as data.Array).values().reduce((sum, item) => sum + item.coerceString().length + between, 0);
}

/** The characters of a value in JSON, at least: what stands between its parts is counted by the part. */
function charactersOfJson(value: data.ExpressionData | undefined): number {
  if (value?.kind === data.Kind.Array) return sumOf((value as data.Array).values());
  if (value?.kind === data.Kind.Dictionary) {
    const pairs = (value as data.Dictionary).pairs();
    return pairs.reduce((sum, one) => sum + one.key.length + charactersOfJson(one.value) + charactersBetween, 0);
  }
  return value?.coerceString().length ?? 0;
}

/** Each part costs time of its own, which is that of so many characters. */
const charactersBetween = 64;
const sumOf = (values: readonly data.ExpressionData[]): number =>
  values.reduce((sum, one) => sum + charactersOfJson(one) + charactersBetween, 0);
