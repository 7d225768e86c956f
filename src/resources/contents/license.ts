import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { isLesser, type License, licenseFileNames, other, recognizeLicense } from '#resources/licenses/index.ts';
import { type Entry, findEntry, followLink, isFile } from './entries.ts';

/** A licence file, with the licence that it holds: `other` where it is none of the known ones. */
export type LicenseFile = { file: Entry; license: License };

/** Larger files hold more than a licence. */
const largest = 64 * 1024;

/** The licence file in the root of a commit; undefined where there is none. */
export async function findLicenseFile(reader: ObjectReader, commit: Oid): Promise<LicenseFile | undefined> {
  const root = await reader.findInfo(commit, { peel: 'tree' });
  if (!root) return undefined;
  const names = licenseFileNames((await reader.getTree(root.oid)).map(({ name }) => name));
  const first = await firstOf(reader, commit, names);
  if (!first || !/^gpl-/.test(first.license.key)) return first;
  // The LGPL is written as an addition to the GPL: who uses it has both.
  const lesser = await firstOf(reader, commit, names.filter(isLesser));
  return lesser && /^lgpl-/.test(lesser.license.key) ? lesser : first;
}

/** Of these names, the first one that is a file's, or a link's to one. */
async function firstOf(reader: ObjectReader, commit: Oid, names: readonly string[]): Promise<LicenseFile | undefined> {
  for (const name of names) {
    const entry = await findEntry(reader, commit, name);
    const file = entry?.mode === '120000' ? await followLink(reader, commit, entry) : entry;
    if (file && isFile(file)) return { file, license: await licenseIn(reader, file) };
  }
  return undefined;
}

async function licenseIn(reader: ObjectReader, file: Entry): Promise<License> {
  if (file.size > largest) return other;
  const { data } = await reader.get(file.oid);
  return recognizeLicense(data.toString('utf8')) ?? other;
}
