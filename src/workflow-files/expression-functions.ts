// The functions of expressions. Each counts its work before doing it.

import type { ExpressionBudget } from './expression-budget.ts';
import { compare } from './expression-comparison.ts';
import { formatText } from './expression-format.ts';
import { readJson, writeJson } from './expression-json.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { isList, isPrimitive, upperCase, valueText } from './expression-values.ts';
import { holdsText } from './text-search.ts';
import type { Json } from './token.ts';

type ExpressionFunction = (args: readonly Json[], budget: ExpressionBudget) => Json;

/** The functions, by lower-case name. */
export const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map<string, ExpressionFunction>([
  ['case', firstTrue],
  ['contains', contains],
  ['startswith', (args, budget) => withTexts(args, budget, (text, start) => text.startsWith(start))],
  ['endswith', (args, budget) => withTexts(args, budget, (text, end) => text.endsWith(end))],
  ['format', formatText],
  ['join', join],
  ['fromjson', ([text = null], budget) => readJson(valueText(text), budget)],
  ['tojson', ([value = null], budget) => writeJson(value, budget)],
]);

/** The value after the first true condition, otherwise the last one. */
function firstTrue(args: readonly Json[]): Json {
  for (let at = 0; at < args.length - 1; at += 2) {
    const condition = args[at];
    if (typeof condition !== 'boolean') throw new ExpressionProblem('case predicate must evaluate to a boolean value');
    if (condition) return args[at + 1] ?? null;
  }
  return args.at(-1) ?? null;
}

function contains([searched = null, wanted = null]: readonly Json[], budget: ExpressionBudget): boolean {
  if (isList(searched)) return searched.some(equalsOne(wanted, budget));
  if (!isPrimitive(searched) || !isPrimitive(wanted)) return false;
  const [text, part] = [valueText(searched), valueText(wanted)];
  // They are converted to lower case, and then searched.
  budget.readCharacters(3 * (text.length + part.length));
  return holdsText(text.toLowerCase(), part.toLowerCase());
}

/** Whether an item of a list equals a value. A text is converted to upper case once for all items. */
function equalsOne(wanted: Json, budget: ExpressionBudget): (item: Json) => boolean {
  if (typeof wanted !== 'string') return (item) => compare('==', item, wanted, budget);
  const upper = upperCase(wanted, budget);
  return (item) => {
    if (typeof item !== 'string') return compare('==', item, wanted, budget);
    budget.spendSteps(1);
    return upperCase(item, budget) === upper;
  };
}

function withTexts(
  [searched = null, wanted = null]: readonly Json[],
  budget: ExpressionBudget,
  test: (text: string, wanted: string) => boolean,
): boolean {
  if (!isPrimitive(searched) || !isPrimitive(wanted)) return false;
  return test(upperCase(valueText(searched), budget), upperCase(valueText(wanted), budget));
}

function join([list = null, between = ',']: readonly Json[], budget: ExpressionBudget): string {
  if (isPrimitive(list)) return valueText(list);
  if (!isList(list)) return '';
  const separator = isPrimitive(between) ? valueText(between) : ',';
  const texts = list.map((item) => {
    const text = valueText(item);
    budget.spendSteps(1);
    budget.spendCharacters(text.length + separator.length);
    return text;
  });
  return texts.join(separator);
}
