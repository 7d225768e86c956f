// What licences permit, require and exclude, in the public API's terms. Only the texts of the licences are binding.
import type { KnownLicense, SpdxId } from './catalogue.ts';

type Condition =
  | 'include-copyright'
  | 'include-copyright--source'
  | 'document-changes'
  | 'disclose-source'
  | 'network-use-disclose'
  | 'same-license'
  | 'same-license--file'
  | 'same-license--library';

type Limitation = 'liability' | 'warranty' | 'patent-use' | 'trademark-use';

type Terms = {
  readonly description: string;
  readonly permissions: readonly string[];
  readonly conditions: readonly Condition[];
  readonly limitations: readonly Limitation[];
};

const free = ['commercial-use', 'modifications', 'distribution', 'private-use'] as const;
const withPatents = [...free, 'patent-use'] as const;

const none: readonly Condition[] = [];
const notice: readonly Condition[] = ['include-copyright'];
const changes: readonly Condition[] = ['include-copyright', 'document-changes'];
const source: readonly Condition[] = [...changes, 'disclose-source'];
const copyleft: readonly Condition[] = [...source, 'same-license'];
const network: readonly Condition[] = [...copyleft, 'network-use-disclose'];
const library: readonly Condition[] = [...source, 'same-license--library'];
const shared: readonly Condition[] = ['include-copyright', 'disclose-source', 'same-license'];
const files: readonly Condition[] = ['include-copyright', 'disclose-source', 'same-license--file'];

const asIs: readonly Limitation[] = ['liability', 'warranty'];
const noMarks: readonly Limitation[] = [...asIs, 'trademark-use'];
const noPatents: readonly Limitation[] = [...asIs, 'patent-use'];
const noRights: readonly Limitation[] = [...noMarks, 'patent-use'];
const noWarranty: readonly Limitation[] = ['warranty', 'trademark-use'];

type Row = readonly [readonly string[], readonly Condition[], readonly Limitation[], string];

