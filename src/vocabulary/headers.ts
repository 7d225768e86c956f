import { tableOf, translated } from './table.ts';
import { agentWord, headerWords, mediaWord, type Pair, permissionWords, type Vocabulary } from './words.ts';

const canonical = tableOf(headerWords);
const lowerCase = tableOf(headerWords.map(([neutral, vendor]): Pair => [neutral.toLowerCase(), vendor.toLowerCase()]));
const permissions = tableOf(permissionWords);

/**
 * The name of a header in the vocabulary. A name in lower case stays in lower case.
 *
 * @example
 * emitHeader('github', 'X-Service-Hook-ID') // 'X-GitHub-Hook-ID'
 */
export const emitHeader = (vocabulary: Vocabulary, name: string): string =>
  vocabulary === 'service' ? name : translated(name === name.toLowerCase() ? lowerCase : canonical, 'toVendor', name);

/** The name of a permission category, for example in `X-Accepted-Service-Permissions`. */
export const emitPermission = (vocabulary: Vocabulary, name: string): string =>
  vocabulary === 'service' ? name : translated(permissions, 'toVendor', name);

/** The neutral name of a permission category, from either vocabulary. */
export const neutralPermission = (name: string): string => translated(permissions, 'toNeutral', name);

/** The user agent of webhook deliveries, for example `Service-Hookshot/0.1.0`. */
export const emitUserAgent = (vocabulary: Vocabulary, revision: string): string => `${pick(agentWord, vocabulary)}/${revision}`;

/**
 * A media type in the vocabulary.
 *
 * @example
 * emitMediaType('github', 'application/vnd.service.raw+json') // 'application/vnd.github.raw+json'
 */
const emitMediaType = (vocabulary: Vocabulary, type: string): string =>
  vocabulary === 'service' ? type : type.replace(`application/vnd.${mediaWord[0]}`, `application/vnd.${mediaWord[1]}`);

type Value = number | string | string[] | undefined;

/** The value of a reply's header in the vocabulary. `name` is its neutral name. */
export function emitValue<Given extends Value>(vocabulary: Vocabulary, name: string, value: Given): Given | string {
  const emit = vocabulary === 'service' || typeof value !== 'string' ? undefined : valueRules[name.toLowerCase()];
  return emit && typeof value === 'string' ? emit(vocabulary, value) : value;
}

const headerNames = (vocabulary: Vocabulary, list: string): string =>
  list.replace(/[\w-]+/g, (name) => emitHeader(vocabulary, name));

/** The headers whose values contain words of the vocabulary. */
const valueRules: Readonly<Record<string, (vocabulary: Vocabulary, value: string) => string>> = {
  'content-type': emitMediaType,
  'x-service-media-type': (vocabulary, value) =>
    value.startsWith(`${mediaWord[0]}.`) ? pick(mediaWord, vocabulary) + value.slice(mediaWord[0].length) : value,
  'x-accepted-service-permissions': (vocabulary, value) => value.replace(/\w+/g, (name) => emitPermission(vocabulary, name)),
  vary: headerNames,
  'access-control-allow-headers': headerNames,
  'access-control-expose-headers': headerNames,
};

const pick = ([neutral, vendor]: Pair, vocabulary: Vocabulary): string => (vocabulary === 'service' ? neutral : vendor);
