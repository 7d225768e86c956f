// Migrations: archives with the data of people and organizations. Document 2 has the migrations of people, and the public API
// the migrations of organizations.

import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { raw, redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { firstOrNotFound, notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/repositories/index.ts';
import { openArchive, removeArchive } from './archive/folder.ts';
import { keyOfArchive, timeOfKey } from './archive-address.ts';
import { migrationLimits } from './limits.ts';
import { archived, lockedRepository, migration, orgLockedRepository, orgMigration } from './path-resources.ts';
import { isAvailable, presentMigrations } from './present.ts';
import { deleteArchive, ownerOf, startMigration, unlock } from './rules.ts';
import { Migration, MigrationQuery, NewMigration } from './schemas.ts';
import { isLost, listMigrationRepositories, listMigrations } from './store.ts';

/** A person's own migrations (document 2: classic tokens alone). */
const ofPerson = { permission: { none: 'own_account' }, scopes: ['repo'], credentials: ['classic_pat', 'session'] } as const;
/** An organization's migrations, for its owners. Their archives contain private data, so a token also needs `repo`. */
const ofOrganization = {
  permission: { none: 'scoped_token' },
  scopes: ['admin:org'],
  alsoScopes: ['repo'],
  credentials: ['classic_pat', 'oauth_app', 'session'],
  role: 'owner',
} as const;

const all = { user: '/user/migrations', org: '/orgs/{org}/migrations' } as const;
const one = { user: `${all.user}/{migration_id}`, org: `${all.org}/{migration_id}` } as const;

/** A list shows at most this number of repositories of each migration, which bounds its size. A single migration shows all. */
const shownInLists = 10;

export const { user: listUserMigrations, org: listOrgMigrations } = endpointVariants(
  {
    user: {
      id: 'migrations/list-for-authenticated-user',
      path: all.user,
      summary: 'List user migrations',
      access: ofPerson,
    },
    org: { id: 'migrations/list-for-org', path: all.org, summary: 'List organization migrations', access: ofOrganization },
  },
  {
    method: 'GET',
    query: MigrationQuery,
    paging: pages(),
    replies: { 200: Type.Array(Migration) },
    async handle({ scope, db, action, page, query: { exclude = [] } }) {
      const owner = ownerOf(action);
      const found = await listMigrations(db, owner.id, page);
      const options = { owner, most: shownInLists, without: exclude.includes('repositories') };
      return mapRows(found, (rows) => presentMigrations(scope, rows, options));
    },
  },
);

export const { user: startUserMigration, org: startOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/start-for-authenticated-user',
      path: all.user,
      summary: 'Start a user migration',
      access: ofPerson,
    },
    org: { id: 'migrations/start-for-org', path: all.org, summary: 'Start an organization migration', access: ofOrganization },
  },
  {
    method: 'POST',
    body: NewMigration,
    example: {
      repositories: ['ada/engine'],
      lock_repositories: true,
      exclude_metadata: false,
      exclude_git_data: false,
      exclude_attachments: false,
      exclude_releases: false,
      exclude_owner_projects: false,
      org_metadata_only: false,
      exclude: [],
    },
    replies: { 201: Migration },
    async handle({ scope, change, body, action, links, services }) {
      const limits = services.resourceLimits.of(migrationLimits);
      const row = await change((scope) => startMigration(scope, { ...action, limits, base_url: links.html }, body));
      const options = { owner: ownerOf(action), most: limits.repositories, without: false };
      return firstOrNotFound(await presentMigrations(scope, [row], options));
    },
  },
);

export const { user: getUserMigration, org: getOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/get-status-for-authenticated-user',
      path: one.user,
      resources: [migration],
      summary: 'Get a user migration status',
      access: ofPerson,
    },
    org: {
      id: 'migrations/get-status-for-org',
      path: one.org,
      resources: [orgMigration],
      summary: 'Get an organization migration status',
      access: ofOrganization,
    },
  },
  {
    method: 'GET',
    query: MigrationQuery,
    replies: { 200: Migration },
    async handle({ scope, at, action, query: { exclude = [] }, services }) {
      const { repositories: most } = services.resourceLimits.of(migrationLimits);
      const options = { owner: ownerOf(action), most, without: exclude.includes('repositories') };
      return firstOrNotFound(await presentMigrations(scope, [at.migration], options));
    },
  },
);

