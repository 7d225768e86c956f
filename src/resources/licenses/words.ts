// What is compared of a licence's text: its words, without all that differs from file to file though the licence is the same.
import { licenses } from './catalogue.ts';

const word = /[\p{L}\p{N}]+/gu;

const wordsIn = (text: string): string[] => text.match(word) ?? [];

/** Numbers and letters of lists and versions: where they stand depends on the wrapping, and often they are bullets instead. */
const marker = /^(?:[a-z]|\d{1,2}|[ivx]{2,4})$/;

/** Words that are spelt in two ways (SPDX's guidelines for matching), by those that are compared. */
const spellings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    acknowledgement: 'acknowledgment',
    acknowledgements: 'acknowledgments',
    authorised: 'authorized',
    authorisation: 'authorization',
    favour: 'favor',
    fulfil: 'fulfill',
    https: 'http',
    judgement: 'judgment',
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

/** Words of title lines beside the names of licences. */
const titleWords = new Set([
  ...wordsIn(licenses.map(({ name, spdxId }) => `${name} ${spdxId}`.toLowerCase()).join(' ')),
  ...wordsIn('the of for this is file copyright notice text full legal code licence licenses licensed released under terms'),
  ...wordsIn('information clear modified simplified revised freebsd expat bsdl x11 style like fuck international agreement'),
  ...wordsIn('lesser affero database management system formerly known as postgres then postgres95'),
  ...wordsIn('january february march april may june july august september october november december th nd st rd dated date'),
  ...wordsIn('http https www apache org licenses opensource php spdx identifier ms pl rl mpl gpl lgpl agpl'),
]);

/** With these words, a title tells of another licence or of several, save where they belong to a name of the BSD ones. */
const telling = new Set(['modified', 'and', 'or']);

const isTitle = (words: readonly string[]): boolean =>
  words.length <= 14 &&
  words.every((one) => titleWords.has(one) || /^\p{N}+$/u.test(one)) &&
  (words.includes('bsd') || !words.some((one) => telling.has(one)));

/** The address of a holder takes no more words than this. */
const longestNotice = 30;

const copyright = /^(?:(?:portions )?(?:copyright\b|\(c\)|©|&copy;)|spdx-filecopyrighttext\b|developed by:)/;
const reserved = /^all rights (?:are )?reserved\b/;

/** `MIT License Copyright (c) 2026 Ada` */
const isTitledNotice = (words: readonly string[]): boolean => {
  const at = words.indexOf('copyright');
  return at > 0 && words.length <= longestNotice && isTitle(words.slice(0, at));
};

/** Words that the texts of licences begin with: what follows a line about copyright ends there. */
const beginnings = new Set(
  wordsIn('permission redistribution everyone anyone this the licensed licensor subject you terms preamble'),
);

/** Takes titles and lines about copyright from the head of a text, in whatever order they come. */
function withoutHead(lines: readonly string[]): string[] {
  let at = 0;
  let notice = 0; // words of the present paragraph since a line about copyright
  for (; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/^[^\p{L}\p{N}(©&]+/u, '');
    const words = wordsIn(line);
    if (words.length === 0) notice = 0;
    else if (copyright.test(line) || isTitledNotice(words)) notice = words.length;
    else if (reserved.test(line)) continue;
    else if (notice > 0 && notice + words.length <= longestNotice && !beginnings.has(words[0] ?? '')) notice += words.length;
    else if (!isTitle(words)) break;
  }
  return lines.slice(at);
}

/** What may stand instead of each other, or may be left out. Each gap is bounded, so that no text takes long. */
const variable: readonly (readonly [RegExp, string])[] = [
  // Who holds the rights, inside the text.
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
  [/\bend of (?:the )?terms and conditions\b[\s\S]*$/, ''], // how to apply them follows
];

/** What introduces a text and doesn't belong to it: from the first words to the second ones, which stay. */
const introductions = [
  ['creative commons corporation is not law firm', 'statement of purpose'],
  ['creative commons corporation creative commons is not law firm', 'by exercising the licensed rights'],
  ['this license is copied below and is also available with faq at', 'preamble'],
] as const;
/** What begins so, up to the end, is about a text. */
const epilogue = 'creative commons is not party to its public licenses';

function withoutFrame(text: string): string {
  let rest = text;
  for (const [from, until] of introductions) {
    const start = rest.indexOf(from);
    const end = start < 0 ? -1 : rest.indexOf(until, start);
    if (end >= 0) rest = rest.slice(0, start) + rest.slice(end);
  }
  const last = rest.indexOf(epilogue);
  return last < 0 ? rest : rest.slice(0, last);
}

/** A text without comments of HTML. */
function withoutComments(text: string): string {
  const [first = '', ...rest] = text.split('<!--');
  return [first, ...rest.map((part) => part.slice(part.indexOf('-->') + 1))].join(' ');
}

/** The words of a text, in their order, by which it is compared. */
export function comparedWords(text: string): string[] {
  const plain = withoutComments(text)
    .toLowerCase()
    .replace(/^[ \t]*\[[^\]\n]{1,100}\]:[ \t]*\S{1,300}[ \t]*$/gm, '') // where links of Markdown lead
    .replace(/<[^<>]{0,300}>/g, ' ') // HTML, addresses and placeholders
    .replace(/&(?:nbsp|quot|apos|lt|gt|lsquo|rsquo|ldquo|rdquo|#\d{1,5});/g, ' ')
    .replace(/\s&(?:amp;)?\s/g, ' and ')
    .replace(/\]\([^()\s]{0,300}\)/g, '] ') // the addresses of links
    .replace(/\p{Script=Han}/gu, ' $& '); // whose words have no blanks between them, but line breaks anywhere
  const words = wordsIn(withoutHead(plain.split(/\r\n|[\n\r\u2028\u2029\f]/)).join('\n'));
  const kept = words.filter((one) => one.length > 4 || !marker.test(one)).map((one) => spellings.get(one) ?? one);
  const body = withoutFrame(`${kept.join(' ')} `);
  const settled = variable.reduce((before, [pattern, after]) => before.replace(pattern, after), body);
  return settled.split(' ').filter((one) => one !== '');
}
