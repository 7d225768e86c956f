import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import { workflowFileAccess } from '#access/workflow-files.ts';
import type { ChangeScope, Needs, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { fixedValue } from '#lib/limits.ts';
import { conflict, forbidden, invalid, orNotFound, Refusal } from '#lib/refusal.ts';
import { refuseWorkflowFiles } from '#resources/code/pushes/index.ts';
import { evaluateMoves, findMergeQueue, RuleViolations } from '#resources/code/ref-rules/index.ts';
import { insertIssueEvents, viaApp } from '#resources/collaboration/issues/index.ts';
import { findPullForUpdate, mergeNames, type PullRow, writeMerge } from '#resources/collaboration/pulls/index.ts';
import { lockRepository, updateRepository } from '#resources/repositories/repositories/index.ts';
import { mergeQueueLimits } from './limits.ts';
import { enqueueAdvance } from './queue-jobs.ts';
import type { NewMergeQueueEntry } from './schemas.ts';
import { methodOf } from './state.ts';
import { countEntries, type EntryRow, insertEntry, requestRemoval } from './store.ts';

const maxEntries = fixedValue(mergeQueueLimits.entries);
const resource = 'MergeQueueEntry';
const notAllowed = (message: string): Refusal => new Refusal('not_allowed', message);

/**
 * Checks that a pull request may enter the merge queue of its base: by the same rules as a merge, but that it needn't be tested
 * with what the base has got since. It changes nothing.
 * @throws Refusal 405 where rules refuse it or it can't be merged, 409 where the head isn't the one that the caller knows
 */
export async function checkMayEnter(
  scope: ChangeScope & Needs<'refRules'>,
  action: RepositoryAction,
  pull: PullRow,
  { expected_head_sha, jump }: NewMergeQueueEntry,
): Promise<void> {
  const { db, git } = scope;
  const { repo, by } = action;
  if (jump && !reaches(repo.role, 'admin')) throw forbidden('Must have admin rights to jump the merge queue.');
  checkState(pull, expected_head_sha);
  const parameters = await findMergeQueue(db, repo, branchRef(pull.base_ref));
  if (!parameters) throw invalid(resource, 'base_ref', 'invalid', `The branch ${pull.base_ref} has no merge queue`);
  const gitRepository = repoOf(git, repo.id);
  const base = await findBranch(gitRepository, pull.base_ref);
  if (!base) throw notAllowed('Pull Request is not mergeable');
  const names = await mergeNames(scope, { repo, pull, by: by.account });
  const commit = await writeMerge(gitRepository, { repo, ...names }, pull, { merge_method: methodOf(parameters) }, base.oid);
  const moves = [{ ref: base.name, before: base.oid, after: commit }];
  const [refusal] = (await refuseWorkflowFiles(gitRepository, workflowFileAccess(by.grant, repo), moves)).values();
  if (refusal !== undefined) throw forbidden(refusal);
  const merge = { ...pull, method: methodOf(parameters) };
  const wanted = { repo, actor: { account: by.account.id }, moves, merge, queue: 'entering' } as const;
  await evaluateMoves(scope, wanted).catch((error: unknown) => {
    throw error instanceof RuleViolations ? notAllowed(error.message) : error;
  });
}

function checkState(pull: PullRow, expected: string | undefined): void {
  if (pull.state === 'closed') throw notAllowed('Pull Request is not mergeable');
  if (pull.is_draft) throw notAllowed('Pull Request is still a draft');
  if (expected !== undefined && expected !== pull.head_sha) throw conflict('Head branch was modified. Review and try again.');
}

/** Adds a pull request to the merge queue of its base. The caller has checked that it may enter. */
export async function enqueuePull(
  scope: WriteScope,
  action: RepositoryAction,
  checked: PullRow,
  { jump = false }: NewMergeQueueEntry,
): Promise<void> {
  const { tx } = scope;
  const { repo, by, now } = action;
  const pull = orNotFound(await findPullForUpdate(tx, checked));
  checkState(pull, checked.head_sha);
  if (pull.base_ref !== checked.base_ref) throw conflict('Base branch was changed. Review and try again.');
  await lockRepository(tx, repo.id);
  const key = { repository: repo.id, branch: pull.base_ref };
  const { total, isQueued } = await countEntries(tx, key, pull.id);
  if (isQueued) throw invalid(resource, 'pull_request', 'already_exists', 'The pull request is already in the merge queue');
  if (total >= maxEntries)
    throw invalid(resource, 'pull_request', 'unprocessable', `A merge queue can have at most ${maxEntries} entries`);
  await insertEntry(tx, {
    issue_id: pull.id,
    repository_id: repo.id,
    base_ref: pull.base_ref,
    is_jump: jump,
    head_sha: pull.head_sha,
    enqueued_by: by.account.id,
    via_app_id: viaApp(by),
    enqueued_at: now,
  });
  await updateRepository(tx, repo.id, { has_merge_queue: true });
  const event = { repository: repo.id, issue: pull.id, actor: by.account.id, app: viaApp(by), at: now };
  await insertIssueEvents(tx, event, [{ event: 'added_to_merge_queue' }]);
  await record(tx, { ...inRepository(action), kind: 'pull_request.enqueued', data: { issue: pull.id } });
  await enqueueAdvance(tx, key);
}

/** Has a pull request removed from its merge queue, by the job that runs the queue. */
export async function dequeuePull(
  { tx }: WriteScope,
  { by, now }: RepositoryAction,
  { issue_id, repository_id, base_ref }: EntryRow,
): Promise<void> {
  await requestRemoval(tx, issue_id, by.account.id, now);
  await enqueueAdvance(tx, { repository: repository_id, branch: base_ref });
}
