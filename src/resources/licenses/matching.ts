// Which licence a text is: that of the known text that it is most like, if it is like it enough.
import { type KnownLicense, licenses } from './catalogue.ts';
import { readText } from './texts.ts';
import { comparedWords } from './words.ts';

/** A text as it is compared. Pairs are of neighbouring words. */
type Profile = { words: ReadonlySet<string>; length: number; pairs(): ReadonlySet<string> };
type Known = { license: KnownLicense; profile: Profile };

/** Texts that are less alike, of 1, are of different licences (the rule of the public API). */
const leastAlike = 0.98;
/** The same, of pairs: texts with a licence's words in another order are none. */
const leastInOrder = leastAlike / 2;

/** No licence has as many words. */
const maxWords = 12_000;

/** Parts of SPDX's texts that are used alone too. */
const parts: Readonly<Record<string, RegExp>> = {
  'lgpl-3.0': /^[\s\S]*?(?=\nGNU GENERAL PUBLIC LICENSE\n)/, // without the GPL, which it refers to
  'mulanpsl-2.0': /\nMulan Permissive Software License[\s\S]*$/, // in English alone
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

/** How many words two texts share (Sørensen and Dice), less for what one is longer than the other. */
function likeness({ words, length }: Profile, other: Profile): number {
  const all = words.size + other.words.size + Math.abs(length - other.length) / 4;
  const most = (2 * Math.min(words.size, other.words.size)) / all; // which tells most licences apart
  return most < leastAlike ? most : (2 * countShared(words, other.words)) / all;
}

const inOrder = (one: Profile, other: Profile): number =>
  (2 * countShared(one.pairs(), other.pairs())) / (one.pairs().size + other.pairs().size || 1);

function profileKnown(license: KnownLicense): Known[] {
  const text = readText(license);
  const part = parts[license.key]?.exec(text)?.[0];
  return [text, ...(part === undefined ? [] : [part])].map((one) => ({ license, profile: profileOf(comparedWords(one)) }));
}

/** To be raised with every change of what is recognized as what: then all repositories are looked at again. */
export const detectorVersion = 1;

let known: readonly Known[] | undefined;

/** The licence that a text is; undefined where it is none of the known ones. The first call reads these, which takes 70 ms. */
export function recognizeLicense(text: string): KnownLicense | undefined {
  known ??= licenses.flatMap(profileKnown);
  const words = comparedWords(text);
  if (words.length > maxWords) return undefined;
  const profile = profileOf(words);
  let best: { license: KnownLicense; alike: number; order: number } | undefined;
  for (const one of known) {
    const alike = likeness(one.profile, profile);
    if (alike < leastAlike || alike < (best?.alike ?? 0)) continue;
    const order = inOrder(one.profile, profile);
    if (order < leastInOrder || (alike === best?.alike && order <= best.order)) continue;
    best = { license: one.license, alike, order };
  }
  return best?.license;
}
