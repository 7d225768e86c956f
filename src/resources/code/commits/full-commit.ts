// One commit with what it changes, as JSON or as text.
import type { Repo } from '#access/viewer.ts';
import { type Raw, raw } from '#endpoint/call.ts';
import type { Scope } from '#endpoint/scope.ts';
import { diffCommit } from '#git/history/compare.ts';
import { openDiff, openPatches } from '#git/history/patch-text.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Media } from '#lib/media.ts';
import type { Page } from '#lib/page.ts';
import { repositoryUrlsOf } from './links.ts';
import { presentCommit, presentFiles } from './present.ts';
import { maxFiles } from './rules.ts';
import type { FullCommit } from './schemas.ts';

/** A text of changes as a reply, which is streamed. */
export const rawPatch = async (media: Media, text: ReturnType<typeof openDiff>): Promise<Raw> =>
  raw(`application/vnd.service.${media}; charset=utf-8`, await text);

/** A commit with a page of the files that it changes. `total`: how many files it changes. */
export async function presentFullCommit(
  scope: Scope,
  repo: Repo,
  oid: Oid,
  page: Page,
): Promise<{ body: FullCommit; total: number }> {
  const gitRepository = repoOf(scope.git, repo.id);
  await using reader = await openObjects(gitRepository);
  const commit = await reader.getCommit(oid);
  const { files, additions, deletions } = await diffCommit(gitRepository, commit);
  const urls = repositoryUrlsOf(scope.links, repo);
  const filesOfPage = files.slice(0, maxFiles).slice(page.offset, page.offset + page.limit);
  const body = {
    ...(await presentCommit(scope, urls, commit)),
    stats: { total: additions + deletions, additions, deletions },
    files: presentFiles(urls, oid, filesOfPage),
  };
  return { body, total: files.length };
}

/** What a commit changes, as a diff from its first parent, or as a patch. */
export async function commitAsText(gitRepository: GitRepository, oid: Oid, media: Media): Promise<Raw> {
  if (media !== 'diff') return rawPatch(media, openPatches(gitRepository, { to: oid }));
  await using reader = await openObjects(gitRepository);
  const { parents } = await reader.getCommit(oid);
  return rawPatch(media, openDiff(gitRepository, { from: parents[0] ?? null, to: oid }));
}
