// Recognizes the licence of a text: that of the most similar known text, if it is similar enough.
import { type KnownLicense, licenses } from './catalogue.ts';
import { readText } from './texts.ts';
import { comparedWords } from './words.ts';

/** The parts of a text that are compared. `pairs` are its pairs of adjacent words. */
type Profile = { words: ReadonlySet<string>; length: number; pairs(): ReadonlySet<string> };
type Known = { license: KnownLicense; profile: Profile };

/** The minimum similarity, from 0 to 1, of texts of the same licence (the public API's rule). */
const minSimilarity = 0.98;
/** The minimum similarity of pairs, which excludes texts with a licence's words in another order. */
const minPairSimilarity = minSimilarity / 2;

/** Longer texts aren't compared, since no licence has as many words. */
const maxWords = 12_000;

/** Parts of SPDX's texts that also occur alone. */
const parts: Readonly<Record<string, RegExp>> = {
  'lgpl-3.0': /^[\s\S]*?(?=\nGNU GENERAL PUBLIC LICENSE\n)/, // without the GPL, which it refers to
  'mulanpsl-2.0': /\nMulan Permissive Software License[\s\S]*$/, // the English part
};

function profileOf(ordered: readonly string[]): Profile {
  let pairs: ReadonlySet<string> | undefined;
  return {
    words: new Set(ordered),
    length: ordered.reduce((sum, { length }) => sum + length + 1, 0),
    pairs() {
      pairs ??= new Set(ordered.slice(1).map((word, at) => `${ordered[at]} ${word}`));
      return pairs;
    },
  };
}

function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const value of one) if (other.has(value)) shared += 1;
  return shared;
}

/** The similarity of two texts: the Sørensen–Dice coefficient of their words, reduced by the difference of their lengths. */
function similarityOf({ words, length }: Profile, other: Profile): number {
  const all = words.size + other.words.size + Math.abs(length - other.length) / 4;
  const upperBound = (2 * Math.min(words.size, other.words.size)) / all; // cheap, and enough to exclude most licences
  return upperBound < minSimilarity ? upperBound : (2 * countShared(words, other.words)) / all;
}

const pairSimilarityOf = (one: Profile, other: Profile): number =>
  (2 * countShared(one.pairs(), other.pairs())) / (one.pairs().size + other.pairs().size || 1);

function profilesOf(license: KnownLicense): Known[] {
  const text = readText(license);
  const part = parts[license.key]?.exec(text)?.[0];
  return [text, ...(part === undefined ? [] : [part])].map((one) => ({ license, profile: profileOf(comparedWords(one)) }));
}

/** Must be incremented with every change of the recognition. All repositories are then analysed again. */
export const detectorVersion = 1;

let known: readonly Known[] | undefined;

/** The licence of a text; undefined if it isn't a known one. The first call loads the known texts, which takes 70 ms. */
export function recognizeLicense(text: string): KnownLicense | undefined {
  known ??= licenses.flatMap(profilesOf);
  const words = comparedWords(text);
  if (words.length > maxWords) return undefined;
  const profile = profileOf(words);
  let best: { license: KnownLicense; similarity: number; pairSimilarity: number } | undefined;
  for (const one of known) {
    const similarity = similarityOf(one.profile, profile);
    if (similarity < minSimilarity || similarity < (best?.similarity ?? 0)) continue;
    const pairSimilarity = pairSimilarityOf(one.profile, profile);
    if (pairSimilarity < minPairSimilarity || (similarity === best?.similarity && pairSimilarity <= best.pairSimilarity))
      continue;
    best = { license: one.license, similarity, pairSimilarity };
  }
  return best?.license;
}
