import { type Selectable, sql, type Updateable } from 'kysely';
import { isCovered } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderBy } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';
import { isAssignedAs } from '#resources/repositories/collaborators/index.ts';
import type { ReadRule } from './results.ts';

type Alert = Id<'code_scanning_alerts'>;
type StoredAlert = Selectable<DB['code_scanning_alerts']>;
type StoredInstance = Selectable<DB['code_scanning_instances']>;
type StoredRule = Selectable<DB['code_scanning_rules']>;

/** An alert with its rule, and the instance that determines its state: an open one on a ref, if there is any. */
export type AlertRow = StoredAlert & { rule_name: string; help: string | null } & Pick<
    StoredRule,
    'identifier' | 'description' | 'full_description' | 'tags' | 'security_severity_level' | 'help_uri'
  > &
  Pick<
    StoredInstance,
    | 'ref'
    | 'category'
    | 'is_open'
    | 'commit_sha'
    | 'path'
    | 'start_line'
    | 'end_line'
    | 'start_column'
    | 'end_column'
    | 'message'
    | 'fixed_at'
  >;

const defaultRef = sql<string>`'refs/heads/' || r.default_branch`;

/** Alerts that have an instance on the given refs. Undefined: on any ref, with the default branch preferred. */
const alerts = (db: Db, refs: readonly string[] | 'default' | undefined, { withHelp }: { withHelp: boolean }) =>
  db
    .selectFrom('code_scanning_alerts as a')
    .innerJoin('repositories as r', 'r.id', 'a.repository_id')
    .innerJoin('code_scanning_rules as u', 'u.id', 'a.rule_id')
    .innerJoinLateral(
      (on) => {
        let query = on.selectFrom('code_scanning_instances as i').selectAll('i').whereRef('i.alert_id', '=', 'a.id');
        if (refs === 'default') query = query.where('i.ref', '=', defaultRef);
        else if (refs) query = query.where(sql<boolean>`i.ref = any (${[...refs]}::text[])`);
        else query = query.orderBy(sql`i.ref = ${defaultRef}`, 'desc');
        return query.orderBy('i.is_open', 'desc').orderBy('i.updated_at', 'desc').orderBy('i.id', 'desc').limit(1).as('n');
      },
      (join) => join.onTrue(),
    )
    .selectAll('a')
    .select(['u.identifier', 'u.name as rule_name', 'u.description', 'u.full_description', 'u.tags'])
    .select(['u.security_severity_level', 'u.help_uri', withHelp ? 'u.help' : sql<string | null>`null`.as('help')])
    .select(['n.ref', 'n.category', 'n.is_open', 'n.commit_sha', 'n.path', 'n.start_line', 'n.end_line'])
    .select(['n.start_column', 'n.end_column', 'n.message', 'n.fixed_at']);

/** An alert of a repository by its number. */
export const selectAlert = (db: Db, repository: OrSql<RepositoryId>, number: number) =>
  alerts(db, undefined, { withHelp: true }).where('a.repository_id', '=', repository).where('a.number', '=', number);

/** Reads the alert again and locks its row until the transaction ends; undefined if it was deleted. */
export const findAlertForUpdate = (tx: Tx, { id }: Pick<AlertRow, 'id'>): Promise<AlertRow | undefined> =>
  alerts(tx, undefined, { withHelp: true }).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst();

/** An alert, in its state on a ref if one is given. */
export const findAlert = (db: Db, id: Alert, ref?: string): Promise<AlertRow | undefined> =>
  alerts(db, ref === undefined ? undefined : [ref], { withHelp: true })
    .where('a.id', '=', id)
    .executeTakeFirst();

export type AlertFilter = {
  tool?: string | undefined;
  guid?: string | undefined;
  /** Undefined: the default branch. */
  refs?: readonly string[] | undefined;
  state?: 'open' | 'closed' | 'dismissed' | 'fixed' | undefined;
  severity?: string | undefined;
  /** Logins; `*`: anybody, `none`: nobody. */
  assignees?: readonly string[] | undefined;
  sort: 'created' | 'updated' | 'number';
  direction: 'asc' | 'desc';
};

const isOpenNow = sql<boolean>`(a.dismissed_at is null and n.is_open)`;
const conditions = {
  open: isOpenNow,
  closed: sql<boolean>`not ${isOpenNow}`,
  dismissed: sql<boolean>`(a.dismissed_at is not null)`,
  fixed: sql<boolean>`(a.dismissed_at is null and not n.is_open)`,
};

/** This is looked up first with an index, regardless of other filters. */
const isOn = (
  repository: RepositoryId,
  refs: readonly string[],
  { isOpen }: { isOpen: boolean },
) => sql<boolean>`a.id = any (array(
  select o.alert_id from code_scanning_instances o where o.repository_id = ${repository} and o.ref = any (${[...refs]}::text[])
    ${isOpen ? sql`and o.is_open` : sql``}))`;

