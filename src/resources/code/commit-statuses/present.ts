import type { Account, Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import type { Page } from '#lib/page.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { commitLink, type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { presentRepositories } from '#resources/repositories/repositories/index.ts';
import { combinedState } from './rules.ts';
import type { CombinedStatus, SimpleStatus, Status } from './schemas.ts';
import { countStates, listLatestStatuses, type StatusRow } from './store.ts';

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
async function presentSimpleStatuses(scope: Scope, urls: RepositoryUrls, rows: readonly StatusRow[]): Promise<SimpleStatus[]> {
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

/** The latest status of each context of a commit, by pages, and their combined state. `total`: the number of contexts. */
export async function presentCombinedStatus(
  scope: Scope,
  repo: Repo,
  commit: Oid,
  page: Page,
): Promise<{ body: CombinedStatus; total: number }> {
  const key = { repository: repo.id, commit };
  const urls = repositoryUrlsOf(scope.links, repo);
  const [{ rows, total }, counts, repositories] = await Promise.all([
    listLatestStatuses(scope.db, key, page),
    countStates(scope.db, key),
    presentRepositories(scope, [repo]),
  ]);
  const { sha, url: commit_url } = commitLink(urls, commit);
  const body = {
    state: combinedState(counts),
    statuses: await presentSimpleStatuses(scope, urls, rows),
    sha,
    total_count: counts.total,
    repository: firstOrNotFound(repositories),
    commit_url,
    url: `${commit_url}/status`,
  };
  return { body, total };
}
