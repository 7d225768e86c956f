import { type Raw, raw } from '#endpoint/call.ts';
import { type ObjectReader, openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { type Media, rawFileType } from '#lib/media.ts';
import { orNotFound } from '#lib/refusal.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { maxRaw, rawContent, tooLarge } from '#resources/code/git-data/index.ts';
import { textLimits } from '#text/limits.ts';
import { renderText, verbatimHtml } from '#text/render.ts';
import { type Entry, findEntry, followLink, isFile, type ResolvedCommit, targetOf, trimSlashes } from './entries.ts';
import { presentFile, presentFolder, presentListing, presentSubmodule, presentSymlink } from './present.ts';
import type { ContentEntry, ContentFile, ContentFolder, ContentSubmodule, ContentSymlink } from './schemas.ts';
import { readSubmodules } from './submodules.ts';

type PresentedContent = ContentEntry[] | ContentFolder | ContentFile | ContentSymlink | ContentSubmodule;

/** The public API's limits: entries of one listing, and bytes of a file inside JSON. */
const maxEntries = 1_000;
const maxJsonBytes = 1024 * 1024;

/** `html`: the address of this server. */
type ReadContext = {
  gitRepository: GitRepository;
  urls: RepositoryUrls;
  resolved: ResolvedCommit;
  media: Media;
  html: string;
  caller: Caller;
};

/**
 * Presents the entry at a path: a folder's listing, a file, a link or a submodule. For a link to a file, it presents the file.
 */
export async function readContent(context: ReadContext, wanted: string): Promise<PresentedContent | Raw> {
  const { gitRepository, urls, resolved, media } = context;
  await using reader = await openObjects(gitRepository);
  const entry = orNotFound(await findEntry(reader, resolved.commit, trimSlashes(wanted)));
  if (entry.mode === '040000') {
    const { entries } = await listTree(gitRepository, entry.oid, { limit: maxEntries });
    const named = entries.map((child) => ({ ...child, path: entry.path === '' ? child.path : `${entry.path}/${child.path}` }));
    const hasSubmodules = entries.some(({ mode }) => mode === '160000');
    const submodules = hasSubmodules ? await readSubmodules(reader, resolved.commit) : new Map<string, string>();
    return media === 'object'
      ? presentFolder(urls, resolved, entry, named, submodules)
      : presentListing(urls, resolved, named, submodules);
  }
  if (entry.mode === '160000') return presentSubmodule(urls, resolved, entry, await readSubmodules(reader, resolved.commit));
  const file = isFile(entry) ? entry : await followLink(reader, resolved.commit, entry);
  if (file) return readFile(context, reader, file);
  if (media === 'raw') return rawFile(gitRepository, reader, entry);
  return presentSymlink(urls, resolved, entry, await targetOf(reader, entry));
}

/** A file, as JSON, as raw bytes, or as HTML. */
export async function readFile(
  { gitRepository, urls, resolved, media, html, caller }: ReadContext,
  reader: ObjectReader,
  file: Entry,
): Promise<ContentFile | Raw> {
  if (media === 'raw') return rawFile(gitRepository, reader, file);
  if (media === 'html') return renderedFile(reader, file, { html, caller });
  if (file.size > maxRaw) throw tooLarge(maxRaw);
  return presentFile(urls, resolved, file, file.size > maxJsonBytes ? undefined : (await reader.get(file.oid)).data);
}

export const rawFile = async (
  gitRepository: GitRepository,
  reader: ObjectReader,
  file: Entry,
  type = rawFileType,
): Promise<Raw> => raw(type, await rawContent(gitRepository, reader, file), { etag: `"${file.oid}"` });

const maxRendered = fixedValue(textLimits.page);
const markdown = /[.](?:md|markdown|mdown|mkdn?)$/i;

/** A file of text in HTML: Markdown is rendered, other texts are as they were written. No browser takes it for a page. */
async function renderedFile(reader: ObjectReader, file: Entry, shown: Pick<ReadContext, 'html' | 'caller'>): Promise<Raw> {
  if (file.size > maxRendered) throw tooLarge(maxRendered);
  const text = (await reader.get(file.oid)).data.toString();
  const rendered = markdown.test(file.path) ? await renderText(text, shown) : verbatimHtml(text);
  return raw('application/vnd.service.html; charset=utf-8', rendered);
}
