// The assignees of a repository's alerts, shared by all kinds of alerts. Each kind has a table of its own, with `alert_id` and
// `account_id`.

import { type RawBuilder, sql } from 'kysely';
import { roleLevel } from '#access/roles.ts';
import type { Db } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { gather, grouped, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';

type Account = Id<'accounts'>;
type AssigneeTable = 'code_scanning_assignees' | 'dependency_alert_assignees';
type AlertOf<Table extends AssigneeTable> = DB[Table]['alert_id'];

/** The users with these logins who may write to a repository. Its alerts can be assigned to them. */
async function listAssignable(db: Db, repository: Id<'repositories'>, logins: readonly string[]): Promise<Account[]> {
  const { rows } = await sql<{ id: Account }>`select a.id from accounts a
    where lower(a.login) = any (${[...logins]}::text[]) and a.kind = 'user'
      and exists (select from repository_roles role
        where role.repository_id = ${repository} and role.account_id = a.id and role.level >= ${roleLevel('write')})`.execute(db);
  return gather(rows, 'id');
}

/** The user with this login, if alerts of a repository can be assigned to them. */
export const findAlertAssignee = async (db: Db, repository: Id<'repositories'>, login: string): Promise<Account | undefined> =>
  (await listAssignable(db, repository, [login.toLowerCase()]))[0];

/**
 * The users with these logins. `resource` is the kind of alert.
 * @throws Refusal 422 if alerts of the repository can't be assigned to one of them
 */
export async function getAlertAssignees(
  scope: WriteScope,
  { repository, resource }: { repository: Id<'repositories'>; resource: string },
  logins: readonly string[],
): Promise<Account[]> {
  const wanted = unique(logins.map((login) => login.toLowerCase()));
  const accounts = await listAssignable(scope.tx, repository, wanted);
  if (accounts.length < wanted.length)
    throw invalid(resource, 'assignees', 'invalid', 'assignees must have write access to the repository');
  return accounts;
}

/** The users to whom alerts are assigned, by alert. */
export async function loadAlertAssignees<Table extends AssigneeTable>(
  db: Db,
  table: Table,
  ids: readonly AlertOf<Table>[],
): Promise<ReadonlyMap<AlertOf<Table>, Account[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ alert_id: AlertOf<Table>; account_id: Account }>`
    select alert_id, account_id from ${sql.table(table)} where alert_id = any (${[...ids]}::bigint[])
    order by account_id`.execute(db);
  return new Map([...grouped(rows, ({ alert_id }) => alert_id)].map(([alert, all]) => [alert, gather(all, 'account_id')]));
}

/**
 * The values of a filter by assignees, separated by commas: logins, `*` for anybody, `none` for nobody. Undefined if there are
 * none.
 */
export function assigneeWords(text: string | undefined): readonly string[] | undefined {
  const words = unique((text ?? '').split(',').map((word) => word.trim())).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}

/** Whether the assignees of the alert `a` match a filter. */
export function isAssignedAs(table: AssigneeTable, words: readonly string[]): RawBuilder<boolean> {
  const assignments = sql`select from ${sql.table(table)} s where s.alert_id = a.id`;
  if (words.includes('*')) return sql`exists (${assignments})`;
  if (words.includes('none')) return sql`not exists (${assignments})`;
  const logins = words.map((login) => login.toLowerCase());
  return sql`exists (${assignments} and s.account_id in (select p.id from accounts p
    where lower(p.login) = any (${logins}::text[])))`;
}
