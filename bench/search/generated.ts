import type { SourceFile } from './corpus.ts';
import { seeded } from './random.ts';

const parts = ['get', 'set', 'user', 'name', 'file', 'index', 'map', 'list', 'node', 'path', 'open', 'read', 'value', 'item'];
const syllables = ['ba', 'ko', 'li', 'mu', 'ne', 'pra', 'ro', 'sti', 'ta', 'vo', 'wen', 'xi', 'ya', 'zor', 'chi', 'du'];
const vocabularySize = 200_000;

/** Identifiers, most common first. */
export function makeVocabulary(random: () => number): string[] {
  const words = new Set<string>(['const', 'return', 'function', 'import', 'export', 'if', 'else', 'for', 'of', 'let', ...parts]);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const title = (word: string): string => word.replace(/^./, (char) => char.toUpperCase());
  while (words.size < vocabularySize) {
    const stem = Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(syllables)).join('');
    words.add(random() < 0.5 ? stem : `${pick(parts)}${title(stem)}`);
  }
  return [...words];
}

/** A word, for a number from 0 to 1. The n-th word of the vocabulary is about 1/n as frequent as the first. */
export const wordAt = (words: readonly string[], at: number): string => words[Math.floor(words.length ** at) - 1] ?? 'x';

/**
 * Small source files, 20 lines of 5 words on average, with a realistic frequency of words. The same numbers give the same files.
 */
export function* generatedFiles(from: number, until: number): Generator<SourceFile> {
  const words = makeVocabulary(seeded(7));
  for (let number = from; number < until; number++) {
    const random = seeded(number + 1_000);
    const word = (): string => wordAt(words, random());
    const lines = Array.from(
      { length: 10 + Math.floor(random() * 20) },
      () => `${word()} ${word()} = ${word()}(${word()}, ${word()});`,
    );
    const ending = number % 3 === 0 ? 'ts' : 'js';
    yield { path: `${words[number % 500]}/${words[number % 70_000]}/${number}.${ending}`, text: `${lines.join('\n')}\n` };
  }
}
