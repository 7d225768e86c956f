import type { Account } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { SimpleStatus, Status } from './schemas.ts';
import type { StatusRow } from './store.ts';

const loadCreators = ({ db }: Scope, rows: readonly StatusRow[]): Promise<ReadonlyMap<number, Account>> =>
  loadAccounts(db, gather(rows, 'creator_id'));

/** Statuses of a whole page. Their creators are loaded once for all of them. */
export async function presentStatuses(scope: Scope, urls: RepositoryUrls, rows: readonly StatusRow[]): Promise<Status[]> {
  const creators = await loadCreators(scope, rows);
  return rows.map((row) => {
    const creator = getOptional(creators, row.creator_id);
    return { ...presentOne(scope, urls, row, creator), creator: presentUserOrNull(scope.links, creator) };
  });
}

/** The same, without the creators. */
export async function presentSimpleStatuses(
  scope: Scope,
  urls: RepositoryUrls,
  rows: readonly StatusRow[],
): Promise<SimpleStatus[]> {
  const creators = await loadCreators(scope, rows);
  return rows.map((row) => presentOne(scope, urls, row, getOptional(creators, row.creator_id)));
}

export const presentStatus = async (scope: Scope, urls: RepositoryUrls, row: StatusRow): Promise<Status> =>
  firstOrNotFound(await presentStatuses(scope, urls, [row]));

function presentOne({ links }: Scope, urls: RepositoryUrls, row: StatusRow, creator: Account | undefined): SimpleStatus {
  return {
    url: `${urls.url}/statuses/${row.commit_sha}`,
    avatar_url: presentUserOrNull(links, creator)?.avatar_url ?? null,
    id: row.id,
    node_id: nodeId('StatusContext', row.id),
    state: row.state,
    description: row.description,
    target_url: row.target_url,
    context: row.context,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.created_at),
  };
}
