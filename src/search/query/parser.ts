import { QueryError } from './errors.ts';
import { type Token, tokenize } from './lexer.ts';
import { checkLimits, checkLookups, maxDepth } from './limits.ts';
import { findQualifier, type SearchKind } from './qualifiers.ts';
import { group, leaves, type Node, negate } from './tree.ts';
import { describe, readValue } from './values.ts';

type ParseOptions = { advanced?: boolean };

/**
 * Parses the `q` of a search. The basic grammar has keywords, phrases, qualifiers, AND, OR and NOT. Its operators combine terms,
 * and its qualifiers filter the whole query wherever they are. A query of only qualifiers may combine these. The advanced grammar
 * also has parentheses, and combines terms and qualifiers alike.
 * @throws QueryError
 */
export function parse(kind: SearchKind, q: string, options: ParseOptions = {}): Node {
  const parentheses = options.advanced === true;
  const tokens = tokenize(q, { find: (name) => findQualifier(kind, name)?.value, parentheses });
  checkLimits(tokens, { advanced: parentheses });
  if (tokens.length === 0) throw new QueryError('missing', 'A search needs a query.');
  const cursor: Cursor = { tokens, at: 0, depth: 0 };
  const node = readAny(cursor);
  if (cursor.at < tokens.length) throw new QueryError('unbalanced_parentheses', 'A closing parenthesis has no opening one.');
  const query = parentheses ? node : withQualifiersLast(node);
  checkLookups(kind, query);
  return query;
}

type Cursor = { tokens: Token[]; at: number; depth: number };

const isOperator = (token: Token | undefined, operator: string): boolean =>
  token?.kind === 'operator' && token.operator === operator;

function readAny(cursor: Cursor): Node {
  const parts = [readAll(cursor)];
  while (isOperator(cursor.tokens[cursor.at], 'OR')) {
    cursor.at += 1;
    parts.push(readAll(cursor));
  }
  return group('any', parts) ?? missingOperand(cursor);
}

function readAll(cursor: Cursor): Node {
  const parts = [readOne(cursor)];
  for (;;) {
    const next = cursor.tokens[cursor.at];
    if (!next || next.kind === 'close' || isOperator(next, 'OR')) return group('all', parts) ?? missingOperand(cursor);
    if (isOperator(next, 'AND')) cursor.at += 1;
    parts.push(readOne(cursor));
  }
}

function readOne(cursor: Cursor): Node {
  const token = cursor.tokens[cursor.at];
  if (isOperator(token, 'NOT')) {
    cursor.at += 1;
    return negate(readOne(cursor));
  }
  switch (token?.kind) {
    case 'word':
      cursor.at += 1;
      return { kind: 'text', text: token.text, quoted: token.quoted };
    case 'qualifier':
      cursor.at += 1;
      return readQualifier(token);
    case 'open':
      return readGroup(cursor, token.negated);
    default:
      return missingOperand(cursor);
  }
}

function readQualifier({ negated, name, raw, type }: Extract<Token, { kind: 'qualifier' }>): Node {
  const value = readValue(type, raw);
  if (!value) throw new QueryError('invalid_value', `The value of ${name}: must be ${describe(type)}.`);
  const node: Node = { kind: 'qualifier', name, raw, value };
  return negated ? negate(node) : node;
}

function readGroup(cursor: Cursor, negated: boolean): Node {
  cursor.at += 1;
  cursor.depth += 1;
  if (cursor.depth > maxDepth) throw new QueryError('too_deep', `Parentheses are nested deeper than ${maxDepth} levels.`);
  const node = readAny(cursor);
  if (cursor.tokens[cursor.at]?.kind !== 'close') {
    throw new QueryError('unbalanced_parentheses', 'An opening parenthesis has no closing one.');
  }
  cursor.at += 1;
  cursor.depth -= 1;
  return negated ? negate(node) : node;
}

function missingOperand(cursor: Cursor): never {
  const around = [cursor.tokens[cursor.at - 1], cursor.tokens[cursor.at]].find((token) => token?.kind === 'operator');
  if (around?.kind === 'operator') {
    throw new QueryError(
      'dangling_operator',
      `The operator ${around.operator} has nothing to apply to; put it in quotes to look for it.`,
    );
  }
  const problem = cursor.tokens[cursor.at] ? 'Parentheses have nothing inside.' : 'An opening parenthesis has no closing one.';
  throw new QueryError('unbalanced_parentheses', problem);
}

/** Moves the qualifiers of a tree with terms to its end. */
function withQualifiersLast(node: Node): Node {
  if (![...leaves(node)].some((leaf) => leaf.kind === 'text')) return node;
  const qualifiers: Node[] = [];
  const terms = withoutQualifiers(node, qualifiers);
  return group('all', [...(terms ? [terms] : []), ...qualifiers]) ?? node;
}

function withoutQualifiers(node: Node, removed: Node[]): Node | undefined {
  if (node.kind === 'text') return node;
  if (node.kind === 'qualifier' || (node.kind === 'not' && node.part.kind === 'qualifier')) {
    removed.push(node);
    return undefined;
  }
  if (node.kind === 'not') return node;
  return group(
    node.kind,
    node.parts.map((part) => withoutQualifiers(part, removed)).filter((part) => part !== undefined),
  );
}
