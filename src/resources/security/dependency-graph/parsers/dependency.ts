import { jsonReader } from '#lib/json-reader.ts';
import { fixedValue } from '#lib/limits.ts';
import { dependencyLimits, manifestLimits } from '../limits.ts';

/** The supported ecosystems, for files and for advisories. */
export const ecosystems = ['npm', 'pip', 'go', 'rust', 'maven'] as const;
export type Ecosystem = (typeof ecosystems)[number];

/** A dependency of a file. */
export type Dependency = {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** The version in use, if the file specifies it. */
  readonly version: string | null;
  /** The requirement, as written in the file. */
  readonly requirement: string | null;
  readonly scope: 'runtime' | 'development';
  readonly relationship: 'direct' | 'transitive' | 'unknown';
  /** The license in the file, as an SPDX expression or a name. */
  readonly license?: string | null;
};

/**
 * Reads the dependencies of a file. Undefined marks a step without one: after each step, the reader may yield to the event loop.
 * @throws Error if the file isn't what its name says
 */
export type Parser = (content: Buffer, path: string) => Iterable<Dependency | undefined>;

type Fields = Readonly<Record<string, unknown>>;

const none: Fields = Object.freeze({});

/** A value as an object; an empty object for other values. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : none;

/** An object's own field, not an inherited one. */
export const fieldOf = (value: unknown, name: string): unknown => {
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
};

export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** @throws Error if it isn't UTF-8 */
export const decode = (content: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(content);

/** The lines of a text, without creating a list. */
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

/** Reads a JSON object in steps. */
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

/** A version, unless it is too long, since the parsers of versions aren't made for long texts. */
export const shortVersion = (version: string | null | undefined): string | null =>
  version != null && version.length <= longest ? version : null;

/** The normalized form of PyPI names (PEP 503). */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
