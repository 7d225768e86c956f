/** Which piece has which number; pieces inside of words begin with `##`. */
export type Vocabulary = {
  readonly numbers: ReadonlyMap<string, number> /** Letters of the longest one. */;
  readonly longest: number;
};

export const vocabularyOf = (pieces: readonly string[]): Vocabulary => ({
  numbers: new Map(pieces.map((piece, at) => [piece, at])),
  longest: pieces.reduce((longest, piece) => Math.max(longest, [...piece].length), 0),
});

const controls = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;
const accents = /\p{Mn}/gu;
const ideographs =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
/** A word, or one mark: a mark is a word of its own. */
const words = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
const longestWord = 100;

/** A text as BERT's uncased models see it: lower case, without accents and controls, each ideograph apart. */
export const plain = (text: string): string =>
  [
    ...text
      .replace(/[\t\n\r]/g, ' ')
      .replace(controls, '')
      .replace(ideographs, ' $& ')
      .normalize('NFD')
      .replace(accents, ''),
  ]
    // One by one: whole strings know final letters (Σ), which the models don't.
    .map((letter) => letter.toLowerCase())
    .join('');

/**
 * The numbers of a text's word pieces, as BERT's WordPiece cuts them: the longest known piece first. A word that can't be cut
 * into known pieces gives none.
 */
export function wordPieces(text: string, vocabulary: Vocabulary): number[] {
  const found: number[] = [];
  for (const [word] of plain(text).matchAll(words)) found.push(...(cut(word, vocabulary) ?? []));
  return found;
}

function cut(word: string, { numbers, longest }: Vocabulary): number[] | undefined {
  const whole = numbers.get(word);
  if (whole !== undefined) return [whole];
  const letters = [...word];
  if (letters.length > longestWord) return undefined;
  const pieces: number[] = [];
  for (let from = 0; from < letters.length; ) {
    let to = Math.min(letters.length, from + longest);
    let piece: number | undefined;
    for (; to > from; to--) {
      piece = numbers.get((from > 0 ? '##' : '') + letters.slice(from, to).join(''));
      if (piece !== undefined) break;
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = to;
  }
  return pieces;
}
