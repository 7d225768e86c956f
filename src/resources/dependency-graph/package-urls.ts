import { PackageURL } from 'packageurl-js';
import type { Ecosystem } from './parsers/dependency.ts';

/** The types of package URLs, and where in a name of each its namespace ends. */
const types = {
  npm: ['npm', '/'],
  pip: ['pypi', undefined],
  go: ['golang', '/'],
  rust: ['cargo', undefined],
  maven: ['maven', ':'],
} as const satisfies Record<Ecosystem, readonly [type: string, separator: string | undefined]>;

/** The package URL of a version; undefined for a name that its type can't have. */
export function packageUrl({
  ecosystem,
  name,
  version,
}: {
  ecosystem: Ecosystem;
  name: string;
  version: string | null;
}): string | undefined {
  const [type, separator] = types[ecosystem];
  const end = separator === undefined ? -1 : name.lastIndexOf(separator);
  try {
    return new PackageURL(type, end < 0 ? null : name.slice(0, end), name.slice(end + 1), version, null, null).toString();
  } catch {
    return undefined;
  }
}
