import { createRequire } from 'node:module';
import { invalid } from '#lib/refusal.ts';
import { findLicense, type KnownLicense } from './catalogue.ts';

/** The keys of the licences that a new repository can get. */
export const offered: ReadonlySet<string> = new Set([
  ...['0bsd', 'agpl-3.0', 'apache-2.0', 'bsd-2-clause', 'bsd-3-clause', 'bsl-1.0', 'cc0-1.0', 'epl-2.0', 'gpl-2.0', 'gpl-3.0'],
  ...['lgpl-2.1', 'lgpl-3.0', 'mit', 'mpl-2.0', 'unlicense'],
]);

/** The offered licences whose first lines name the owner. Others have such placeholders only in an appendix. */
const withOwner = new Set(['mit', 'bsd-2-clause', 'bsd-3-clause']);

/** Licences that SPDX lists twice with the same text: for this version only, and for later ones, too. */
const gnu = /^(?:[AL]?GPL|GFDL)-/;

const read = createRequire(import.meta.url);

const idOf = ({ spdxId }: KnownLicense): string => (gnu.test(spdxId) ? `${spdxId}-only` : spdxId);

/** The web page of a licence. */
export const pageOf = (license: KnownLicense): string => `https://spdx.org/licenses/${idOf(license)}.html`;

/** A licence's text from SPDX. */
export function readText(license: KnownLicense): string {
  const { licenseText }: { licenseText: string } = read(`spdx-license-list/licenses/${idOf(license)}.json`);
  return licenseText;
}

/** The text of a new repository's licence, by the public API's key. */
export function licenseText(key: string, { owner, year }: { owner: string; year: number }): string {
  const license = findLicense(key);
  if (!license || !offered.has(license.key))
    throw invalid('Repository', 'license_template', 'invalid', 'license_template is not a known license');
  const text = readText(license);
  const filled = withOwner.has(license.key)
    ? text.replace('<year>', String(year)).replace(/<(?:copyright holders|owner)>/, () => owner)
    : text;
  return `${filled.trimEnd()}\n`;
}