/** The alerts of a repository, or of an organization's repositories that a viewer's credential reaches. */
export function listAlerts(
  db: Db,
  of: Pick<RepositoryRow, 'id' | 'default_branch'> | { owner: Id<'accounts'>; viewer: Viewer },
  { tool, guid, refs, state, severity, assignees, sort, direction }: AlertFilter,
  page: Page,
): Promise<Walked<AlertRow>> {
  let query = alerts(db, refs ?? 'default', { withHelp: false }).where(isCovered('id' in of ? { repository: of.id } : of));
  // Only a few of all alerts are open, or on a specific ref.
  if ('id' in of && (refs || state === 'open'))
    query = query.where(isOn(of.id, refs ?? [branchRef(of.default_branch)], { isOpen: state === 'open' }));
  if (tool !== undefined) query = query.where('a.tool_name', '=', tool);
  if (guid !== undefined) query = query.where('a.tool_guid', '=', guid);
  if (state !== undefined) query = query.where(conditions[state]);
  if (severity !== undefined) query = query.where(sql<boolean>`coalesce(u.security_severity_level, a.severity) = ${severity}`);
  if (assignees) query = query.where(isAssignedAs('code_scanning_assignees', assignees));
  const order =
    sort === 'number' ? orderBy('a', 'number', 'integer', direction) : orderBy('a', `${sort}_at`, 'timestamptz', direction);
  return listWalked(db, query, order, page);
}

export const updateAlert = (tx: Tx, id: Alert, change: Updateable<DB['code_scanning_alerts']>) =>
  tx.updateTable('code_scanning_alerts').set(change).where('id', '=', id).execute();

/** Records when the state of alerts changed. */
export async function touchAlerts(tx: Tx, ids: readonly Alert[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`update code_scanning_alerts set updated_at = ${now} where id = any (${[...ids]}::bigint[])`.execute(tx);
}

/** Assigns an alert to exactly these users. */
export async function replaceAssignees(tx: Tx, alert: Alert, accounts: readonly Id<'accounts'>[]): Promise<void> {
  await tx.deleteFrom('code_scanning_assignees').where('alert_id', '=', alert).execute();
  if (accounts.length === 0) return;
  await tx
    .insertInto('code_scanning_assignees')
    .values(accounts.map((account_id) => ({ alert_id: alert, account_id })))
    .execute();
}

/** Stores the current rules of a tool, and returns their ids by identifier. */
export async function putRules(
  tx: Tx,
  { repository, tool }: { repository: RepositoryId; tool: string },
  rules: readonly ReadRule[],
): Promise<ReadonlyMap<string, Id<'code_scanning_rules'>>> {
  const { rows } = await sql<{ id: Id<'code_scanning_rules'>; identifier: string }>`
    insert into code_scanning_rules (repository_id, tool_name, identifier, name, description, full_description, tags,
      security_severity_level, help, help_uri)
    select ${repository}, ${tool}, w.id, w.name, w.description, w."fullDescription", w.tags, w."securityLevel", w.help,
      w."helpUri"
    from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as w (id text, name text, description text, "fullDescription" text,
      tags text[], "securityLevel" text, help text, "helpUri" text)
    on conflict (repository_id, tool_name, identifier) do update set name = excluded.name, description = excluded.description,
      full_description = excluded.full_description, tags = excluded.tags,
      security_severity_level = excluded.security_severity_level, help = excluded.help, help_uri = excluded.help_uri
    returning id, identifier`.execute(tx);
  return new Map(rows.map(({ id, identifier }) => [identifier, id]));
}

export type KnownAlert = Pick<StoredAlert, 'id' | 'number' | 'fingerprint'>;

/** The highest alert number of a repository. The caller has locked the repository. */
export async function findLastNumber(tx: Tx, repository: RepositoryId): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(number), 0) as last from code_scanning_alerts where repository_id = ${repository}`.execute(tx);
  return rows[0]?.last ?? 0;
}

/** The properties of an alert from the latest analysis that found it. */
export type FoundAlert = Pick<StoredAlert, 'fingerprint' | 'rule_id' | 'severity'>;

/** Updates the alerts of a repository that have these fingerprints, and returns them. */
export async function renewAlerts(
  tx: Tx,
  { repository, version, guid }: { repository: RepositoryId; version: string | null; guid: string | null },
  found: readonly FoundAlert[],
): Promise<KnownAlert[]> {
  const { rows } = await sql<KnownAlert>`
    update code_scanning_alerts a set rule_id = w.rule_id, severity = w.severity, tool_version = ${version}, tool_guid = ${guid}
    from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as w (fingerprint text, rule_id bigint, severity text)
    where a.repository_id = ${repository} and a.fingerprint = w.fingerprint returning a.id, a.number, a.fingerprint`.execute(tx);
  return rows;
}

type NewAlerts = {
  readonly repository: RepositoryId;
  readonly tool: string;
  readonly version: string | null;
  readonly guid: string | null;
  /** The last used number. The alerts get the following ones. */
  readonly last: number;
  readonly now: Date;
};

/** Inserts alerts, in order. */
export async function insertAlerts(
  tx: Tx,
  { repository, tool, version, guid, last, now }: NewAlerts,
  found: readonly FoundAlert[],
): Promise<KnownAlert[]> {
  if (found.length === 0) return [];
  const { rows } = await sql<KnownAlert>`
    insert into code_scanning_alerts (repository_id, number, rule_id, tool_name, tool_version, tool_guid, severity, fingerprint,
      created_at, updated_at)
    select ${repository}, ${last} + w.at, w.rule_id, ${tool}, ${version}, ${guid}, w.severity, w.fingerprint, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(found.map((one, at) => ({ ...one, at: at + 1 })))}::jsonb)
      as w (at integer, fingerprint text, rule_id bigint, severity text)
    order by w.at returning id, number, fingerprint`.execute(tx);
  return rows;
}

/** Removes the alerts of a tool that are no longer on any ref. */
export async function removeUnseenAlerts(
  tx: Tx,
  { repository, tool }: { repository: RepositoryId; tool: string },
): Promise<void> {
  await sql`delete from code_scanning_alerts a where a.repository_id = ${repository} and a.tool_name = ${tool}
    and not exists (select from code_scanning_instances i where i.alert_id = a.id)`.execute(tx);
}
