import { identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { phrasePattern } from '#search/text-match/pattern.ts';
import type { Terms } from './terms.ts';

/** Makes a test of whether texts really match. Lexemes alone can't tell: above all, they don't know phrases. */
export function makeCheck(terms: Terms): (texts: readonly string[]) => boolean {
  const test = checkOf(terms);
  return (texts) => test(texts.map(inspected));
}

type Inspected = { text: string; lexemes(): Set<string> };
type Test = (parts: readonly Inspected[]) => boolean;

function inspected(text: string): Inspected {
  let lexemes: Set<string> | undefined;
  return {
    text,
    lexemes() {
      lexemes ??= new Set(identifiersOf(text).flatMap(lexemesOf));
      return lexemes;
    },
  };
}

function checkOf(terms: Terms): Test {
  if (terms.kind === 'words') return terms.phrase ? phraseCheck(terms.terms) : wordCheck(terms.terms);
  if (terms.kind === 'not') {
    const inner = checkOf(terms.part);
    return (parts) => !inner(parts);
  }
  const inner = terms.parts.map(checkOf);
  return terms.kind === 'all' ? (parts) => inner.every((test) => test(parts)) : (parts) => inner.some((test) => test(parts));
}

type Words = Extract<Terms, { kind: 'words' }>['terms'];

const wordCheck =
  (terms: Words): Test =>
  (parts) =>
    terms.every((term) => parts.some((part) => term.lexemes.every((word) => part.lexemes().has(word))));

function phraseCheck(terms: Words): Test {
  const pattern = phrasePattern(terms);
  return (parts) => parts.some(({ text }) => pattern.test(text));
}
