// Migrations: archives with which people take along what is theirs (document 2).
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { raw, redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound, notFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { MinimalRepository, presentRepositories } from '#resources/repositories/index.ts';
import { openArchive, removeArchive } from './archive/folder.ts';
import { keyOfArchive, timeOfKey } from './archive-address.ts';
import { archived, lockedRepository, migration } from './path-resources.ts';
import { isAvailable, presentMigrations } from './present.ts';
import { deleteArchive, startMigration, unlock } from './rules.ts';
import { Migration, MigrationQuery, NewMigration } from './schemas.ts';
import { listMigrationRepositories, listMigrations } from './store.ts';

const access = { permission: { none: 'own_account' }, scopes: ['repo'], tokens: ['classic_pat'] } as const;

/** A list shows so many repositories of each migration, so that its size is bounded; all of them are shown with the migration alone. */
const shownInLists = 10;

export const listUserMigrations = endpoint({
  id: 'migrations/list-for-authenticated-user',
  method: 'GET',
  path: '/user/migrations',
  summary: 'List user migrations',
  access,
  paging: pages(),
  replies: { 200: Type.Array(Migration) },
  async handle({ page, ...context }) {
    const found = await listMigrations(context.db, context.viewer.account.id, page);
    return mapRows(found, (rows) => presentMigrations(contextOf(context), rows, { most: shownInLists, without: false }));
  },
});

export const startUserMigration = endpoint({
  id: 'migrations/start-for-authenticated-user',
  method: 'POST',
  path: '/user/migrations',
  summary: 'Start a user migration',
  access,
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
  async handle({ change, body, action, links, services, ...context }) {
    const { migrations: limits } = services.resourceLimits;
    const row = await change((tx) => startMigration(tx, { ...action, limits, base_url: links.html }, body));
    const options = { most: limits.repositories, without: false };
    return firstOrNotFound(await presentMigrations(contextOf({ ...context, links }), [row], options));
  },
});

export const getUserMigration = endpoint({
  id: 'migrations/get-status-for-authenticated-user',
  method: 'GET',
  path: '/user/migrations/{migration_id}',
  resources: [migration],
  summary: 'Get a user migration status',
  access,
  query: MigrationQuery,
  replies: { 200: Migration },
  async handle({ at, query: { exclude = [] }, services, ...context }) {
    const options = { most: services.resourceLimits.migrations.repositories, without: exclude.includes('repositories') };
    return firstOrNotFound(await presentMigrations(contextOf(context), [at.migration], options));
  },
});

export const listRepositoriesOfMigration = endpoint({
  id: 'migrations/list-repos-for-authenticated-user',
  method: 'GET',
  path: '/user/migrations/{migration_id}/repositories',
  resources: [migration],
  summary: 'List repositories for a user migration',
  access,
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ db, at, page, viewer, links }) {
    const found = await listMigrationRepositories(db, viewer, at.migration.id, page);
    return mapRows(found, (rows) => presentRepositories({ db, links, viewer }, rows));
  },
});

export const getArchiveOfMigration = endpoint({
  id: 'migrations/get-archive-for-authenticated-user',
  method: 'GET',
  path: '/user/migrations/{migration_id}/archive',
  resources: [migration],
  summary: 'Download a user migration archive',
  access,
  replies: { 302: Nothing, 304: Nothing },
  async handle({ at: { migration }, links, now, services: { secrets, resourceLimits } }) {
    if (!isAvailable(migration, now)) throw notFound();
    const { until, period } = timeOfKey(now, resourceLimits.migrations.linkTime);
    const address = redirect(`${links.api}/migration-archives/${keyOfArchive(secrets, migration.id, until)}`);
    return { ...address, headers: { ...address.headers, etag: `"${migration.guid}-${period}"`, 'cache-control': 'private' } };
  },
});

export const downloadMigrationArchive = endpoint({
  id: 'migrations/download-archive',
  method: 'GET',
  path: '/migration-archives/{archive_key}',
  resources: [archived],
  summary: 'Download a migration archive from the address that was handed out for it',
  access: { permission: { none: 'token_exchange' } },
  replies: { 200: Type.String() },
  async handle({ at, services: { migrations } }) {
    const { stream, size } = await openArchive(migrations, at.archived.id);
    return raw('application/gzip', stream, {
      'content-length': String(size),
      'content-disposition': `attachment; filename=${at.archived.guid}.tar.gz`,
      'cache-control': 'private, no-store',
    });
  },
});

export const deleteArchiveOfMigration = endpoint({
  id: 'migrations/delete-archive-for-authenticated-user',
  method: 'DELETE',
  path: '/user/migrations/{migration_id}/archive',
  resources: [migration],
  summary: 'Delete a user migration archive',
  access,
  replies: { 204: Nothing },
  async handle({ change, action, at, services: { migrations } }) {
    await change((tx, { migration }) => deleteArchive(tx, action, migration));
    await removeArchive(migrations, at.migration.id);
  },
});

export const unlockRepositoryOfMigration = endpoint({
  id: 'migrations/unlock-repo-for-authenticated-user',
  method: 'DELETE',
  path: '/user/migrations/{migration_id}/repos/{repo_name}/lock',
  resources: [lockedRepository],
  summary: 'Unlock a user repository',
  access,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((tx, { migration, lockedRepository }) => unlock(tx, action, migration, lockedRepository));
  },
});

type Parts = Parameters<typeof presentMigrations>[0];

const contextOf = ({ db, links, viewer, now }: Parts): Parts => ({ db, links, viewer, now });
