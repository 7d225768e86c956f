import fc from 'fast-check';
import { normaliseBlanks } from '#search/query/lexer.ts';
import { isBareWord } from '#search/query/printer.ts';
import { findQualifier, qualifiers, type SearchKind } from '#search/query/qualifiers.ts';
import { group, type Node, negate } from '#search/query/tree.ts';
import { readValue, type ValueType } from '#search/query/values.ts';

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map(normaliseBlanks);
const quotable = anyText.filter((text) => text.trim() !== '');

const word = (kind: SearchKind): fc.Arbitrary<Node> =>
  fc
    .oneof(anyText, fc.constantFrom('foo', 'getUserName', '-x', 'a:b', 'http://x', 'é', '->', 'note:'))
    .filter((text) => isBareWord(text, (name) => findQualifier(kind, name) !== undefined))
    .map((text) => ({ kind: 'text', text, quoted: false }));

const phrase: fc.Arbitrary<Node> = quotable.map((text) => ({ kind: 'text', text, quoted: true }));

function rawOf(type: ValueType): fc.Arbitrary<string[]> {
  switch (type.type) {
    case 'text':
      return quotable.map((text) => [text]);
    case 'words':
      return fc.array(quotable, { minLength: 1, maxLength: 3 });
    case 'number':
      return fc.constantFrom(['7'], ['>7'], ['<=7'], ['3..9'], ['3..*'], ['*..9']);
    case 'date':
      return fc.constantFrom(['2024-02-29'], ['>2024'], ['2024-01-01T10:00:00+02:00'], ['2024-01..*']);
    case 'flag':
      return fc.constantFrom(['true'], ['false']);
    case 'choice':
      return fc.constantFrom(...type.of).map((choice) => [choice]);
    case 'set':
      return fc.subarray([...type.of], { minLength: 1 });
    case 'login':
      return fc.constantFrom(['octo'], ['@me'], ['app/helper']);
    case 'repository':
      return fc.constantFrom(['octo/hello'], ['octo/a.b-c_d']);
    case 'team':
      return fc.constantFrom(['octo/writers']);
    case 'issue':
      return fc.constantFrom(['octo/hello#1']);
    case 'hash':
      return fc.constantFrom(['abcdef0'], ['0123456789']);
    case 'sort':
      return fc.constantFrom(...type.of.flatMap((by) => [[by], [`${by}-asc`], [`${by}-DESC`]]));
  }
}

const qualifier = (kind: SearchKind): fc.Arbitrary<Node> =>
  fc.constantFrom(...Object.entries(qualifiers[kind])).chain(([name, { value: type }]) =>
    rawOf(type).map((raw): Node => {
      const value = readValue(type, raw);
      if (!value) throw new Error(`${raw} isn't a ${type.type}`);
      return { kind: 'qualifier', name, raw, value };
    }),
  );

const grouped = (kind: 'all' | 'any') => (parts: Node[]) =>
  group(kind, parts) ?? { kind: 'text' as const, text: 'x', quoted: true };

/** Trees of the advanced grammar, within its limits. */
export const advancedTree = (kind: SearchKind): fc.Arbitrary<Node> =>
  fc.letrec<{ node: Node; leaf: Node; any: Node; all: Node; not: Node }>((tie) => ({
    node: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('leaf'), tie('any'), tie('all'), tie('not')),
    leaf: fc.oneof(word(kind), phrase, qualifier(kind)),
    any: fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map(grouped('any')),
    all: fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map(grouped('all')),
    not: tie('node').map(negate),
  })).node;

const oneOrMore = (node: fc.Arbitrary<Node>) => fc.array(node, { minLength: 1, maxLength: 3 });

/** Trees of the basic grammar: alternatives of terms, then the qualifiers; or alternatives of qualifiers. */
export function basicTree(kind: SearchKind): fc.Arbitrary<Node> {
  const maybeNot = (node: fc.Arbitrary<Node>) => fc.oneof({ weight: 4, arbitrary: node }, node.map(negate));
  const alternatives = (leaf: fc.Arbitrary<Node>) => oneOrMore(oneOrMore(maybeNot(leaf)).map(grouped('all'))).map(grouped('any'));
  const terms = alternatives(fc.oneof(word(kind), phrase));
  const filtered = fc
    .tuple(terms, oneOrMore(maybeNot(qualifier(kind))))
    .map(([text, others]) => grouped('all')([text, ...others]));
  return fc.oneof(terms, filtered, alternatives(qualifier(kind)));
}