const rows: Readonly<Record<SpdxId, Row>> = {
  '0BSD': [free, none, asIs, 'Allows everything and asks for nothing, not even for a notice.'],
  'AFL-3.0': [
    withPatents,
    changes,
    noMarks,
    'A permissive licence with a grant of patents, which ends for those who sue over them.',
  ],
  'AGPL-3.0': [
    withPatents,
    network,
    asIs,
    'The GPL for services: who uses the software over a network may have its source, too.',
  ],
  'Apache-2.0': [withPatents, changes, noMarks, 'A permissive licence that keeps notices, names changes and grants patents.'],
  'Artistic-2.0': [
    withPatents,
    changes,
    noMarks,
    'Lets everybody change Perl and its packages, if changed ones can be told from the original.',
  ],
  'BlueOak-1.0.0': [withPatents, notice, asIs, 'A permissive licence in everyday words, with a grant of patents.'],
  'BSD-2-Clause': [free, notice, asIs, 'A permissive licence of two conditions: source and binaries keep the notice.'],
  'BSD-2-Clause-Patent': [withPatents, notice, asIs, 'The BSD licence of two conditions, with a grant of patents.'],
  'BSD-3-Clause': [
    free,
    notice,
    asIs,
    'The BSD licence of two conditions; a third one keeps the names of authors out of advertisements.',
  ],
  'BSD-3-Clause-Clear': [free, notice, noPatents, 'The BSD licence of three conditions, which says that no patents are granted.'],
  'BSD-4-Clause': [free, notice, asIs, 'The first BSD licence: advertisements have to name the authors.'],
  'BSL-1.0': [
    free,
    ['include-copyright--source'],
    asIs,
    'A permissive licence whose notice goes with source alone, not with programs.',
  ],
  'CC-BY-4.0': [free, changes, noRights, 'For texts, pictures and data: everything is allowed to those who name the author.'],
  'CC-BY-SA-4.0': [free, [...changes, 'same-license'], noRights, 'As CC-BY, and what is made of the work gets the same licence.'],
  'CC0-1.0': [free, none, noRights, 'Gives up all rights that can be given up, as if the work were in the public domain.'],
  'CECILL-2.1': [
    withPatents,
    [...shared, 'network-use-disclose'],
    asIs,
    'A copyleft licence under French law, compatible with the GPL.',
  ],
  'CERN-OHL-P-2.0': [withPatents, changes, asIs, 'A permissive licence for designs of hardware.'],
  'CERN-OHL-S-2.0': [
    withPatents,
    copyleft,
    asIs,
    'For designs of hardware: everything that they become part of is published alike.',
  ],
  'CERN-OHL-W-2.0': [
    withPatents,
    library,
    asIs,
    'For designs of hardware: they are published alike, what merely holds them is not.',
  ],
  'ECL-2.0': [withPatents, changes, noMarks, 'The Apache licence with a narrower grant of patents, made for universities.'],
  'EPL-1.0': [withPatents, shared, asIs, 'A copyleft licence for business: modules that are added may have other licences.'],
  'EPL-2.0': [withPatents, shared, asIs, 'A copyleft licence for business, which may allow the GPL as well.'],
  'EUPL-1.1': [
    withPatents,
    network,
    noMarks,
    'A copyleft licence of the European Union, valid in its languages, for services too.',
  ],
  'EUPL-1.2': [
    withPatents,
    network,
    noMarks,
    'A copyleft licence of the European Union, compatible with more licences than its first version.',
  ],
  'GFDL-1.3': [free, copyleft, asIs, 'A copyleft licence for manuals and other documents.'],
  'GPL-2.0': [free, copyleft, asIs, 'Whoever passes the software on passes its source on, under the same licence.'],
  'GPL-3.0': [
    withPatents,
    copyleft,
    asIs,
    'Whoever passes the software on passes its source on, under the same licence and with patents.',
  ],
  ISC: [free, notice, asIs, 'A permissive licence, as the BSD one of two conditions in fewer words.'],
  'LGPL-2.1': [free, library, asIs, 'For libraries: these stay under the licence, programs that use them need not.'],
  'LGPL-3.0': [
    withPatents,
    library,
    asIs,
    'What the third GPL grants to libraries: programs that use them need not have the licence.',
  ],
  'LPPL-1.3c': [free, source, asIs, 'For LaTeX and its packages: changed ones have to say that they are.'],
  MIT: [free, notice, asIs, 'A short permissive licence: keep the notice, and do what you want.'],
  'MIT-0': [free, none, asIs, 'The MIT licence without its condition to keep the notice.'],
  'MPL-2.0': [withPatents, files, noMarks, 'Files that have it keep it; those beside them may have any licence.'],
  'MS-PL': [withPatents, notice, noWarranty, 'A permissive licence with a grant of patents, whose source stays under it.'],
  'MS-RL': [
    withPatents,
    files,
    noWarranty,
    'As the Microsoft Public License; files that hold any of the source keep the licence.',
  ],
  'MulanPSL-2.0': [withPatents, notice, noMarks, 'A permissive licence in Chinese and in English, with a grant of patents.'],
  NCSA: [free, notice, asIs, 'The permission of the MIT licence with the conditions of the BSD one.'],
  'ODbL-1.0': [free, shared, noRights, 'For databases: what is made of them is published alike.'],
  'OFL-1.1': [
    free,
    ['include-copyright', 'same-license'],
    asIs,
    'For fonts: they stay under the licence, and changed ones get other names.',
  ],
  'OSL-3.0': [withPatents, network, noMarks, 'A copyleft licence with a grant of patents, for services too.'],
  PostgreSQL: [free, notice, asIs, 'A short permissive licence, in the manner of the BSD ones.'],
  Unlicense: [free, none, asIs, 'Puts the software into the public domain, and asks for nothing.'],
  'UPL-1.0': [withPatents, notice, asIs, 'A permissive licence that grants patents, also for works that it is combined with.'],
  Vim: [free, copyleft, [], 'Asks for a copy of changes, and to support orphans in Uganda.'],
  WTFPL: [free, none, [], 'Allows everything, in few and rude words.'],
  Zlib: [
    free,
    ['include-copyright--source', 'document-changes'],
    asIs,
    'A short permissive licence: changed source must say that it is.',
  ],
};

export function termsOf({ spdxId }: KnownLicense): Terms {
  const [permissions, conditions, limitations, description] = rows[spdxId];
  return { description, permissions, conditions, limitations };
}
