import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const checkout = new URL('..', import.meta.url).pathname;
const folder = 'src/resources/repositories/bookmarks';

/**
 * A small family, as docs/adding-a-family.md describes it: a table, a limit, an interpreter, a service with a setting, events and
 * endpoints.
 */
const family: Readonly<Record<string, string>> = {
  'limits.ts': `
    import { limitGroup } from '#lib/limits.ts';
    export const bookmarkLimits = limitGroup('bookmarks', 'Bookmarks', {
      ofRepository: { value: 7, unit: 'count', of: 'bookmarks of one repository', past: '422' },
    });`,
  'schemas.ts': `
    import { type Static, Type } from 'typebox';
    export const Bookmark = Type.Object({ id: Type.Integer(), path: Type.String() });
    export type Bookmark = Static<typeof Bookmark>;
    export const NewBookmark = Type.Object({ path: Type.String({ minLength: 1 }) }, { title: 'Bookmark' });
    export type NewBookmark = Static<typeof NewBookmark>;`,
  'store.ts': `
    import type { Insertable, Selectable } from 'kysely';
    import type { Db, OrSql, Tx } from '#database/connect.ts';
    import type { DB } from '#database/tables.ts';
    import type { Id, RepositoryId } from '#lib/id.ts';
    export type BookmarkRow = Selectable<DB['bookmarks']>;
    export const listBookmarks = (db: Db, repository: RepositoryId): Promise<BookmarkRow[]> =>
      db.selectFrom('bookmarks').selectAll().where('repository_id', '=', repository).orderBy('id').execute();
    export const selectBookmark = (db: Db, repository: OrSql<RepositoryId>, id: Id<'bookmarks'>) =>
      db.selectFrom('bookmarks').selectAll().where('repository_id', '=', repository).where('id', '=', id);
    export const findBookmarkForUpdate = (tx: Tx, { id }: Pick<BookmarkRow, 'id'>): Promise<BookmarkRow | undefined> =>
      tx.selectFrom('bookmarks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
    export const insertBookmark = (tx: Tx, row: Insertable<DB['bookmarks']>): Promise<BookmarkRow> =>
      tx.insertInto('bookmarks').values(row).returningAll().executeTakeFirstOrThrow();`,
  'path-resources.ts': `
    import { pathResource } from '#endpoint/path-resource.ts';
    import { idOf } from '#endpoint/path-words.ts';
    import { findBookmarkForUpdate, selectBookmark } from './store.ts';
    export const bookmark = pathResource({
      name: 'bookmark',
      words: { bookmark_id: idOf('bookmarks') },
      below: 'repo',
      query: ({ db, at }, { bookmark_id }) => selectBookmark(db, at.repo.id, bookmark_id),
      lock: (tx, at) => findBookmarkForUpdate(tx, at.bookmark),
    });`,
  'events.ts': `
    import type { Id } from '#lib/id.ts';
    import { eventKinds } from '#resources/event-kinds.ts';
    declare module '#events/kinds.ts' {
      interface EventData {
        'bookmark.created': { bookmark: Id<'bookmarks'> };
      }
    }
    export const bookmarkEvents = eventKinds({ 'bookmark.created': 'no webhook' });`,
  'service.ts': `
    import type { ServiceParts } from '#resources/service-parts.ts';
    declare module '#endpoint/services.ts' {
      interface FamilySettings { ribbon?: string; }
      interface FamilyServices { readonly ribbon: string; }
    }
    export const makeRibbon = ({ settings }: ServiceParts): string => settings.ribbon ?? 'red';`,
  'rules.ts': `
    import type { RepositoryAction } from '#access/action.ts';
    import type { Tx } from '#database/connect.ts';
    import { record } from '#events/record.ts';
    import { inRepository } from '#events/scope.ts';
    import type { NewBookmark } from './schemas.ts';
    import { type BookmarkRow, insertBookmark } from './store.ts';
    export async function createBookmark(tx: Tx, action: RepositoryAction, { path }: NewBookmark): Promise<BookmarkRow> {
      const row = await insertBookmark(tx, { repository_id: action.repo.id, path });
      await record(tx, { ...inRepository(action), kind: 'bookmark.created', data: { bookmark: row.id } });
      return row;
    }`,
  'endpoints.ts': `
    import { Type } from 'typebox';
    import { endpoint } from '#endpoint/endpoint.ts';
    import { bookmark } from './path-resources.ts';
    import { createBookmark } from './rules.ts';
    import { Bookmark, NewBookmark } from './schemas.ts';
    import { listBookmarks } from './store.ts';
    const access = { scopes: ['repo'], role: 'admin' } as const;
    const reads = { ...access, permission: 'administration:read' } as const;
    export const listRepoBookmarks = endpoint({
      id: 'repos/list-bookmarks',
      method: 'GET',
      path: '/repos/{owner}/{repo}/bookmarks',
      summary: 'List bookmarks of a repository',
      access: reads,
      replies: { 200: Type.Array(Bookmark) },
      handle: async ({ db, at }) => listBookmarks(db, at.repo.id),
    });
    export const createRepoBookmark = endpoint({
      id: 'repos/create-bookmark',
      method: 'POST',
      path: '/repos/{owner}/{repo}/bookmarks',
      summary: 'Create a bookmark of a repository',
      access: { ...access, permission: 'administration:write' },
      body: NewBookmark,
      example: { path: 'README.md' },
      replies: { 201: Bookmark },
      handle: async ({ change, body, action }) => change((tx) => createBookmark(tx, action, body)),
    });
    export const getRepoBookmark = endpoint({
      id: 'repos/get-bookmark',
      method: 'GET',
      path: '/repos/{owner}/{repo}/bookmarks/{bookmark_id}',
      resources: [bookmark],
      summary: 'Get a bookmark of a repository',
      access: reads,
      replies: { 200: Bookmark },
      handle: async ({ at }) => at.bookmark,
    });`,
  'family.ts': `
    import { family } from '#resources/family.ts';
    import * as endpoints from './endpoints.ts';
    import { bookmarkEvents } from './events.ts';
    import * as limits from './limits.ts';
    import * as schemas from './schemas.ts';
    import { makeRibbon } from './service.ts';
    export const bookmarks = family({
      name: 'bookmarks',
      limits,
      interpreters: [{ reads: 'paths of bookmarks', runs: 'steps', modules: ['rules.ts'], bounds: ['bookmarks.ofRepository'] }],
      services: { ribbon: makeRibbon },
      schemas,
      endpoints: [endpoints],
      events: bookmarkEvents,
    });`,
};

