import { basename } from 'node:path/posix';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { type Links, path } from '#endpoint/links.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadRepositories, type MinimalRepository, presentRepositories } from '#resources/repositories/index.ts';
import type { CodeHit, TextMatch as Match } from '#search/index.ts';
import type { CodeItem, TextMatch } from './schemas.ts';

export type Context = { db: Db; links: Links; viewer: Viewer };

/** The repositories of a page of hits, as far as the viewer may read them now: the index is never the last word on access. */
export async function presentHitRepositories(
  context: Context,
  hits: readonly { repositoryId: Id<'repositories'> }[],
): Promise<Map<number, MinimalRepository>> {
  const rows = await loadRepositories(
    context.db,
    context.viewer,
    hits.map(({ repositoryId }) => repositoryId),
  );
  return keyed(await presentRepositories(context, rows), ({ id }) => id);
}

/** One hit of a code search. The addresses name the commit that was indexed, so that they lead to the text that matched. */
export function presentCodeHit(hit: CodeHit, repository: MinimalRepository, matches: readonly Match[] | undefined): CodeItem {
  const segments = hit.path.split('/');
  const url = `${path(`${repository.url}/contents`, ...segments)}?ref=${hit.commitOid}`;
  return {
    name: basename(hit.path),
    path: hit.path,
    sha: hit.blobOid,
    url,
    git_url: path(`${repository.url}/git/blobs`, hit.blobOid),
    html_url: path(`${repository.html_url}/blob`, hit.commitOid, ...segments),
    repository,
    score: hit.score,
    file_size: hit.size,
    language: hit.language,
    ...(matches ? { text_matches: presentMatches(matches, { url, type: 'FileContent' }) } : {}),
  };
}

export const presentMatches = (matches: readonly Match[], of: { url: string; type: string }): TextMatch[] =>
  matches.map(({ property, fragment, matches: spans }) => ({
    object_url: of.url,
    object_type: of.type,
    property,
    fragment,
    matches: spans.map(({ text, indices }) => ({ text, indices: [...indices] })),
  }));
