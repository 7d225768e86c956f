// What texts name, as far as there is such a thing and the viewer may read it. Names that are asked for are in lower case.
import { type RawBuilder, sql } from 'kysely';
import { readableBy, readableRepositoryIds } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { RepositoryName } from '#text/render.ts';
import { mayReadIssue } from '../readable.ts';

export type NamedIssue = RepositoryName & { readonly number: number };
export type NamedRepository = RepositoryName & { readonly id: Id<'repositories'> };

const columnOf = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): RawBuilder<unknown> =>
  sql`${rows.map((row) => row[key])}`;

/** Those of some issues and pull requests that there are and that the viewer may read. */
export async function findReadableIssues(
  db: Db,
  viewer: Viewer,
  wanted: readonly NamedIssue[],
): Promise<(NamedIssue & { is_pull_request: boolean })[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<NamedIssue & { is_pull_request: boolean }>`
    select o.login as owner, r.name as repo, i.number, i.is_pull_request
    from unnest(${columnOf(wanted, 'owner')}::text[], ${columnOf(wanted, 'repo')}::text[], ${columnOf(wanted, 'number')}::int[])
      as w (owner, repo, number)
    join accounts o on lower(o.login) = w.owner
    join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
    join issues i on i.repository_id = r.id and i.number = w.number
    where ${readableBy(viewer)} and ${mayReadIssue(viewer)}`.execute(db);
  return rows;
}

/** Those of some repositories that there are and whose contents the viewer may read. */
export async function findReadableRepositories(
  db: Db,
  viewer: Viewer,
  wanted: readonly RepositoryName[],
): Promise<NamedRepository[]> {
  if (wanted.length === 0) return [];
  const { rows } = await sql<NamedRepository>`
    select o.login as owner, r.name as repo, r.id
    from unnest(${columnOf(wanted, 'owner')}::text[], ${columnOf(wanted, 'repo')}::text[]) as w (owner, repo)
    join accounts o on lower(o.login) = w.owner
    join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
    where r.id in ${readableRepositoryIds(viewer, 'contents')}`.execute(db);
  return rows;
}
