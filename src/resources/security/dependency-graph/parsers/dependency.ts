import { jsonReader } from '#lib/json-reader.ts';
import { fixedValue } from '#lib/limits.ts';
import { dependencyLimits, manifestLimits } from '../limits.ts';

/** The ecosystems whose files are read, and whose packages advisories are about. */
export const ecosystems = ['npm', 'pip', 'go', 'rust', 'maven'] as const;
export type Ecosystem = (typeof ecosystems)[number];

/** Something that a file depends on. */
export type Dependency = {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** The version that is used, where the file says so. */
  readonly version: string | null;
  /** What the file allows, as it is written there. */
  readonly requirement: string | null;
  readonly scope: 'runtime' | 'development';
  readonly relationship: 'direct' | 'transitive' | 'unknown';
  /** As the file says it, an expression of SPDX or a name. */
  readonly license?: string | null;
};

/**
 * Reads the dependencies of a file. Undefined is a step without one: after each, the reader may yield to the event loop.
 * @throws Error if the file isn't what its name says
 */
export type Parser = (content: Buffer, path: string) => Iterable<Dependency | undefined>;

type Fields = Readonly<Record<string, unknown>>;

const none: Fields = Object.freeze({});

/** A value as an object; anything else is an empty one. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : none;

/** A field of an object itself, not one that all objects have. */
export const fieldOf = (value: unknown, name: string): unknown => {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
};

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @throws where it isn't UTF-8 */
export const decode = (content: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(content);

/** The lines of a text, without making a list of them. */
export function* linesOf(content: Buffer): Generator<string> {
  const text = decode(content);
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    yield text.slice(at, text[next - 1] === '\r' && next > at ? next - 1 : next);
    at = next + 1;
  }
}

const bounds = manifestLimits;
const jsonLimits = {
  depth: fixedValue(bounds.manifestDepth),
  values: fixedValue(bounds.manifestValues),
  names: { depth: 'interpreters.manifestDepth', values: 'interpreters.manifestValues' },
};
const bytesPerStep = 16 * 1024;

/** Reads JSON whose value is an object, in steps. */
export function* parseObject(content: Buffer): Generator<undefined, Fields> {
  const reader = jsonReader(jsonLimits);
  const start = content.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  for (let at = start; at < content.length; at += bytesPerStep) {
    reader.write(content.subarray(at, at + bytesPerStep));
    yield undefined;
  }
  const value = reader.end()?.value;
  if (fieldsOf(value) !== value) throw new Error('not an object');
  return fieldsOf(value);
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const longest = fixedValue(dependencyLimits.nameLength);

/** A version if it isn't too long to be read as one: what reads versions isn't made for long ones. */
export const shortVersion = (version: string | null | undefined): string | null =>
  version != null && version.length <= longest ? version : null;

/** The one spelling of names that PyPI holds to be equal (PEP 503). */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
