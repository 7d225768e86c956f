import { identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { type PhraseFinder, phraseFinder } from '#search/text-match/phrase.ts';
import type { Steps } from './slices.ts';
import type { Terms } from './terms.ts';

/**
 * Makes a function that checks whether the texts of a candidate match. The index finds candidates by lexemes, which don't cover
 * phrases.
 */
export function makeCheck(terms: Terms): (texts: readonly string[]) => Steps<boolean> {
  const test = checkOf(terms);
  return (texts) => test(texts.map((text) => ({ text, lexemes: undefined })));
}

type AnalysedText = { readonly text: string; lexemes: Set<string> | undefined };
type Test = (parts: readonly AnalysedText[]) => Steps<boolean>;

const wordsPerBatch = 500;

/** The lexemes of a text. */
function* lexemesIn(part: AnalysedText): Steps<Set<string>> {
  if (part.lexemes) return part.lexemes;
  const lexemes = new Set<string>();
  for (const [at, identifier] of identifiersOf(part.text).entries()) {
    for (const lexeme of lexemesOf(identifier)) lexemes.add(lexeme);
    if (at % wordsPerBatch === 0) yield;
  }
  part.lexemes = lexemes;
  return lexemes;
}

function checkOf(terms: Terms): Test {
  if (terms.kind === 'words') return terms.phrase ? phraseCheck(phraseFinder(terms.terms)) : wordCheck(terms.terms);
  if (terms.kind === 'not') {
    const inner = checkOf(terms.part);
    return function* not(parts) {
      return !(yield* inner(parts));
    };
  }
  return firstWith(terms.kind === 'any', terms.parts.map(checkOf));
}

/** Runs tests in order until one has this result. If none has, returns the opposite result. */
const firstWith = (result: boolean, tests: readonly Test[]): Test =>
  function* until(parts) {
    for (const test of tests) if ((yield* test(parts)) === result) return result;
    return !result;
  };

const wordCheck = (terms: Extract<Terms, { kind: 'words' }>['terms']): Test =>
  function* words(parts) {
    const sets: Set<string>[] = [];
    for (const part of parts) sets.push(yield* lexemesIn(part));
    return terms.every((term) => sets.some((lexemes) => term.lexemes.every((word) => lexemes.has(word))));
  };

const phraseCheck = (finder: PhraseFinder): Test =>
  function* phrase(parts) {
    for (const { text } of parts) if (yield* finder.isIn(text)) return true;
    return false;
  };
