// The affected versions of a package, in readable form: `>= 1.0.0, < 1.2.3`.
import { isComparable, type Vulnerable } from '#resources/security/dependency-alerts/index.ts';
import type { Ecosystem } from '#resources/security/dependency-graph/index.ts';

type Bound = { readonly sign: '=' | '<' | '<=' | '>' | '>='; readonly version: string };

const bound = /^(=|<=?|>=?)\s*([^\s<>=,]{1,100})$/;

/** The bounds of a range: an exact version, or one or two bounds. Undefined if the text isn't a range. */
export function readRange(text: string): readonly Bound[] | undefined {
  const bounds: Bound[] = [];
  for (const part of text.split(',')) {
    const [, sign, version] = bound.exec(part.trim()) ?? [];
    if (sign === undefined || version === undefined) return undefined;
    bounds.push({ sign: sign as Bound['sign'], version }); // the pattern allows only these
  }
  const count = (first: string) => bounds.filter(({ sign }) => sign.startsWith(first)).length;
  const isRange = count('=') === 0 ? count('<') <= 1 && count('>') <= 1 : bounds.length === 1;
  return isRange ? bounds : undefined;
}

const patched = /^(?:(?:=|<=?|>=?)\s*)?([^\s<>=,]{1,100})$/;

/** The versions in a text about patched versions. Undefined if there are none. */
export function readPatched(text: string): readonly string[] | undefined {
  const versions = text.split(',').map((part) => patched.exec(part.trim())?.[1]);
  return versions.every((version) => version !== undefined) ? versions : undefined;
}

/** The first version that is no longer vulnerable, if the text names one. */
export const firstPatched = (text: string | null): string | null =>
  text === null ? null : (/^(?:>?=\s*)?([^\s<>=,]+)$/.exec(text.trim())?.[1] ?? null);

const compared: ReadonlySet<string> = new Set<Ecosystem>(['npm', 'pip', 'go', 'rust', 'maven']);

/** Whether versions of an ecosystem can be compared, so that its advisories can raise alerts. */
export const isCompared = (ecosystem: string): ecosystem is Ecosystem => compared.has(ecosystem);

/** Whether a version is valid in its ecosystem. If the ecosystem isn't supported, every version is. */
export const isVersion = (ecosystem: string, version: string): boolean =>
  !isCompared(ecosystem) || isComparable(ecosystem, version);

/** The same range in the form for alerts. Undefined if it excludes its lower bound, which alerts can't express. */
export function vulnerableOf(text: string | null): Vulnerable | undefined {
  const bounds = text === null ? undefined : readRange(text);
  if (!bounds || bounds.some(({ sign }) => sign === '>')) return undefined;
  const at = (wanted: Bound['sign']): string | null => bounds.find(({ sign }) => sign === wanted)?.version ?? null;
  const only = at('=');
  const introduced = at('>=');
  return {
    introduced: introduced === '0' ? null : introduced,
    fixed: at('<'),
    last_affected: at('<='),
    versions: only === null ? null : [only],
  };
}
