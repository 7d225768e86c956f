import { path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { MergeQueueEntry } from './schemas.ts';
import type { ListedEntry } from './store.ts';

const timeOrNull = (time: Date | null): string | null => (time === null ? null : timestamp(time));

/** The state of an entry, in the words of the API. */
export function stateOf({ removed_at, removal_reason, dequeued_at, checks }: ListedEntry): MergeQueueEntry['state'] {
  if (removed_at !== null) return removal_reason === 'MERGE' ? 'merged' : 'removed';
  if (dequeued_at !== null) return 'removed';
  if (checks === null) return 'queued';
  return checks === 'pending' ? 'awaiting_checks' : checks === 'success' ? 'mergeable' : 'unmergeable';
}

/** Entries of the queues of a repository, each with its position, which counts from 1. */
export async function presentEntries(
  scope: Scope,
  repo: Pick<RepositoryWithOwner, 'name' | 'owner'>,
  entries: readonly (ListedEntry & { rank: number })[],
): Promise<MergeQueueEntry[]> {
  const { db, links } = scope;
  const accounts = await loadAccounts(db, gather(entries, 'enqueued_by'));
  const api = repositoryUrl(links, repo);
  return entries.map((entry): MergeQueueEntry => {
    const { number, title, group_ref, group_base_sha, group_head_sha, requested_at } = entry;
    const state = stateOf(entry);
    const url = path(`${api}/pulls`, number);
    const hasGroup = group_ref !== null && group_base_sha !== null && group_head_sha !== null && requested_at !== null;
    return {
      pull_request: { number, title, url, html_url: path(links.html, repo.owner.login, repo.name, 'pull', number) },
      url: `${url}/queue-entry`,
      base_ref: entry.base_ref,
      head_sha: entry.head_sha,
      state,
      position: state === 'merged' || state === 'removed' ? null : entry.rank,
      jump: entry.is_jump,
      enqueuer: presentUserOrNull(links, getOptional(accounts, entry.enqueued_by)),
      enqueued_at: timestamp(entry.enqueued_at),
      merge_group: hasGroup
        ? {
            head_ref: group_ref,
            head_sha: group_head_sha,
            base_sha: group_base_sha,
            checks_requested_at: timestamp(requested_at),
            checks_passed_at: timeOrNull(entry.passed_at),
          }
        : null,
      removed_at: timeOrNull(entry.removed_at),
      removal_reason: entry.removal_reason,
      removal_message: entry.removal_message,
    };
  });
}
