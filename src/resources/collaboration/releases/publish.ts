// Publishing a release needs a tag. One that isn't there is made first, as by a push.

import { randomUUID } from 'node:crypto';
import type { RepositoryAction } from '#access/action.ts';
import { noWorkflowFiles } from '#access/workflow-files.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { misleadingRefProblem, refNameProblem } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { findRevision } from '#git/refs/resolve.ts';
import { repoOf } from '#git/store.ts';
import { enqueue, job, removeJob } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { invalid, Refusal, unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { isEmpty } from '#resources/code/commits/index.ts';
import { moveOrRefuse } from '#resources/code/git-data/index.ts';
import { type MoveScope, moveRefs } from '#resources/code/pushes/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { findPublished } from './store.ts';

/** The tag of a release, and where it is made if it isn't there. */
type WantedTag = { readonly tag_name: string; readonly target_commitish: string };

/** Refuses what can't be the name of a tag. */
export function checkTagName(tag: string): void {
  const ref = tagRef(tag);
  if (refNameProblem(ref) ?? misleadingRefProblem(ref))
    throw invalid('Release', 'tag_name', 'invalid', 'tag_name is not a valid tag');
}

/** The commit of a release: that of its tag, or else that of its target. `tag` tells whether the tag is there. */
export async function findTarget(
  { git }: Scope,
  { repo }: Pick<RepositoryAction, 'repo'>,
  { tag_name, target_commitish }: WantedTag,
): Promise<{ oid: Oid; tag: boolean } | undefined> {
  const gitRepository = repoOf(git, repo.id);
  const tag = await findRef(gitRepository, tagRef(tag_name));
  if (tag) return { oid: (tag.peeled ?? tag).oid, tag: true };
  const found = await findRevision(gitRepository, target_commitish, { peel: 'commit' });
  return found?.type === 'commit' ? { oid: found.oid, tag: false } : undefined;
}

/** The tag of a release that is to be published. */
type ReadyTag = {
  /** The date of its commit; undefined for a tag of something else. */
  readonly date: Date | undefined;
  /** If it was made for the release: what to undo where the release isn't written. */
  readonly made: MadeTag | undefined;
};

type MadeTag = { attempt: string; repository: Id<'repositories'>; actor: Id<'accounts'>; tag: string; oid: Oid };

/** Longer than any request lasts. */
const patienceMinutes = 10;

const keyOf = ({ attempt }: MadeTag): string => `${undoTag.name}/${attempt}`;
/** The ref of a tag. */
export const tagRef = (tag: string): string => `refs/tags/${tag}`;

/**
 * Makes sure that the tag of a release is there. One that is made is removed by a job, unless `writeTagged` writes the release:
 * the process may end in between. Never call it inside a transaction.
 * @throws Refusal 422 where there is no such target
 */
export async function ensureTag(scope: MoveScope, action: RepositoryAction, wanted: WantedTag): Promise<ReadyTag> {
  const gitRepository = repoOf(scope.git, action.repo.id);
  const target = await findTarget(scope, action, wanted);
  if (!target) {
    if (await isEmpty(gitRepository)) throw unprocessable('Repository is empty.');
    throw invalid('Release', 'target_commitish', 'invalid');
  }
  const made = target.tag ? undefined : await makeTag(scope, action, { tag: wanted.tag_name, oid: target.oid });
  const { oid } = made ? target : ((await findTarget(scope, action, wanted)) ?? target);
  await using reader = await openObjects(gitRepository);
  return { date: (await reader.findCommits([oid])).get(oid)?.committer.date, made };
}

/** Makes a tag; undefined where somebody else was first. */
async function makeTag(
  scope: MoveScope,
  action: RepositoryAction,
  named: Pick<MadeTag, 'tag' | 'oid'>,
): Promise<MadeTag | undefined> {
  const made = { ...named, attempt: randomUUID(), repository: action.repo.id, actor: action.by.account.id };
  // The time of jobs is that of the database, whatever the clock of the server says.
  const options = { key: keyOf(made), runAt: addMinutes(new Date(), patienceMinutes) };
  await scope.change((scope) => enqueue(scope.tx, undoTag, made, options));
  try {
    await moveOrRefuse(scope, action, [{ ref: tagRef(made.tag), from: null, to: made.oid }]);
    return made;
  } catch (error) {
    // After any other error, the tag may be there.
    if (!(error instanceof Refusal)) throw error;
    await scope.change((scope) => removeJob(scope.tx, keyOf(made)));
    if (await findRef(repoOf(scope.git, action.repo.id), tagRef(made.tag))) return undefined;
    throw error;
  }
}

/** Writes a release in a transaction. If it is refused, the tag that was made for it is removed again. */
export async function writeTagged<Result>(
  scope: MoveScope,
  tag: ReadyTag | undefined,
  write: (scope: WriteScope) => Promise<Result>,
): Promise<Result> {
  const made = tag?.made;
  if (!made) return scope.change(write);
  try {
    return await scope.change(async (scope) => {
      const result = await write(scope);
      await removeJob(scope.tx, keyOf(made));
      return result;
    });
  } catch (error) {
    // If that fails too, the job does it.
    await removeUnusedTag(scope, made).catch(() => undefined);
    throw error;
  }
}

/** Removes a tag that was made for a release, unless there is one, or the tag was moved since. */
async function removeUnusedTag(scope: MoveScope, { repository, actor, tag, oid }: MadeTag): Promise<void> {
  if (await findPublished(scope.db, repository, tag)) return;
  const repo = await findRepository(scope.db, repository);
  if (!repo) return;
  const changes = [{ ref: tagRef(tag), from: oid, to: null }];
  await moveRefs(scope, { repo, changes, actor, workflowFiles: noWorkflowFiles, evaluated: [] });
}

/** Removes the tag of a release that was never written, as the process ended before. */
export const undoTag = job<MadeTag, JobContext>({
  name: 'releases.undo-tag',
  attempts: 25,
  async run(made, { scope }) {
    await removeUnusedTag(scope, made);
  },
});
