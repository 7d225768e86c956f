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

type FoundIssue = NamedIssue & { is_pull_request: boolean };

/**
 * Those of some users, and of some issues and pull requests that the viewer may read, that there are: in one statement, or none
 * for nothing.
 */
export async function findUsersAndIssues(
  db: Db,
  viewer: Viewer,
  { logins, issues }: { readonly logins: readonly string[]; readonly issues: readonly NamedIssue[] },
): Promise<{ readonly users: readonly string[]; readonly issues: readonly FoundIssue[] }> {
  const parts = [
    ...(logins.length === 0 ? [] : [selectUsers(logins)]),
    ...(issues.length === 0 ? [] : [selectReadableIssues(viewer, issues)]),
  ];
  if (parts.length === 0) return { users: [], issues: [] };
  const { rows } = await sql<{ login: string } & { [Key in keyof FoundIssue]: FoundIssue[Key] | null }>`
    ${sql.join(parts, sql` union all `)}`.execute(db);
  return {
    users: rows.flatMap(({ login, number }) => (number === null ? [login] : [])),
    issues: rows.flatMap(({ login, repo, number, is_pull_request }) =>
      repo === null || number === null ? [] : [{ owner: login, repo, number, is_pull_request: is_pull_request === true }],
    ),
  };
}

const selectUsers = (logins: readonly string[]): RawBuilder<unknown> => sql`
    select login, null as repo, null::int as number, null::boolean as is_pull_request
    from accounts where lower(login) = any (${[...logins]}::text[]) and kind = 'user'`;

const selectReadableIssues = (viewer: Viewer, wanted: readonly NamedIssue[]): RawBuilder<unknown> => sql`
    select o.login, r.name as repo, i.number, i.is_pull_request
    from unnest(${columnOf(wanted, 'owner')}::text[], ${columnOf(wanted, 'repo')}::text[], ${columnOf(wanted, 'number')}::int[])
      as w (owner, repo, number)
    join accounts o on lower(o.login) = w.owner
    join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
    join issues i on i.repository_id = r.id and i.number = w.number
    where ${readableBy(viewer)} and ${mayReadIssue(viewer)}`;

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
