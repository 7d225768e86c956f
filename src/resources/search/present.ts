import { basename } from 'node:path/posix';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { type Links, path } from '#endpoint/links.ts';
import { openObjects } from '#git/objects.ts';
import type { Commit } from '#git/parse-commit.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { placeOf, presentPlacedCommits } from '#resources/commits/index.ts';
import { loadRepositories, type MinimalRepository, presentRepositories } from '#resources/repositories/index.ts';
import type { CodeHit, CommitHit, TextMatch as Match } from '#search/index.ts';
import type { CodeItem, CommitItem, TextMatch } from './schemas.ts';

export type Context = { db: Db; links: Links; viewer: Viewer };

/** The repositories of a page of hits that the viewer may read now. Access is checked here again, whatever the search found. */
export async function presentHitRepositories(
  context: Context,
  hits: readonly { repositoryId: Id<'repositories'> }[],
): Promise<Map<number, MinimalRepository>> {
  const rows = await loadRepositories(context.db, context.viewer, gather(hits, 'repositoryId'));
  return keyed(await presentRepositories(context, rows), ({ id }) => id);
}

/** One hit of a code search. Its addresses name the indexed commit, so that they lead to the text that matched. */
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

/**
 * Hits of a commit search. The commits are read from their repositories. One that a forced push has removed meanwhile is left out.
 */
export async function presentCommitHits(
  context: Context & { git: GitStore },
  hits: readonly CommitHit[],
  matches: readonly (readonly Match[])[] | undefined,
): Promise<CommitItem[]> {
  const repositories = await presentHitRepositories(context, hits);
  const commits = await readCommits(context.git, hits);
  const found = hits.flatMap((hit, at) => {
    const repository = repositories.get(hit.repositoryId);
    const commit = commits.get(hit.oid);
    if (!repository || !commit) return [];
    const place = placeOf(context.links, { id: hit.repositoryId, owner: repository.owner, name: repository.name });
    return [{ hit, repository, place, commit, own: matches && (matches[at] ?? []) }];
  });
  const presented = await presentPlacedCommits(context, found);
  return found.flatMap(({ hit, repository, own }, at) => {
    const item = presented[at];
    if (!item) return [];
    const text = own && { text_matches: presentMatches(own, { url: item.url, type: 'Commit' }) };
    return [{ ...item, repository, score: hit.score, ...text }];
  });
}

async function readCommits(git: GitStore, hits: readonly CommitHit[]): Promise<Map<string, Commit>> {
  const commits = new Map<string, Commit>();
  // All repositories are read at the same time. For a hundred of them, one after the other would take a hundred times as long.
  await Promise.all(
    [...Map.groupBy(hits, ({ repositoryId }) => repositoryId)].map(async ([repository, own]) => {
      await using reader = await openObjects(repoOf(git, repository));
      for (const [oid, commit] of await reader.findCommits(own.map((hit) => hit.oid))) commits.set(oid, commit);
    }),
  );
  return commits;
}

export const presentMatches = (matches: readonly Match[], of: { url: string; type: string }): TextMatch[] =>
  matches.map(({ property, fragment, matches: spans }) => ({
    object_url: of.url,
    object_type: of.type,
    property,
    fragment,
    matches: spans.map(({ text, indices }) => ({ text, indices: [...indices] })),
  }));
