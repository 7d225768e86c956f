import { PackageURL } from 'packageurl-js';
import { type Ecosystem, ecosystems, pythonName } from './parsers/dependency.ts';

/** The types of package URLs, and the end of the namespace in a name of each. */
const types = {
  npm: ['npm', '/'],
  pip: ['pypi', undefined],
  go: ['golang', '/'],
  rust: ['cargo', undefined],
  maven: ['maven', ':'],
} as const satisfies Record<Ecosystem, readonly [type: string, separator: string | undefined]>;

/** The package in a package URL. `package_url` is set if the server doesn't know its ecosystem. */
export type NamedPackage = { ecosystem: string; name: string; version: string | null; package_url: string | null };

const isKnown = (ecosystem: string): ecosystem is Ecosystem => ecosystems.some((known) => known === ecosystem);

/** The package URL of a version; undefined for a name that is invalid for its type. */
export function packageUrl({ ecosystem, name, version, package_url }: NamedPackage): string | undefined {
  if (package_url !== null) return package_url;
  if (!isKnown(ecosystem)) return undefined;
  const [type, separator] = types[ecosystem];
  const end = separator === undefined ? -1 : name.lastIndexOf(separator);
  try {
    return new PackageURL(type, end < 0 ? null : name.slice(0, end), name.slice(end + 1), version, null, null).toString();
  } catch {
    return undefined;
  }
}

/** The public API's names for ecosystems whose package URLs have another type. */
const otherNames: Readonly<Record<string, string>> = { gem: 'rubygems', githubactions: 'actions', hex: 'erlang' };

/** Reads a package URL; undefined if it is invalid. A subpath, after `#`, is ignored. */
export function readPackageUrl(text: string): NamedPackage | undefined {
  try {
    const url = PackageURL.fromString(text.replace(/#.*$/s, ''));
    const { type, namespace, name, version = null } = url;
    const known = ecosystems.find((ecosystem) => types[ecosystem][0] === type);
    const separator = (known && types[known][1]) ?? '/';
    const fullName = namespace ? `${namespace}${separator}${name}` : name;
    if (known) return { ecosystem: known, name: known === 'pip' ? pythonName(fullName) : fullName, version, package_url: null };
    return { ecosystem: otherNames[type] ?? type, name: fullName, version, package_url: url.toString() };
  } catch {
    return undefined;
  }
}