const migration = `create table bookmarks (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repositories on delete cascade,
  path text not null
);`;

/** What is derived from the families, as a program in the copy finds it. */
const report = `
import { resourceLimits } from '#lib/limits.ts';
import { makeDocument } from '#openapi/document.ts';
import { makeLimitsPage } from '#openapi/limits-page.ts';
import { makePermissionsPage } from '#openapi/permissions-page.ts';
import { allEndpoints, allFamilies, allInterpreters, allLimits, allSchemas, makeFamilyServices } from '#resources/all.ts';
import { routesOf } from './src/server/routes.ts';

const limits = makeLimitsPage(allLimits, allInterpreters);
const permissions = makePermissionsPage(allEndpoints);
const document = makeDocument({
  endpoints: allEndpoints, schemas: allSchemas, vocabulary: 'service', version: '1', server: 'http://localhost',
});
const parts = {
  settings: { ribbon: 'blue' }, services: { resourceLimits: resourceLimits(allLimits) }, connections: 4, ruleEvaluators: {},
};
const { ribbon } = await makeFamilyServices(parts);
const paths = Object.keys(document.paths).filter((path) => path.includes('/bookmarks'));
const linesOf = (text) => text.split('\\n').filter((line) => /^\\| [^|]*bookmark/.test(line));
const routes = routesOf(allEndpoints)
  .filter(({ pattern }) => pattern.includes('bookmarks'))
  .map(({ method, pattern }) => method + ' ' + pattern)
  .sort();
const events = allFamilies.find(({ name }) => name === 'bookmarks').events;
process.stdout.write(JSON.stringify({
  ribbon, routes, paths, limits: linesOf(limits), permissions: linesOf(permissions), events: Object.keys(events),
}));
`;

