import { loadRoleLevels } from '#access/lookup.ts';
import { permissionsOf, type Role, reaches, roleOfLevel } from '#access/roles.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { presentLicense } from '#resources/repositories/licenses/index.ts';
import { linksOfRepository } from './links.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from './named-repositories.ts';
import { type FullRepository, type MinimalRepository, SimpleRepository } from './schemas.ts';
import { presentSecurity } from './security.ts';
import { requiresSignoff } from './signoff.ts';
import { findDetails, loadRepositories } from './store.ts';

/** Presents a page of repositories. Owners and the viewer's roles are loaded once for all of them. */
export async function presentRepositories(
  { db, links, viewer }: Scope,
  rows: readonly RepositoryRow[],
): Promise<MinimalRepository[]> {
  const [owners, levels] = await Promise.all([
    loadAccounts(db, gather(rows, 'owner_id')),
    viewer.account ? loadRoleLevels(db, viewer.account.id, gather(rows, 'id')) : undefined,
  ]);
  return rows.map((row) =>
    presentOne(links, row, getOrThrow(owners, row.owner_id), levels && roleOfLevel(levels.get(row.id) ?? 0)),
  );
}

/** The identifying fields of a repository. */
export const simpleRepositoryOf = (repository: MinimalRepository): SimpleRepository => {
  const fields = Object.keys(SimpleRepository.properties) as (keyof SimpleRepository)[]; // the names in the schema
  return Object.fromEntries(fields.map((field) => [field, repository[field]])) as SimpleRepository; // one value for each
};

/**
 * Presents rows of several repositories, each with its repository, for lists of organizations. Rows of repositories that the
 * viewer can't see are omitted.
 */
export async function presentWithRepositories<
  Row extends { readonly repository_id: Id<'repositories'> },
  Presented extends object,
>(
  scope: Scope,
  rows: readonly Row[],
  present: (rows: readonly Row[], repositoryOf: (row: Row) => RepositoryWithOwner) => Promise<readonly Presented[]>,
): Promise<(Presented & { repository: SimpleRepository })[]> {
  const ids = gather(rows, 'repository_id');
  const named = await loadNamedRepositories(scope.db, ids);
  const seen = await presentRepositories(scope, await loadRepositories(scope.db, scope.viewer, ids));
  const shown = keyed(seen.map(simpleRepositoryOf), ({ id }) => id);
  const presented = await present(rows, ({ repository_id }) => getOrThrow(named, repository_id));
  return presented.flatMap((one, index) => {
    const repository = shown.get(ids[index] ?? 0);
    return repository ? [{ ...one, repository }] : [];
  });
}

/** Features of the public API's repositories that Hearth lacks. */
const missingFeatures = { has_projects: false, has_wiki: false, has_discussions: false };

/** One repository. Without a role, as for anonymous viewers, it has no permissions. */
function presentOne(links: Links, row: RepositoryRow, owner: Account, role: Role | undefined): MinimalRepository {
  return {
    id: row.id,
    node_id: nodeId('Repository', row.id),
    name: row.name,
    full_name: `${owner.login}/${row.name}`,
    owner: presentUser(links, owner),
    private: row.visibility !== 'public',
    description: row.description,
    fork: row.source_id !== null || row.is_private_fork,
    ...linksOfRepository(links, { owner, name: row.name }),
    mirror_url: null,
    homepage: row.homepage,
    language: row.language,
    forks_count: row.forks_count,
    stargazers_count: row.stargazers_count,
    watchers_count: row.stargazers_count,
    size: row.size_kb,
    open_issues_count: row.open_issues_count,
    forks: row.forks_count,
    open_issues: row.open_issues_count,
    watchers: row.stargazers_count,
    default_branch: row.default_branch,
    topics: row.topics,
    is_template: row.is_template,
    has_issues: row.has_issues,
    ...missingFeatures,
    has_pages: row.has_pages,
    has_downloads: row.has_downloads,
    has_pull_requests: row.has_pull_requests,
    pull_request_creation_policy: row.pull_request_creation_policy,
    archived: row.archived,
    disabled: false,
    visibility: row.visibility,
    // In the public API, repositories that were never pushed to also have a time here.
    pushed_at: timestamp(row.pushed_at ?? row.created_at),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    ...(role === undefined ? {} : { permissions: permissionsOf(role) }),
    allow_forking: row.allow_forking,
    web_commit_signoff_required: requiresSignoff(row),
    license: row.license === null ? null : presentLicense(links, row.license),
  };
}

/**
 * The complete repository. Its parent, source and template are omitted if the viewer may not see them. Its security switches are
 * shown only to viewers who may see them.
 */
export async function presentFullRepository(
  scope: Scope,
  row: RepositoryRow,
  { owner, role, showsSecurity = false }: { owner: Account; role: Role | undefined; showsSecurity?: boolean },
): Promise<FullRepository> {
  const { db, links, viewer } = scope;
  const [related, { network, subscribers, properties }] = await Promise.all([
    loadRepositories(db, viewer, [row.parent_id, row.source_id, row.template_id]),
    findDetails(db, row),
  ]);
  const presented = new Map((await presentRepositories(scope, related)).map((repository) => [repository.id, repository]));
  const findRelated = (id: number | null): MinimalRepository | undefined => getOptional(presented, id);
  const parent = findRelated(row.parent_id);
  const source = findRelated(row.source_id);
  return {
    ...presentOne(links, row, owner, viewer.account ? role : undefined),
    ...(reaches(role, 'write') ? presentMergeSettings(row) : {}),
    temp_clone_token: null,
    subscribers_count: subscribers,
    network_count: network,
    ...(owner.kind === 'organization' ? { organization: presentUser(links, owner), custom_properties: properties } : {}),
    ...(parent ? { parent } : {}),
    ...(source ? { source } : {}),
    template_repository: findRelated(row.template_id) ?? null,
    ...(showsSecurity ? { security_and_analysis: presentSecurity(row) } : {}),
  };
}

const presentMergeSettings = (row: RepositoryRow) => ({
  allow_squash_merge: row.allow_squash_merge,
  allow_merge_commit: row.allow_merge_commit,
  allow_rebase_merge: row.allow_rebase_merge,
  // No REST operation requests an auto-merge.
  allow_auto_merge: false,
  allow_update_branch: row.allow_update_branch,
  delete_branch_on_merge: row.delete_branch_on_merge,
  use_squash_pr_title_as_default: row.squash_merge_commit_title === 'PR_TITLE',
  squash_merge_commit_title: row.squash_merge_commit_title,
  squash_merge_commit_message: row.squash_merge_commit_message,
  merge_commit_title: row.merge_commit_title,
  merge_commit_message: row.merge_commit_message,
});
