// Merging a pull request: the commits are written first, then the base branch moves to them, and what a merge changes in the
// database follows in the transaction that records the move. A merge that was killed is either completed by recovery or not
// begun.

import type { RepositoryAction } from '#access/action.ts';
import type { Repo } from '#access/viewer.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import { listAhead } from '#git/history/compare.ts';
import { rebaseCommits } from '#git/history/rebase.ts';
import type { Oid } from '#git/objects/oid.ts';
import { writeCommit } from '#git/objects/write-objects.ts';
import { findBranch } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { conflict, forbidden, orNotFound, Refusal } from '#lib/refusal.ts';
import { type MoveScope, moveRefs, recoverRefs, WorkflowFilesRefused } from '#resources/code/pushes/index.ts';
import { RuleViolations } from '#resources/code/ref-rules/index.ts';
import { viaApp } from '#resources/collaboration/issues/index.ts';
import { signedOff } from '#resources/repositories/repositories/index.ts';
import { mergedTree } from './changes.ts';
import { type Merged, mergeMessage, squashMessage } from './merge-messages.ts';
import { type MergeNames, mergeNames } from './merge-names.ts';
import type { NewPullMerge } from './schemas.ts';
import { loadPulls, type PullRow } from './store.ts';

/** A merge that is wanted, by its method. */
type WantedMerge = NewPullMerge & { merge_method: NonNullable<NewPullMerge['merge_method']> };

const notAllowed = (message: string): Refusal => new Refusal('not_allowed', message);

const methods = {
  merge: { setting: 'allow_merge_commit', name: 'Merge commits' },
  squash: { setting: 'allow_squash_merge', name: 'Squash merges' },
  rebase: { setting: 'allow_rebase_merge', name: 'Rebase merges' },
} as const;

/** Refuses what may not be merged, or not by this method. */
function checkMayMerge(repo: Repo, pull: PullRow, { merge_method, sha }: WantedMerge): void {
  if (pull.state === 'closed') throw notAllowed('Pull Request is not mergeable');
  if (pull.is_draft) throw notAllowed('Pull Request is still a draft');
  const { setting, name } = methods[merge_method];
  if (!repo[setting]) throw notAllowed(`${name} are not allowed on this repository.`);
  if (sha !== undefined && sha !== pull.head_sha) throw conflict('Head branch was modified. Review and try the merge again.');
}

/** A base branch that other processes move at the same time is tried again. */
const attempts = 10;

/** The last of the merges into a branch that wait in this process, by the branch. */
const waiting = new Map<string, Promise<unknown>>();

/** Merges into one branch come one after the other, since each is made on top of the one before. */
async function oneByOne<T>(branch: string, work: () => Promise<T>): Promise<T> {
  const before = waiting.get(branch);
  const turn = (before ?? Promise.resolve()).then(work, work);
  const ended = turn.catch(() => undefined);
  waiting.set(branch, ended);
  try {
    return await turn;
  } finally {
    if (waiting.get(branch) === ended) waiting.delete(branch);
  }
}

/**
 * Merges a pull request, and returns the commit that its base branch has then.
 * @throws Refusal 405 where it can't be merged, 409 where the head isn't the one that the caller knows
 */
export const mergePull = (scope: MoveScope, action: RepositoryAction, pull: PullRow, wanted: WantedMerge): Promise<Oid> =>
  oneByOne(`${repoOf(scope.git, action.repo.id).path} ${pull.base_ref}`, () => mergeInTurn(scope, action, pull, wanted));

async function mergeInTurn(
  scope: MoveScope,
  action: RepositoryAction,
  { id, base_ref }: PullRow,
  wanted: WantedMerge,
): Promise<Oid> {
  const { repo, by } = action;
  const gitRepository = repoOf(scope.git, repo.id);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const base = await findBranch(gitRepository, base_ref);
    // Another process may have merged this pull request into what the branch is now, and not have recorded it yet.
    if (base) await recoverRefs(scope, repo.id, [base.name]);
    const row = orNotFound((await loadPulls(scope.db, [id])).get(id));
    checkMayMerge(repo, row, wanted);
    if (row.base_ref !== base_ref) break;
    if (!base) throw notAllowed('Pull Request is not mergeable');
    const names = await mergeNames(scope, { repo, pull: row, by: by.account });
    const commit = await writeMerge(gitRepository, { repo, ...names }, row, wanted, base.oid);
    const moved = await moveRefs(scope, {
      repo,
      changes: [{ ref: base.name, from: base.oid, to: commit }],
      actor: by.account.id,
      workflowFiles: workflowFileAccess(by.grant, repo),
      merge: { ...row, method: wanted.merge_method },
      following: [{ kind: 'pulls.merge', data: { issue: id, commit, head: row.head_sha, app: viaApp(by) } }],
    }).catch((error: unknown) => {
      if (error instanceof WorkflowFilesRefused) throw forbidden(error.message);
      throw error instanceof RuleViolations ? notAllowed(error.message) : error;
    });
    if (moved.updated) return commit;
  }
  throw notAllowed('Base branch was modified. Review and try the merge again.');
}

/**
 * Writes the commits of a merge on top of the base.
 * @throws Refusal 405 where the pull request and the base conflict
 */
export async function writeMerge(
  gitRepository: GitRepository,
  action: { readonly repo: Merged['repo'] & Parameters<typeof signedOff>[0] } & MergeNames,
  pull: PullRow,
  wanted: Omit<WantedMerge, 'sha'>,
  base: Oid,
): Promise<Oid> {
  const { repo, identity, headOwner, authorOf } = action;
  const head = pull.head_sha;
  const tree = await mergedTree(gitRepository, pull, base);
  if (tree === undefined) throw notAllowed('Pull Request is not mergeable');
  if (wanted.merge_method === 'rebase') {
    const rebased = await rebaseCommits(gitRepository, { onto: base, head, tree, committer: identity });
    if (!rebased.rebased) throw notAllowed("This branch can't be rebased");
    return rebased.head;
  }
  const commits =
    wanted.merge_method === 'squash'
      ? await listAhead(gitRepository, { base, head, ahead: pull.commits_count, limit: maxSquashed })
      : [];
  const merged: Merged = { repo, pull, headOwner, commits };
  if (wanted.merge_method === 'merge') {
    const message = signedOff(repo, mergeMessage(merged, wanted), identity);
    return writeCommit(gitRepository, { tree, parents: [base, head], author: identity, committer: identity, message });
  }
  const { author, addresses } = await authorOf();
  const message = signedOff(repo, squashMessage(merged, wanted, addresses), identity);
  return writeCommit(gitRepository, { tree, parents: [base], author, committer: identity, message });
}

/** The messages of so many commits are part of that of a squashed one. */
const maxSquashed = 250;