async function copyOfHearth(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'hearth-family-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await cp(join(checkout, 'src'), join(root, 'src'), { recursive: true });
  await cp(join(checkout, 'package.json'), join(root, 'package.json'));
  await symlink(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

async function put(root: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}

const edit = async (root: string, file: string, change: (text: string) => string): Promise<void> =>
  writeFile(join(root, file), change(await readFile(join(root, file), 'utf8')));

/** The files below `src/` that aren't the same in both. */
async function differences(one: string, other: string): Promise<string[]> {
  const filesOf = async (root: string) =>
    (await readdir(join(root, 'src'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length).replace(/^\//, ''));
  const before = new Set(await filesOf(one));
  const differs = await Promise.all(
    (await filesOf(other)).map(async (file) => {
      if (!before.has(file)) return [file];
      const [old, now] = await Promise.all([readFile(join(one, file)), readFile(join(other, file))]);
      return old.equals(now) ? [] : [file];
    }),
  );
  return differs.flat().sort();
}

test('a family needs nothing outside of its folder but a migration, the generated tables and its place in the list of its product', async () => {
  const root = await copyOfHearth();
  for (const [file, text] of Object.entries(family)) await put(root, join(folder, file), text);
  await put(root, 'src/database/migrations/9999-bookmarks.sql', migration);
  await edit(root, 'src/database/tables.ts', (text) =>
    text
      .replace(
        'export interface DB {',
        'export interface Bookmarks { id: GeneratedAlways<Id<"bookmarks">>; repository_id: Id<"repositories">; path: ' +
          'string }\n$&',
      )
      .replace('export interface DB {', '$&\n  bookmarks: Bookmarks;'),
  );
  await edit(root, 'src/resources/repositories/families.ts', (text) =>
    `import { bookmarks } from './bookmarks/family.ts';\n${text}`.replace('  autolinks,\n', '  autolinks,\n  bookmarks,\n'),
  );
  await put(root, 'report.ts', report);

  const outside = (await differences(checkout, root)).filter((file) => !file.startsWith(folder));
  expect(outside).toEqual([
    'src/database/migrations/9999-bookmarks.sql',
    'src/database/tables.ts',
    'src/resources/repositories/families.ts',
  ]);

  const { stdout } = await run(process.execPath, ['report.ts'], { cwd: root });
  expect(JSON.parse(stdout)).toEqual({
    ribbon: 'blue',
    routes: [
      'GET /repos/:owner/:repo/bookmarks',
      'GET /repos/:owner/:repo/bookmarks/:bookmark_id',
      'POST /repos/:owner/:repo/bookmarks',
    ],
    paths: ['/repos/{owner}/{repo}/bookmarks', '/repos/{owner}/{repo}/bookmarks/{bookmark_id}'],
    limits: [
      '| `bookmarks.ofRepository` | 7 | bookmarks of one repository | 422 |',
      '| paths of bookmarks | in process, in steps | `bookmarks.ofRepository` | `resources/repositories/bookmarks/rules.ts` |',
    ],
    permissions: [
      expect.stringContaining('`GET /repos/{owner}/{repo}/bookmarks`'),
      expect.stringContaining('`POST /repos/{owner}/{repo}/bookmarks`'),
      expect.stringContaining('`GET /repos/{owner}/{repo}/bookmarks/{bookmark_id}`'),
    ],
    events: ['bookmark.created'],
  });
});
