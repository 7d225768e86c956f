import { createRequire } from 'node:module';
import { invalid } from '#lib/refusal.ts';

/** The licences that a new repository can get: the public API's names, and the SPDX names of the texts. */
const texts: Readonly<Record<string, string>> = {
  '0bsd': '0BSD',
  'agpl-3.0': 'AGPL-3.0-only',
  'apache-2.0': 'Apache-2.0',
  'bsd-2-clause': 'BSD-2-Clause',
  'bsd-3-clause': 'BSD-3-Clause',
  'bsl-1.0': 'BSL-1.0',
  'cc0-1.0': 'CC0-1.0',
  'epl-2.0': 'EPL-2.0',
  'gpl-2.0': 'GPL-2.0-only',
  'gpl-3.0': 'GPL-3.0-only',
  'lgpl-2.1': 'LGPL-2.1-only',
  'lgpl-3.0': 'LGPL-3.0-only',
  mit: 'MIT',
  'mpl-2.0': 'MPL-2.0',
  unlicense: 'Unlicense',
};

/** The licences whose first lines name the owner. Others have such placeholders only in an appendix. */
const owned = new Set(['mit', 'bsd-2-clause', 'bsd-3-clause']);

const read = createRequire(import.meta.url);

/** A licence's text, by the public API's name for it. */
export function licenseText(name: string, { owner, year }: { owner: string; year: number }): string {
  const key = name.toLowerCase();
  const id = Object.hasOwn(texts, key) ? texts[key] : undefined;
  if (id === undefined) throw invalid('Repository', 'license_template', 'invalid', 'license_template is not a known license');
  const { licenseText: text }: { licenseText: string } = read(`spdx-license-list/licenses/${id}.json`);
  const filled = owned.has(key)
    ? text.replace('<year>', String(year)).replace(/<(?:copyright holders|owner)>/, () => owner)
    : text;
  return `${filled.trimEnd()}\n`;
}
