// Evaluates parsed expressions. The parser comes from the authors of the format. Evaluation is implemented here, in counted
// steps.
import { data } from '@actions/expressions';
import {
  Binary,
  type ContextAccess,
  type Expr,
  type ExprVisitor,
  type FunctionCall,
  type Grouping,
  type IndexAccess,
  type Literal,
  type Logical,
  Star,
  type Unary,
} from '@actions/expressions/ast';
import { TokenType } from '@actions/expressions/lexer';
import type { ExpressionBudget } from './expression-budget.ts';
import { compare, type Operator } from './expression-comparison.ts';
import { expressionFunctions } from './expression-functions.ts';
import { ExpressionProblem } from './expression-problem.ts';
import { isList, isPrimitive, isTrue, propertiesOf, valueNumber, valueText } from './expression-values.ts';
import type { Json } from './token.ts';

type Environment = {
  readonly contexts: { readonly [name: string]: Json };
  /** The values of functions that depend on the results of other jobs, by their lower-case names. */
  readonly statuses: ReadonlyMap<string, boolean>;
  readonly budget: ExpressionBudget;
};

export class Evaluator implements ExprVisitor<Json> {
  readonly #environment: Environment;
  /** The lists that `*` makes. Indexing such a list indexes each of its items. */
  readonly #starred = new WeakSet<readonly Json[]>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  evaluate(expression: Expr): Json {
    this.#environment.budget.spendSteps(1);
    return expression.accept(this);
  }

  visitLiteral({ literal }: Literal): Json {
    switch (literal.kind) {
      case data.Kind.String:
      case data.Kind.Number:
      case data.Kind.Boolean:
        return (literal as data.StringData | data.NumberData | data.BooleanData).value;
      default:
        return null;
    }
  }

  visitGrouping({ group }: Grouping): Json {
    return this.evaluate(group);
  }

  /** `!` is the only unary operator. */
  visitUnary({ expr }: Unary): Json {
    return !isTrue(this.evaluate(expr));
  }

  /** A chain of comparisons, `a == b == c`, is a tree as deep as the chain is long, so it isn't evaluated recursively. */
  visitBinary(last: Binary): Json {
    const row = [last];
    let first = last.left;
    for (; first instanceof Binary; first = first.left) row.push(first);
    let value = this.evaluate(first);
    for (const { operator, right } of row.reverse())
      value = compare(operator.lexeme as Operator, value, this.evaluate(right), this.#environment.budget);
    return value;
  }

  visitLogical({ operator, args }: Logical): Json {
    let value: Json = null;
    for (const arg of args) {
      value = this.evaluate(arg);
      if (isTrue(value) === (operator.type === TokenType.OR)) break;
    }
    return value;
  }

  visitContextAccess({ name }: ContextAccess): Json {
    const wanted = name.lexeme.toLowerCase();
    const { contexts } = this.#environment;
    return Object.entries(contexts).find(([one]) => one.toLowerCase() === wanted)?.[1] ?? null;
  }

  visitFunctionCall({ functionName, args }: FunctionCall): Json {
    const name = functionName.lexeme.toLowerCase();
    const values = args.map((arg) => this.evaluate(arg));
    const { statuses, budget } = this.#environment;
    const status = statuses.get(name);
    if (status !== undefined) return status;
    const call = expressionFunctions.get(name);
    if (!call) throw new ExpressionProblem(`Unrecognized function: '${functionName.lexeme}'`);
    return call(values, budget);
  }

  visitIndexAccess({ expr, index }: IndexAccess): Json {
    const key = index instanceof Star ? star : keyOf(this.evaluate(index), this.#environment.budget);
    const value = this.evaluate(expr);
    if (isList(value) && this.#starred.has(value)) return this.#starredList(value.flatMap((item) => this.#itemsOf(item, key)));
    const items = this.#itemsOf(value, key);
    return key === star ? this.#starredList(items) : (items[0] ?? null);
  }

  #starredList(items: readonly Json[]): readonly Json[] {
    this.#starred.add(items);
    return items;
  }

  /** The values for a key: all items, one item, or none. */
  #itemsOf(value: Json, key: Key): readonly Json[] {
    const { budget } = this.#environment;
    budget.spendSteps(1);
    if (isPrimitive(value)) return [];
    if (isList(value)) {
      if (key !== star) return value.slice(key.position, key.position + 1);
      budget.spendSteps(value.length);
      return [...value];
    }
    const properties = propertiesOf(value, budget);
    if (key === star) {
      budget.spendSteps(properties.size);
      return [...properties.values()];
    }
    const found = key.name === undefined ? undefined : properties.get(key.name);
    return found === undefined ? [] : [found];
  }
}

const star = Symbol('*');

/** An index: a property name in lower case, and a list position, which is out of range if the index isn't a number. */
type Key = typeof star | { readonly name: string | undefined; readonly position: number };

function keyOf(index: Json, budget: ExpressionBudget): Key {
  if (!isPrimitive(index)) return { name: undefined, position: Number.POSITIVE_INFINITY };
  const name = valueText(index);
  budget.readCharacters(2 * name.length);
  const position = Math.floor(valueNumber(index));
  return { name: name.toLowerCase(), position: position >= 0 ? position : Number.POSITIVE_INFINITY };
}
