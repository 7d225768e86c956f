// Extracts the words by which a licence's text is compared, without the parts that differ between files of the same licence.
import { licenses } from './catalogue.ts';

const word = /[\p{L}\p{N}]+/gu;

const wordsIn = (text: string): string[] => text.match(word) ?? [];

/** Numbers and letters of lists and versions. They are ignored, since files often have bullets instead. */
const marker = /^(?:[a-z]|\d{1,2}|[ivx]{2,4})$/;

/** Variants of spelling (SPDX's matching guidelines), with the one that is compared. */
const spellings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acknowledgement: 'acknowledgment',
    acknowledgements: 'acknowledgments',
    authorised: 'authorized',
    authorisation: 'authorization',
    favour: 'favor',
    fulfil: 'fulfill',
    https: 'http',
    moveEvaluation: 'judgment',
    licence: 'license',
    licences: 'licenses',
    merchantibility: 'merchantability',
    organisation: 'organization',
    owner: 'holder',
    owners: 'holders',
    recognised: 'recognized',
    whilst: 'while',
    wilful: 'willful',
  }),
);

/** The words that title lines consist of. */
const titleWords = new Set([
  ...wordsIn(licenses.map(({ name, spdxId }) => `${name} ${spdxId}`.toLowerCase()).join(' ')),
  ...wordsIn('the of for this is file copyright notice text full legal code licence licenses licensed released under terms'),
  ...wordsIn('information clear modified simplified revised freebsd expat bsdl x11 style like fuck international agreement'),
  ...wordsIn('lesser affero database management system formerly known as postgres then postgres95'),
  ...wordsIn('january february march april may june july august september october november december th nd st rd dated date'),
  ...wordsIn('http https www apache org licenses opensource php spdx identifier ms pl rl mpl gpl lgpl agpl'),
]);

/** A title with one of these words names a different licence or several, except for the BSD licences, whose names have them. */
const distinguishing = new Set(['modified', 'and', 'or']);

const isTitle = (words: readonly string[]): boolean =>
  words.length <= 14 &&
  words.every((one) => titleWords.has(one) || /^\p{N}+$/u.test(one)) &&
  (words.includes('bsd') || !words.some((one) => distinguishing.has(one)));

/** The maximum number of words of a copyright notice with the holder's address. */
const maxNoticeWords = 30;

const copyright = /^(?:(?:portions )?(?:copyright\b|\(c\)|©|&copy;)|spdx-filecopyrighttext\b|developed by:)/;
const reserved = /^all rights (?:are )?reserved\b/;

/** `MIT License Copyright (c) 2026 Ada` */
const isTitledNotice = (words: readonly string[]): boolean => {
  const at = words.indexOf('copyright');
  return at > 0 && words.length <= maxNoticeWords && isTitle(words.slice(0, at));
};

/** First words of licence texts: a copyright notice of several lines ends there. */
const firstWords = new Set(
  wordsIn('permission redistribution everyone anyone this the licensed licensor subject you terms preamble'),
);

/** Removes titles and copyright notices from the beginning of a text, in any order. */
function withoutHead(lines: readonly string[]): string[] {
  let at = 0;
  let notice = 0; // words of the current paragraph since a copyright notice began
  for (; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/^[^\p{L}\p{N}(©&]+/u, '');
    const words = wordsIn(line);
    if (words.length === 0) notice = 0;
    else if (copyright.test(line) || isTitledNotice(words)) notice = words.length;
    else if (reserved.test(line)) continue;
    else if (notice > 0 && notice + words.length <= maxNoticeWords && !firstWords.has(words[0] ?? '')) notice += words.length;
    else if (!isTitle(words)) break;
  }
  return lines.slice(at);
}

/**
 * Phrases that vary or may be left out, with their replacements. Each gap is bounded, so that matching is fast for every text.
 */
const replacements: readonly (readonly [RegExp, string])[] = [
  // Names of the copyright holder inside the text.
  [/\bneither the names? of (?:\S+ ){0,30}?nor the names? of\b/g, 'neither the name of nor the names of'],
  [/\b(software is provided by) (?:\S+ ){0,30}?as is\b/g, '$1 as is'],
  [/\b(in no event (?:shall|will)) (?:\S+ ){0,30}?be( held)? liable\b/g, '$1 be liable'],
  [/\b(provided as is and) (?:\S+ ){1,12}?disclaims?\b/g, '$1 disclaims'],
  [/\b(includes software developed by) (?:\S+ ){0,30}?(?=neither\b)/g, '$1 '],
  [/\b(even if) (?:\S+ ){1,12}?(has been advised)\b/g, '$1 $2'],
  [/\b(of such damage) (?:\S+ ){1,12}?(specifically disclaims)\b/g, '$1 $2'],
  [/\b(as is basis and) (?:\S+ ){1,12}?(has no obligations)\b/g, '$1 $2'],
  // Headings, and sentences about the text itself.
  [/\bincluding the next paragraph\b/g, ''],
  [/\bfor more information please (?:refer to|see)( http)?( www)?( unlicense org| creativecommons org publicdomain zero)?/g, ''],
  [/\bend of (?:the )?terms and conditions\b[\s\S]*$/, ''], // followed by instructions to apply the licence
];

/** Introductions that aren't part of the licence. They are removed from the first phrase up to the second one, which is kept. */
const introductions = [
  ['creative commons corporation is not law firm', 'statement of purpose'],
  ['creative commons corporation creative commons is not law firm', 'by exercising the licensed rights'],
  ['this license is copied below and is also available with faq at', 'preamble'],
] as const;
/** The text is removed from this phrase to the end, since it isn't part of the licence. */
const epilogue = 'creative commons is not party to its public licenses';

function withoutIntroductions(text: string): string {
  let rest = text;
  for (const [from, until] of introductions) {
    const start = rest.indexOf(from);
    const end = start < 0 ? -1 : rest.indexOf(until, start);
    if (end >= 0) rest = rest.slice(0, start) + rest.slice(end);
  }
  const last = rest.indexOf(epilogue);
  return last < 0 ? rest : rest.slice(0, last);
}

/** A text without HTML comments. */
function withoutComments(text: string): string {
  const [first = '', ...rest] = text.split('<!--');
  return [first, ...rest.map((part) => part.slice(part.indexOf('-->') + 1))].join(' ');
}

/** The words of a text that the comparison uses, in order. */
export function comparedWords(text: string): string[] {
  const plain = withoutComments(text)
    .toLowerCase()
    .replace(/^[ \t]*\[[^\]\n]{1,100}\]:[ \t]*\S{1,300}[ \t]*$/gm, '') // link definitions of Markdown
    .replace(/<[^<>]{0,300}>/g, ' ') // HTML, addresses and placeholders
    .replace(/&(?:nbsp|quot|apos|lt|gt|lsquo|rsquo|ldquo|rdquo|#\d{1,5});/g, ' ')
    .replace(/\s&(?:amp;)?\s/g, ' and ')
    .replace(/\]\([^()\s]{0,300}\)/g, '] ') // the addresses of links
    .replace(/\p{Script=Han}/gu, ' $& '); // Chinese has no blanks between words, but may have line breaks anywhere
  const words = wordsIn(withoutHead(plain.split(/\r\n|[\n\r\u2028\u2029\f]/)).join('\n'));
  const kept = words.filter((one) => one.length > 4 || !marker.test(one)).map((one) => spellings.get(one) ?? one);
  const body = withoutIntroductions(`${kept.join(' ')} `);
  const normalized = replacements.reduce((before, [pattern, after]) => before.replace(pattern, after), body);
  return normalized.split(' ').filter((one) => one !== '');
}
