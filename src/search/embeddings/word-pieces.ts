/** The numbers of word pieces. Pieces inside words begin with `##`. */
export type Vocabulary = {
  readonly numbers: ReadonlyMap<string, number> /** The length of the longest piece. */;
  readonly maxLength: number;
};

export const vocabularyOf = (pieces: readonly string[]): Vocabulary => ({
  numbers: new Map(pieces.map((piece, at) => [piece, at])),
  maxLength: pieces.reduce((maxLength, piece) => Math.max(maxLength, [...piece].length), 0),
});

const controls = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;
const accents = /\p{Mn}/gu;
const ideographs =
  /[\u4E00-\u9FFF\u3400-\u4DBF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/gu;
/** A word, or one punctuation character. */
const words = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
const maxWord = 100;

/**
 * Normalizes a text like BERT's uncased models: lower case, without accents and control characters, with spaces around
 * ideographs.
 */
const normalise = (text: string): string =>
  [
    ...text
      .replace(/[\t\n\r]/g, ' ')
      .replace(controls, '')
      .replace(ideographs, ' $& ')
      .normalize('NFD')
      .replace(accents, ''),
  ]
    // Character by character: for whole strings, JavaScript uses the final form of sigma, which the models don't.
    .map((character) => character.toLowerCase())
    .join('');

/**
 * The numbers of a text's word pieces, from BERT's WordPiece algorithm: the longest known piece first. Words that can't be split
 * into known pieces are skipped.
 */
export function wordPieces(text: string, vocabulary: Vocabulary): number[] {
  const found: number[] = [];
  for (const [word] of normalise(text).matchAll(words)) found.push(...(splitWord(word, vocabulary) ?? []));
  return found;
}

/** Where the characters of a word begin, and the end of the word. */
function startsOfCharacters(word: string): number[] {
  const starts = [0];
  for (const character of word) starts.push((starts.at(-1) ?? 0) + character.length);
  return starts;
}

function splitWord(word: string, { numbers, maxLength }: Vocabulary): number[] | undefined {
  const whole = numbers.get(word);
  if (whole !== undefined) return [whole];
  // The characters of a long word are not made.
  if (word.length > 2 * maxWord) return undefined;
  const starts = startsOfCharacters(word);
  const count = starts.length - 1;
  if (count > maxWord) return undefined;
  const pieces: number[] = [];
  for (let from = 0; from < count; ) {
    let to = Math.min(count, from + maxLength);
    let piece: number | undefined;
    for (; to > from; to--) {
      const text = word.slice(starts[from], starts[to]);
      piece = numbers.get(from > 0 ? `##${text}` : text);
      if (piece !== undefined) break;
    }
    if (piece === undefined) return undefined;
    pieces.push(piece);
    from = to;
  }
  return pieces;
}
