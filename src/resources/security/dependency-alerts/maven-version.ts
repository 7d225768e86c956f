// The order of Maven's versions, by its documentation ("Version Order Specification"). No maintained package implements it.

/** Qualifiers before a release, in order. The release itself has an empty one. */
const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const aliases: Readonly<Record<string, string>> = {
  a: 'alpha',
  b: 'beta',
  m: 'milestone',
  cr: 'rc',
  ga: '',
  final: '',
  release: '',
};

type Token = { readonly separator: '.' | '-'; readonly value: bigint | string };

/** Numbers and words with the separator before each. A change between digits and letters counts as a hyphen. */
function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  const parts = version.toLowerCase().matchAll(/([-._]?)(?:(\d+)|([^-._\d]+)(?=(\d?)))|[-._]/g);
  for (const [, written = '', digits, word, next] of parts) {
    const separator = written === '.' || tokens.length === 0 ? '.' : '-';
    if (digits !== undefined) tokens.push({ separator, value: BigInt(digits) });
    else tokens.push({ separator, value: word === undefined ? 0n : fullWord(word, next !== '') });
  }
  return withoutPadding(tokens);
}

/** `a`, `b` and `m` are short forms only before a number. */
const fullWord = (word: string, isBeforeNumber: boolean): string =>
  (word.length > 1 || isBeforeNumber) && Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;

const isNull = ({ value }: Token): boolean => value === 0n || value === '';

/** Removes empty parts before a hyphen and at the end: `1.0.0` is `1`, and `1.0-rc` is `1-rc`. */
function withoutPadding(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    if (token.separator === '-') dropNulls(kept);
    kept.push(token);
  }
  dropNulls(kept);
  return kept;
}

function dropNulls(tokens: Token[]): void {
  for (let last = tokens.at(-1); last && isNull(last); last = tokens.at(-1)) tokens.pop();
}

/** Orders tokens of different kinds: `.word` < `-word` < nothing (for words before a release) < `-number` < `.number`. */
function rankOf({ separator, value }: Token): number {
  if (typeof value === 'bigint') return separator === '.' ? 4 : 3;
  return separator === '.' ? 1 : 2;
}

function compareTokens(one: Token, other: Token): number {
  const ranks = rankOf(one) - rankOf(other);
  if (ranks !== 0) return ranks;
  if (typeof one.value === 'bigint' && typeof other.value === 'bigint')
    return one.value < other.value ? -1 : one.value > other.value ? 1 : 0;
  return compareWords(String(one.value), String(other.value));
}

function compareWords(one: string, other: string): number {
  const [here, there] = [qualifiers.indexOf(one), qualifiers.indexOf(other)];
  // Unknown words come after all others, in alphabetical order.
  const ranked = (rank: number) => (rank < 0 ? qualifiers.length : rank);
  if (here !== there) return ranked(here) - ranked(there);
  return here >= 0 || one === other ? 0 : one < other ? -1 : 1;
}

/** The value of a missing token in a comparison: the empty word or zero, depending on the other token. */
const nullFor = ({ separator, value }: Token): Token => ({ separator, value: typeof value === 'bigint' ? 0n : '' });

/** Negative if the first version comes before the second, 0 if they are equal. */
export function compareMaven(one: string, other: string): number {
  const [here, there] = [tokensOf(one), tokensOf(other)];
  for (let at = 0; at < Math.max(here.length, there.length); at++) {
    const [mine, theirs] = [here[at], there[at]];
    const [left, right] = [mine ?? (theirs && nullFor(theirs)), theirs ?? (mine && nullFor(mine))];
    const order = left && right ? compareTokens(left, right) : 0;
    if (order !== 0) return order;
  }
  return 0;
}
