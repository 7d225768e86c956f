import type { Db } from '#database/connect.ts';
import { unprocessable } from '#lib/refusal.ts';
import { findAccountsByLogin } from '#resources/identity/accounts/index.ts';
import { readDateRange } from '#search/query/dates.ts';
import { runConclusions, runStatuses, type WorkflowRunFilter } from '../schemas.ts';
import type { RunFilter } from '../store.ts';

/**
 * The filter of a query; undefined if its actor doesn't exist, so that no run matches.
 * @throws Refusal 422 if `created` isn't a range of dates
 */
export async function readRunFilter(
  db: Db,
  { actor, branch, event, status, created, check_suite_id, head_sha }: WorkflowRunFilter,
  of: Pick<RunFilter, 'repository' | 'workflow'>,
): Promise<RunFilter | undefined> {
  const range = created === undefined ? {} : readDateRange(created);
  if (!range) throw unprocessable('created must be a date, or a range of dates as 2026-01-01..2026-01-31');
  const [account] = actor === undefined ? [] : await findAccountsByLogin(db, [actor]);
  if (actor !== undefined && !account) return undefined;
  return {
    ...of,
    actor: account?.id,
    branch,
    event,
    status: runStatuses.find((one) => one === status),
    conclusion: runConclusions.find((one) => one === status),
    from: range.from === undefined ? undefined : new Date(range.from),
    until: range.until === undefined ? undefined : new Date(range.until),
    checkSuite: check_suite_id,
    head: head_sha?.toLowerCase(),
  };
}
