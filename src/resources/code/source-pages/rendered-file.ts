import { posix } from 'node:path';
import type { Links } from '#endpoint/links.ts';
import { path as pathOf } from '#endpoint/links.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { type Entry, findReadme } from '#resources/code/contents/index.ts';
import { textLimits } from '#text/limits.ts';
import { renderText, verbatimHtml } from '#text/render.ts';
import type { RenderedHtml } from '#text/rendered-html.ts';
import { isBinary } from './file-kinds.ts';
import { withFileLinks } from './file-links.ts';
import type { Location } from './location.ts';

/** What rendering needs of a request. */
export type Rendering = { readonly links: Links; readonly caller: Caller; readonly urls: RepositoryUrls };

const maxRendered = fixedValue(textLimits.page);
const markdown = /[.](?:md|markdown|mdown|mkdn?)$/i;

export const isMarkdown = (path: string): boolean => markdown.test(path);

/** The text of a Markdown file as HTML, whose links lead to files of the same ref. */
export async function renderFile(
  { links, caller, urls }: Rendering,
  { text, path, ref }: { text: string; path: string; ref: string },
): Promise<RenderedHtml> {
  const folder = posix.dirname(path);
  return withFileLinks(await renderText(text, { html: links.html, caller }), {
    folder: folder === '.' ? '' : folder,
    blob: localPath(pathOf(`${urls.html}/blob`, ref), links),
    raw: localPath(pathOf(`${urls.html}/raw`, ref), links),
  });
}

/** An address of this server without its origin, so that pages lead to the host by which they were asked for. */
const localPath = (address: string, { html }: Links): string => address.slice(html.length);

/** The README of a folder, rendered if it is Markdown. A large one has a name alone. */
export async function readReadme(
  context: Rendering,
  reader: ObjectReader,
  { commit, path, name: ref }: Location,
): Promise<{ name: string; path: string; html: RenderedHtml | null } | null> {
  // In the root, one in `.github` comes first.
  const file = await findReadme(reader, commit, path === '' ? undefined : path);
  if (!file) return null;
  return { name: posix.basename(file.path), path: file.path, html: await htmlOf(context, reader, { file, ref }) };
}

async function htmlOf(
  context: Rendering,
  reader: ObjectReader,
  { file, ref }: { file: Entry; ref: string },
): Promise<RenderedHtml | null> {
  if (file.size > maxRendered) return null;
  const { data } = await reader.get(file.oid, { type: 'blob' });
  if (isBinary(data)) return null;
  const text = data.toString('utf8');
  return isMarkdown(file.path) ? renderFile(context, { text, path: file.path, ref }) : verbatimHtml(text);
}
