import type { SourceFile } from './corpus.ts';
import { sample } from './random.ts';

/** A query, and the equivalent for a program that reads every file. */
export type Query = { q: string; terms: string[]; phrase?: string; glob?: string };

export const kinds = ['rare identifier', 'common word', 'two terms', 'phrase', 'language or path'] as const;
export type Kind = (typeof kinds)[number];

/** An identifier, and not encoded data, which may be longer than a query. */
const isPlain = (word: string): boolean => /^[A-Za-z]\w{0,59}$/.test(word) && !['AND', 'OR', 'NOT'].includes(word);

/** Queries of each kind, taken from the files. */
export function chooseQueries(
  files: readonly SourceFile[],
  counts: ReadonlyMap<string, number>,
  given: { count: number; random: () => number },
): Record<Kind, Query[]> {
  const { count, random } = given;
  const part = (word: string) => (counts.get(word) ?? 0) / files.length;
  const words = [...counts.keys()].filter(isPlain);
  const rare = words.filter((word) => word.length >= 8 && (counts.get(word) ?? 0) <= 3);
  const common = words.filter((word) => part(word) > 0.15 && word.length >= 3);
  const wordsOf = (file: SourceFile, low: number, high: number) =>
    [...new Set(file.text.match(/\w+/g))].filter(
      (word) => isPlain(word) && word.length >= 4 && part(word) >= low && part(word) <= high,
    );
  const inFiles = (make: (file: SourceFile) => Query | undefined): Query[] => {
    const found: Query[] = [];
    for (const file of sample(files, count * 20, random)) {
      const query = found.length < count ? make(file) : undefined;
      if (query) found.push(query);
    }
    return found;
  };
  return {
    'rare identifier': sample(rare, count, random).map((word) => ({ q: word, terms: [word] })),
    'common word': sample(common, count, random).map((word) => ({ q: word, terms: [word] })),
    'two terms': inFiles((file) => {
      const terms = sample(wordsOf(file, 0.002, 0.2), 2, random);
      return terms.length === 2 ? { q: terms.join(' '), terms } : undefined;
    }),
    phrase: inFiles((file) => phraseOf(file, part, random)),
    'language or path': inFiles((file) => {
      const [term] = sample(wordsOf(file, 0.01, 0.5), 1, random);
      const folder = file.path.split('/').at(-2);
      if (!term || !folder || !/^[\w-]+$/.test(folder)) return undefined;
      if (random() < 0.5) return { q: `${term} path:${folder}`, terms: [term], glob: `*${folder}/*` };
      const ending = file.path.endsWith('.ts') ? 'ts' : 'js';
      return { q: `${term} language:${ending}`, terms: [term], glob: `*.${ending}` };
    }),
  };
}

function phraseOf(file: SourceFile, part: (word: string) => number, random: () => number): Query | undefined {
  const places = [...file.text.matchAll(/([A-Za-z]\w{2,}) ([A-Za-z]\w{2,})/g)];
  const [place] = sample(places, 1, random);
  const [phrase, first, second] = place ?? [];
  if (!phrase || !first || !second || Math.min(part(first), part(second)) < 0.0005) return undefined;
  return { q: `"${phrase}"`, terms: [first, second], phrase };
}
