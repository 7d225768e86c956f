// Finds the file of a website for a path. Results are cached by the names of Git objects, so they are never stale.

import mime from 'mime';
import { kindOf } from '#git/objects/object-cache.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { pagesLimits } from '#resources/actions/pages/index.ts';
import { isFile } from '#resources/actions/pages/index.ts';

/** A file of a website, with its bytes if it is small. */
export type SiteFile = { readonly oid: Oid; readonly size: number; readonly type: string; readonly data: Buffer | undefined };

/** The result for a path: a file, or a folder whose address lacks the trailing slash. */
type Found = SiteFile | 'folder';

const files = kindOf<SiteFile | { readonly folder: true }>('page');

type Bounds = Pick<LimitValues<typeof pagesLimits>, 'cached'>;

/**
 * The file of a path below a tree; undefined if it doesn't exist. A path with a trailing slash means `index.html` in that folder.
 * For a path without an extension, `.html` is also tried. Links aren't followed.
 */
export async function findFile(
  gitRepository: GitRepository,
  tree: Oid,
  parts: readonly string[],
  bounds: Bounds,
): Promise<Found | undefined> {
  const key = `${tree}:${parts.join('/')}`;
  const known = gitRepository.store.cache.get(gitRepository, files, key);
  if (known) return 'folder' in known ? 'folder' : known;
  await using reader = await openObjects(gitRepository);
  const found = await lookUp(reader, tree, parts, bounds);
  if (found) gitRepository.store.cache.set(gitRepository, files, key, found === 'folder' ? { folder: true } : found);
  return found;
}

async function lookUp(reader: ObjectReader, tree: Oid, parts: readonly string[], bounds: Bounds): Promise<Found | undefined> {
  let folder = await reader.findInfo(tree);
  for (const part of parts.slice(0, -1)) {
    const child = folder && (await reader.findChild(folder, part));
    folder = child?.mode === '040000' ? await reader.findInfo(child.oid) : undefined;
  }
  if (!folder) return undefined;
  const name = parts.at(-1) || 'index.html';
  const child = await reader.findChild(folder, name);
  if (child && isFile(child)) return readFile(reader, child.oid, name, bounds);
  const page = name.endsWith('.html') ? undefined : await reader.findChild(folder, `${name}.html`);
  if (page && isFile(page)) return readFile(reader, page.oid, `${name}.html`, bounds);
  return child?.mode === '040000' && parts.at(-1) !== '' ? 'folder' : undefined;
}

async function readFile(reader: ObjectReader, oid: Oid, name: string, { cached }: Bounds): Promise<SiteFile> {
  const size = await reader.sizeOf(oid);
  const data = size <= cached ? (await reader.get(oid, { type: 'blob' })).data : undefined;
  return { oid, size, type: contentTypeOf(name), data: data && Buffer.from(data) };
}

const texts = /^text\/|[/+](?:json|xml|javascript|ecmascript)$|^application\/manifest/;

/** The media type of a file by its name. Texts are UTF-8. */
function contentTypeOf(name: string): string {
  const type = mime.getType(name) ?? 'application/octet-stream';
  return texts.test(type) ? `${type}; charset=utf-8` : type;
}
