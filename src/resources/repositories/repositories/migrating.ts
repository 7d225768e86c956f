// What migrations need from repositories: lookups by name, and locks.

import { sql } from 'kysely';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { loadRepositories } from './store.ts';

/** The repositories with these full names (`owner/name`, regardless of case) that the viewer may read, by name in lower case. */
export async function findByFullNames(db: Db, viewer: Viewer, names: readonly string[]): Promise<Map<string, RepositoryRow>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ id: Id<'repositories'>; full_name: string }>`
    select r.id, wanted.full_name
    from unnest(${names.map((name) => name.toLowerCase())}::text[]) as wanted (full_name)
    join accounts o on lower(o.login) = split_part(wanted.full_name, '/', 1)
    join repositories r on r.owner_id = o.id and lower(r.name) = split_part(wanted.full_name, '/', 2)
    where wanted.full_name ~ '^[^/]+/[^/]+$'`.execute(db);
  const readable = new Map(
    (
      await loadRepositories(
        db,
        viewer,
        rows.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  return new Map(
    rows.flatMap(({ id, full_name }) => {
      const row = readable.get(id);
      return row ? [[full_name, row] as const] : [];
    }),
  );
}

/** Locks repositories for a migration. Returns the ones that no other migration has locked. */
export async function lockForMigration(
  scope: WriteScope,
  migration: Id<'migrations'>,
  ids: readonly Id<'repositories'>[],
): Promise<Id<'repositories'>[]> {
  if (ids.length === 0) return [];
  const rows = await scope.tx
    .updateTable('repositories')
    .set({ locked_by: migration })
    .where('id', 'in', [...ids])
    .where('locked_by', 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Ends a migration's lock on a repository. */
export const unlockRepository = (scope: WriteScope, migration: Id<'migrations'>, id: Id<'repositories'>) =>
  scope.tx.updateTable('repositories').set({ locked_by: null }).where('id', '=', id).where('locked_by', '=', migration).execute();
