import type { Account } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOrThrow, keyed } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { presentUser } from '#resources/identity/accounts/index.ts';
import { loadRepositories, presentRepositories } from '#resources/repositories/repositories/index.ts';
import type { Migration } from './schemas.ts';
import { loadRepositoryIds, type MigrationRow } from './store.ts';

type Options = {
  /** The account that the migrations belong to. */
  owner: Account;
  /** The maximum number of repositories that each migration shows. */
  most: number;
  /** Whether the reply omits repositories. */
  without: boolean;
};

/** Whether an archive can be downloaded. */
export const isAvailable = ({ state, available_until }: MigrationRow, now: Date): boolean =>
  state === 'exported' && available_until !== null && available_until > now;

/** Migrations of a whole page, all of one account, with the repositories that the viewer may still read. */
export async function presentMigrations(
  scope: Scope,
  rows: readonly MigrationRow[],
  { owner, most, without }: Options,
): Promise<Migration[]> {
  const { db, links, viewer, now } = scope;
  const shown = without ? [] : rows.filter(({ exclude }) => !exclude.includes('repositories'));
  const idsOf = await loadRepositoryIds(db, gather(shown, 'id'), most);
  const repositories = await presentRepositories(scope, await loadRepositories(db, viewer, [...idsOf.values()].flat()));
  const byId = keyed(repositories, ({ id }) => id);
  const base =
    owner.kind === 'organization' ? path(`${links.api}/orgs`, owner.login, 'migrations') : `${links.api}/user/migrations`;
  return rows.map((row) => {
    const url = `${base}/${row.id}`;
    return {
      id: row.id,
      node_id: nodeId('Migration', row.id),
      owner: presentUser(links, owner),
      guid: row.guid,
      state: row.state,
      lock_repositories: row.lock_repositories,
      exclude_metadata: row.exclude_metadata,
      exclude_git_data: row.exclude_git_data,
      exclude_attachments: row.exclude_attachments,
      exclude_releases: row.exclude_releases,
      exclude_owner_projects: row.exclude_owner_projects,
      org_metadata_only: row.org_metadata_only,
      repositories: (idsOf.get(row.id) ?? []).flatMap((id) => (byId.has(id) ? [getOrThrow(byId, id)] : [])),
      url,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      ...(isAvailable(row, now) ? { archive_url: `${url}/archive` } : {}),
      exclude: row.exclude,
    };
  });
}
