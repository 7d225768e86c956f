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

/** Reads the dependencies of a file. @throws Error where it isn't what its name says */
export type Parser = (text: string, path: string) => Iterable<Dependency>;

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

/** JSON whose value is an object. */
export function parseObject(text: string): Fields {
  const value: unknown = JSON.parse(text);
  if (fieldsOf(value) !== value) throw new Error('not an object');
  return fieldsOf(value);
}

/** The one spelling of names that PyPI holds to be equal (PEP 503). */
export const pythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
