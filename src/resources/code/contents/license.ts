import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { isLesser, type License, licenseFileNames, other, recognizeLicense } from '#resources/repositories/licenses/index.ts';
import { type Entry, findEntry, followLink, isFile } from './entries.ts';

/** A licence file, with the licence that it holds: `other` where it is none of the known ones. */
export type LicenseFile = { file: Entry; license: License };

/** Larger files aren't matched with known licences. */
const maxBytes = 64 * 1024;

/** The licence file in the root of a commit; undefined where there is none. */
export async function findLicenseFile(reader: ObjectReader, commit: Oid): Promise<LicenseFile | undefined> {
  const root = await reader.findFolder(commit, '');
  if (!root) return undefined;
  const names = licenseFileNames((await reader.getTree(root.oid)).map(({ name }) => name));
  const first = await firstOf(reader, commit, names);
  if (!first || !/^gpl-/.test(first.license.key)) return first;
  // The LGPL is an addition to the GPL, so its users have a file for each.
  const lgpl = await firstOf(reader, commit, names.filter(isLesser));
  return lgpl && /^lgpl-/.test(lgpl.license.key) ? lgpl : first;
}

/** The first of these names that is a file, or a link to a file. */
async function firstOf(reader: ObjectReader, commit: Oid, names: readonly string[]): Promise<LicenseFile | undefined> {
  for (const name of names) {
    const entry = await findEntry(reader, commit, name);
    const file = entry?.mode === '120000' ? await followLink(reader, commit, entry) : entry;
    if (file && isFile(file)) return { file, license: await licenseIn(reader, file) };
  }
  return undefined;
}

async function licenseIn(reader: ObjectReader, file: Entry): Promise<License> {
  if (file.size > maxBytes) return other;
  const { data } = await reader.get(file.oid);
  return recognizeLicense(data.toString('utf8')) ?? other;
}