export const { user: listRepositoriesOfUserMigration, org: listRepositoriesOfOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/list-repos-for-authenticated-user',
      path: `${one.user}/repositories`,
      resources: [migration],
      summary: 'List repositories for a user migration',
      access: ofPerson,
    },
    org: {
      id: 'migrations/list-repos-for-org',
      path: `${one.org}/repositories`,
      resources: [orgMigration],
      summary: 'List repositories in an organization migration',
      access: ofOrganization,
    },
  },
  {
    method: 'GET',
    paging: pages(),
    replies: { 200: Type.Array(MinimalRepository) },
    async handle({ scope, db, at, page, viewer }) {
      const found = await listMigrationRepositories(db, viewer, at.migration.id, page);
      return mapRows(found, (rows) => presentRepositories(scope, rows));
    },
  },
);

export const { user: getArchiveOfUserMigration, org: getArchiveOfOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/get-archive-for-authenticated-user',
      path: `${one.user}/archive`,
      resources: [migration],
      summary: 'Download a user migration archive',
      access: ofPerson,
    },
    org: {
      id: 'migrations/download-archive-for-org',
      path: `${one.org}/archive`,
      resources: [orgMigration],
      summary: 'Download an organization migration archive',
      access: ofOrganization,
    },
  },
  {
    method: 'GET',
    replies: { 302: Nothing, 304: Nothing },
    async handle({ db, at: { migration }, links, now, services: { secrets, resourceLimits } }) {
      if (!isAvailable(migration, now) || (await isLost(db, migration.id))) throw notFound();
      const { until, period } = timeOfKey(now, resourceLimits.of(migrationLimits).linkTime);
      const address = redirect(`${links.api}/migration-archives/${keyOfArchive(secrets, migration.id, until)}`);
      return { ...address, headers: { ...address.headers, etag: `"${migration.guid}-${period}"`, 'cache-control': 'private' } };
    },
  },
);

export const downloadMigrationArchive = endpoint({
  id: 'migrations/download-archive',
  method: 'GET',
  path: '/migration-archives/{archive_key}',
  resources: [archived],
  summary: 'Download a migration archive from the address that was handed out for it',
  access: { permission: { none: 'token_exchange' } },
  replies: { 200: Type.String({ contentMediaType: 'application/gzip' }) },
  async handle({ at, services: { migrations } }) {
    const { stream, size } = await openArchive(migrations, at.archived.id);
    return raw('application/gzip', stream, {
      'content-length': String(size),
      'content-disposition': `attachment; filename=${at.archived.guid}.tar.gz`,
      'cache-control': 'private, no-store',
    });
  },
});

export const { user: deleteArchiveOfUserMigration, org: deleteArchiveOfOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/delete-archive-for-authenticated-user',
      path: `${one.user}/archive`,
      resources: [migration],
      summary: 'Delete a user migration archive',
      access: ofPerson,
    },
    org: {
      id: 'migrations/delete-archive-for-org',
      path: `${one.org}/archive`,
      resources: [orgMigration],
      summary: 'Delete an organization migration archive',
      access: ofOrganization,
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action, at, services: { migrations } }) {
      await change((scope, { migration }) => deleteArchive(scope, action, migration));
      await removeArchive(migrations, at.migration.id);
    },
  },
);

export const { user: unlockRepositoryOfUserMigration, org: unlockRepositoryOfOrgMigration } = endpointVariants(
  {
    user: {
      id: 'migrations/unlock-repo-for-authenticated-user',
      path: `${one.user}/repos/{repo_name}/lock`,
      resources: [lockedRepository],
      summary: 'Unlock a user repository',
      access: ofPerson,
    },
    org: {
      id: 'migrations/unlock-repo-for-org',
      path: `${one.org}/repos/{repo_name}/lock`,
      resources: [orgLockedRepository],
      summary: 'Unlock an organization repository',
      access: ofOrganization,
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope, { migration, lockedRepository }) => unlock(scope, action, migration, lockedRepository));
    },
  },
);
