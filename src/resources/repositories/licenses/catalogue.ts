/** A licence, with the public API's names. */
export type License = {
  /** In lower case, as in `license_template` and `license:`. */
  readonly key: string;
  readonly name: string;
  readonly spdxId: string;
};

/** SPDX ids with the public API's names of the licences, ordered by key. */
const names = {
  '0BSD': 'BSD Zero Clause License',
  'AFL-3.0': 'Academic Free License v3.0',
  'AGPL-3.0': 'GNU Affero General Public License v3.0',
  'Apache-2.0': 'Apache License 2.0',
  'Artistic-2.0': 'Artistic License 2.0',
  'BlueOak-1.0.0': 'Blue Oak Model License 1.0.0',
  'BSD-2-Clause': 'BSD 2-Clause "Simplified" License',
  'BSD-2-Clause-Patent': 'BSD-2-Clause Plus Patent License',
  'BSD-3-Clause': 'BSD 3-Clause "New" or "Revised" License',
  'BSD-3-Clause-Clear': 'BSD 3-Clause Clear License',
  'BSD-4-Clause': 'BSD 4-Clause "Original" or "Old" License',
  'BSL-1.0': 'Boost Software License 1.0',
  'CC-BY-4.0': 'Creative Commons Attribution 4.0 International',
  'CC-BY-SA-4.0': 'Creative Commons Attribution Share Alike 4.0 International',
  'CC0-1.0': 'Creative Commons Zero v1.0 Universal',
  'CECILL-2.1': 'CeCILL Free Software License Agreement v2.1',
  'CERN-OHL-P-2.0': 'CERN Open Hardware Licence Version 2 - Permissive',
  'CERN-OHL-S-2.0': 'CERN Open Hardware Licence Version 2 - Strongly Reciprocal',
  'CERN-OHL-W-2.0': 'CERN Open Hardware Licence Version 2 - Weakly Reciprocal',
  'ECL-2.0': 'Educational Community License v2.0',
  'EPL-1.0': 'Eclipse Public License 1.0',
  'EPL-2.0': 'Eclipse Public License 2.0',
  'EUPL-1.1': 'European Union Public License 1.1',
  'EUPL-1.2': 'European Union Public License 1.2',
  'GFDL-1.3': 'GNU Free Documentation License v1.3',
  'GPL-2.0': 'GNU General Public License v2.0',
  'GPL-3.0': 'GNU General Public License v3.0',
  ISC: 'ISC License',
  'LGPL-2.1': 'GNU Lesser General Public License v2.1',
  'LGPL-3.0': 'GNU Lesser General Public License v3.0',
  'LPPL-1.3c': 'LaTeX Project Public License v1.3c',
  MIT: 'MIT License',
  'MIT-0': 'MIT No Attribution',
  'MPL-2.0': 'Mozilla Public License 2.0',
  'MS-PL': 'Microsoft Public License',
  'MS-RL': 'Microsoft Reciprocal License',
  'MulanPSL-2.0': 'Mulan Permissive Software License, Version 2',
  NCSA: 'University of Illinois/NCSA Open Source License',
  'ODbL-1.0': 'Open Data Commons Open Database License v1.0',
  'OFL-1.1': 'SIL Open Font License 1.1',
  'OSL-3.0': 'Open Software License 3.0',
  PostgreSQL: 'PostgreSQL License',
  Unlicense: 'The Unlicense',
  'UPL-1.0': 'Universal Permissive License v1.0',
  Vim: 'Vim License',
  WTFPL: 'Do What The F*ck You Want To Public License',
  Zlib: 'zlib License',
} as const;

export type SpdxId = keyof typeof names;
export type KnownLicense = License & { readonly spdxId: SpdxId };

const ids = Object.keys(names) as SpdxId[]; // the keys of the table above

/** All licences with a known text, ordered by key. */
export const licenses: readonly KnownLicense[] = ids
  .map((spdxId) => ({ key: spdxId.toLowerCase(), name: names[spdxId], spdxId }))
  .sort((one, other) => (one.key < other.key ? -1 : 1));

const byKey: ReadonlyMap<string, KnownLicense> = new Map(licenses.map((license) => [license.key, license]));

/** The licence with a key, regardless of case. */
export const findLicense = (key: string): KnownLicense | undefined => byKey.get(key.toLowerCase());

/** The licence of a repository whose licence file has an unknown text (the public API's names). */
export const other = { key: 'other', name: 'Other', spdxId: 'NOASSERTION' } as const satisfies License;
