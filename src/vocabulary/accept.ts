import type { IncomingHttpHeaders } from 'node:http';
import type { Media } from '#lib/media.ts';
import { headerWords, mediaWord } from './words.ts';

type Accepted = {
  /** False if the header doesn't accept JSON, for which the public API replies 415. */
  readonly acceptable: boolean;
  readonly media: Media;
  /** The version in the media type (`v3`), if it has one. */
  readonly version?: string;
};

const plain: Accepted = { acceptable: true, media: 'json' };

/**
 * Parses an `Accept` header with the media types of either vocabulary. The highest weight wins, then a named type over a
 * wildcard, then text matches over plain JSON, then the first.
 * @example
 * acceptMediaType('application/vnd.github.v3.raw+json').media // 'raw'
 * acceptMediaType('application/vnd.service.text-match+json').media // 'text-match'
 * acceptMediaType('image/png').acceptable // false
 */
export function acceptMediaType(header: string | undefined): Accepted {
  if (header === undefined || header === '*/*' || header.trim() === '') return plain;
  let isLenient = false;
  let best: { accepted: Accepted; rank: number } | undefined;
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';');
    const name = type.trim().toLowerCase();
    const accepted = mediaOf(name);
    const weight = weightOf(parameters);
    if (weight === 0) continue;
    isLenient ||= lenientTypes.test(name);
    if (!accepted) continue;
    const rank = weight * 2 + (name.includes('*') ? 0 : 1) * 0.0001;
    if (!best || rank > best.rank || (rank === best.rank && isMoreSpecific(accepted, best.accepted))) best = { accepted, rank };
  }
  return best?.accepted ?? { ...plain, acceptable: isLenient };
}

/** Clients list the type for text matches after other types that mean plain JSON (previews). */
const isMoreSpecific = (one: Accepted, other: Accepted): boolean => one.media === 'text-match' && other.media === 'json';

/** `q`, from 0 to 1; 1 if it is absent or not a number. */
function weightOf(parameters: readonly string[]): number {
  const text = parameters.map((parameter) => parameter.trim()).find((parameter) => /^q=/i.test(parameter));
  const weight = text === undefined ? 1 : Number(text.slice(2));
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight));
}

/** Types that browsers and generic clients send. They get JSON anyway. */
const lenientTypes = /^(text\/|.+\+json$)/;

const jsonNames = new Set(['*/*', 'application/*', 'application/json', 'text/json']);
const vendorName = new RegExp(`^application/vnd\\.(?:${mediaWord.join('|')})(?:-\\w+)?((?:\\.[\\w-]+)*)(?:\\+json)?$`);

/** The media names in media types. `satisfies` checks that none is missing. */
const renderings: Record<Exclude<Media, 'bytes' | 'sarif'>, true> = {
  json: true,
  raw: true,
  html: true,
  text: true,
  full: true,
  object: true,
  diff: true,
  patch: true,
  sha: true,
  'text-match': true,
  star: true,
  repository: true,
};

const isMedia = (word: string): word is Media => Object.hasOwn(renderings, word);

function mediaOf(name: string): Accepted | undefined {
  if (jsonNames.has(name)) return plain;
  if (name === 'application/octet-stream') return { acceptable: true, media: 'bytes' };
  if (name === 'application/sarif+json') return { acceptable: true, media: 'sarif' };
  const [matched, rest = ''] = vendorName.exec(name) ?? [];
  if (matched === undefined) return undefined;
  const parts = rest.split('.').slice(1);
  const version = parts.find((part) => /^(v\d+|beta|version)$/.test(part));
  const media = parts.find(isMedia) ?? 'json'; // names of previews are ignored
  return version?.startsWith('v') && version !== 'version' ? { acceptable: true, media, version } : { acceptable: true, media };
}

const vendorHeaders = new Map(headerWords.map(([neutral, vendor]) => [neutral.toLowerCase(), vendor.toLowerCase()]));

/** A request header by its neutral name (in lower case), from either vocabulary. The neutral one has precedence. */
export function neutralHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const vendor = vendorHeaders.get(name);
  const value = headers[name] ?? (vendor === undefined ? undefined : headers[vendor]);
  return Array.isArray(value) ? value[0] : value;
}
