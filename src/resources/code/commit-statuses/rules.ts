import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { isWebAddress } from '#lib/web-address.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { statusLimits } from './limits.ts';
import type { CombinedStatus, NewStatus } from './schemas.ts';
import { insertStatus, type StateCounts, type StatusRow, updateSuperseded } from './store.ts';

const maxStatuses = fixedValue(statusLimits.statuses);

/**
 * Adds a status to a commit. It becomes the latest of its context. The repository stays locked, so that there is exactly one
 * latest status, and the limit holds.
 */
export async function createStatus(
  scope: WriteScope,
  action: RepositoryAction,
  commit: Oid,
  wanted: NewStatus,
): Promise<StatusRow> {
  const { repo, by, now } = action;
  const { state, context, target_url = null, description = null } = wanted;
  if (target_url !== null && !isWebAddress(target_url))
    throw invalid('Status', 'target_url', 'invalid', 'target_url must be an address of the web');
  await lockRepository(scope.tx, repo.id);
  const before = await updateSuperseded(scope.tx, { repository: repo.id, commit }, context);
  if (before >= maxStatuses)
    throw invalid(
      'Status',
      'context',
      'unprocessable',
      `A commit can have at most ${maxStatuses} statuses with the same context`,
    );
  const row = await insertStatus(scope.tx, {
    repository_id: repo.id,
    commit_sha: commit,
    context,
    state,
    target_url,
    description,
    creator_id: by.account.id,
    number: before + 1,
    is_latest: true,
    created_at: now,
  });
  await record(scope.tx, { ...inRepository(action), kind: 'commit_status.created', data: { status: row.id } });
  return row;
}

/** The combined state of a commit's latest statuses. A commit without statuses is pending (the public API's rule). */
export function combinedState({ failed, pending, total }: StateCounts): CombinedStatus['state'] {
  if (failed > 0) return 'failure';
  return pending > 0 || total === 0 ? 'pending' : 'success';
}
