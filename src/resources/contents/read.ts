import { type Raw, raw } from '#endpoint/call.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import type { Repo as Disk } from '#git/repo.ts';
import type { Media } from '#lib/media.ts';
import { orNotFound } from '#lib/refusal.ts';
import type { RepositoryUrls } from '#resources/commits/index.ts';
import { maxRaw, rawContent, tooLarge } from '#resources/git-data/index.ts';
import { type At, type Entry, findEntry, followLink, isFile, plainPath, targetOf } from './entries.ts';
import { presentFile, presentFolder, presentListing, presentSubmodule, presentSymlink } from './present.ts';
import type { ContentEntry, ContentFile, ContentFolder, ContentSubmodule, ContentSymlink } from './schemas.ts';
import { submoduleUrl } from './submodules.ts';

type Shown = ContentEntry[] | ContentFolder | ContentFile | ContentSymlink | ContentSubmodule;

/** The public API's bounds: entries of one listing, and bytes of a file inside JSON. */
const maxEntries = 1_000;
const maxInJson = 1024 * 1024;

type Reading = { disk: Disk; place: RepositoryUrls; at: At; media: Media };

/** Shows what a path leads to: a folder's listing, a file, a link or a submodule; a link to a file shows the file. */
export async function readContent({ disk, place, at, media }: Reading, wanted: string): Promise<Shown | Raw> {
  await using reader = await openObjects(disk);
  const entry = orNotFound(await findEntry(reader, at.commit, plainPath(wanted)));
  if (entry.mode === '040000') {
    const { entries } = await listTree(disk, entry.oid, { limit: maxEntries });
    const named = entries.map((child) => ({ ...child, path: entry.path === '' ? child.path : `${entry.path}/${child.path}` }));
    return media === 'object' ? presentFolder(place, at, entry, named) : presentListing(place, at, named);
  }
  if (entry.mode === '160000') return presentSubmodule(place, at, entry, await submoduleUrl(reader, at.commit, entry.path));
  const file = isFile(entry) ? entry : await followLink(reader, at.commit, entry);
  if (file) return showFile({ disk, place, at, media }, reader, file);
  if (media === 'raw') return bytesOf(disk, reader, entry);
  return presentSymlink(place, at, entry, await targetOf(reader, entry));
}

/** A file, in JSON or as it is. */
export async function showFile(
  { disk, place, at, media }: Reading,
  reader: ObjectReader,
  file: Entry,
): Promise<ContentFile | Raw> {
  if (media === 'raw') return bytesOf(disk, reader, file);
  if (file.size > maxRaw) throw tooLarge(maxRaw);
  return presentFile(place, at, file, file.size > maxInJson ? undefined : (await reader.get(file.oid)).data);
}

/** A file's bytes. The media type is the API's own, so that no browser runs a file of a repository as a page. */
export const bytesOf = async (disk: Disk, reader: ObjectReader, file: Entry): Promise<Raw> =>
  raw('application/vnd.service.raw+json; charset=utf-8', await rawContent(disk, reader, file), { etag: `"${file.oid}"` });
