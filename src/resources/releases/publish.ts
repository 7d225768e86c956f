// Publishing a release needs a tag. One that isn't there is made first, as by a push.
import type { RepositoryAction } from '#access/action.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { misleadingRefProblem, refNameProblem } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { invalid, unprocessable } from '#lib/refusal.ts';
import { isEmpty } from '#resources/commits/index.ts';
import { moveOrRefuse } from '#resources/git-data/index.ts';
import type { PushContext } from '#resources/pushes/index.ts';

/** The tag of a release, and where it is made if it isn't there. */
export type WantedTag = { readonly tag_name: string; readonly target_commitish: string };

/** Refuses what can't be the name of a tag. */
export function checkTagName(tag: string): void {
  const ref = `refs/tags/${tag}`;
  if (refNameProblem(ref) ?? misleadingRefProblem(ref))
    throw invalid('Release', 'tag_name', 'invalid', 'tag_name is not a valid tag');
}

/** The commit of a release: that of its tag, or else that of its target. `tag` tells whether the tag is there. */
export async function findTarget(
  { git }: Pick<PushContext, 'git'>,
  { repo }: Pick<RepositoryAction, 'repo'>,
  { tag_name, target_commitish }: WantedTag,
): Promise<{ oid: Oid; tag: boolean } | undefined> {
  const disk = repoOf(git, repo.id);
  const tag = await findRef(disk, `refs/tags/${tag_name}`);
  if (tag) return { oid: (tag.peeled ?? tag).oid, tag: true };
  const found = await findRevision(disk, target_commitish, { peel: 'commit' });
  return found?.type === 'commit' ? { oid: found.oid, tag: false } : undefined;
}

/**
 * Makes sure that the tag of a release is there. Never call it inside a transaction.
 * @returns the date of its commit; undefined for a tag of something else
 * @throws Refusal 422 where there is no such target
 */
export async function ensureTag(context: PushContext, action: RepositoryAction, wanted: WantedTag): Promise<Date | undefined> {
  const disk = repoOf(context.git, action.repo.id);
  const target = await findTarget(context, action, wanted);
  if (!target) {
    if (await isEmpty(disk)) throw unprocessable('Repository is empty.');
    throw invalid('Release', 'target_commitish', 'invalid');
  }
  if (!target.tag) await moveOrRefuse(context, action, [{ ref: `refs/tags/${wanted.tag_name}`, from: null, to: target.oid }]);
  await using reader = await openObjects(disk);
  return (await reader.findCommits([target.oid])).get(target.oid)?.committer.date;
}
