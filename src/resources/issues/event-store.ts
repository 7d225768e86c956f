import { type Selectable, sql } from 'kysely';
import type { Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type DataType, seesEventsOfField } from '#resources/issue-fields/index.ts';

/** The data of an issue event. Labels, milestones and fields are stored with the names that they had at that time. */
export type IssueEventData = {
  label?: { name: string; color: string };
  assignee?: Id<'accounts'>;
  milestone?: { title: string };
  rename?: { from: string; to: string };
  state_reason?: string | null;
  lock_reason?: string | null;
  issue_field?: FieldChange;
};

/** A change of an issue's value in a field. `value` and `previous_value` are absent where there was none. */
type FieldChange = {
  id: Id<'issue_fields'>;
  name: string;
  data_type: DataType;
  organization_id: Id<'accounts'>;
  value?: FieldValue;
  previous_value?: FieldValue;
};
type FieldValue = string | number | string[];

export type IssueEventRow = Omit<Selectable<DB['issue_events']>, 'data'> & { data: IssueEventData };

export type NewIssueEvent = { event: string; data?: IssueEventData };
type IssueEventContext = {
  repository: Id<'repositories'>;
  issue: Id<'issues'>;
  actor: Id<'accounts'>;
  app: Id<'apps'> | null;
  at: Date;
};

/** Inserts events of an issue in their order, in one statement. */
export async function insertIssueEvents(tx: Tx, context: IssueEventContext, events: readonly NewIssueEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { repository, issue, actor, app, at } = context;
  await tx
    .insertInto('issue_events')
    .values(
      events.map(({ event, data = {} }) => ({
        repository_id: repository,
        issue_id: issue,
        actor_id: actor,
        via_app_id: app,
        event,
        data: JSON.stringify(data),
        created_at: at,
      })),
    )
    .execute();
}

/** Whether the viewer may see the event in the row `issue_events`. Events about fields are hidden together with the field. */
export const maySeeEvent = (viewer: Viewer) =>
  sql<boolean>`(issue_events.event not in ('issue_field_added', 'issue_field_changed', 'issue_field_removed') or ${seesEventsOfField(
    viewer,
    sql`(issue_events.data -> 'issue_field' ->> 'id')::bigint`,
    sql`(issue_events.data -> 'issue_field' ->> 'organization_id')::bigint`,
  )})`;

/** The events of one issue, oldest first. */
export const listIssueEvents = (db: Db, viewer: Viewer, issue: Id<'issues'>, page: Page): Promise<Listed<IssueEventRow>> =>
  list(db, rows(db).where('issue_id', '=', issue).where(maySeeEvent(viewer)).orderBy('id'), page);

/** Events by their ids, in any order. The caller has checked that the viewer may see them. */
export async function loadIssueEvents(db: Db, ids: Iterable<Id<'issue_events'> | null>): Promise<IssueEventRow[]> {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : rows(db).where('id', 'in', wanted).execute();
}

/** The events of all issues of a repository, latest first. */
export const listEventsOfRepository = (
  db: Db,
  viewer: Viewer,
  repository: Id<'repositories'>,
  page: Page,
): Promise<Listed<IssueEventRow>> =>
  list(db, rows(db).where('repository_id', '=', repository).where(maySeeEvent(viewer)).orderBy('id', 'desc'), page);

export const findIssueEvent = (
  db: Db,
  viewer: Viewer,
  repository: Id<'repositories'>,
  id: Id<'issue_events'>,
): Promise<IssueEventRow | undefined> =>
  rows(db).where('repository_id', '=', repository).where('id', '=', id).where(maySeeEvent(viewer)).executeTakeFirst();

const rows = (db: Db) =>
  db.selectFrom('issue_events').selectAll('issue_events').select(sql<IssueEventData>`issue_events.data`.as('data'));
