import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

/** What an issue event tells beside its name: things as they were called when it happened. */
export type IssueEventData = {
  label?: { name: string; color: string };
  assignee?: Id<'accounts'>;
  milestone?: { title: string };
  rename?: { from: string; to: string };
  state_reason?: string | null;
  lock_reason?: string | null;
};
export type IssueEventRow = Omit<Selectable<DB['issue_events']>, 'data'> & { data: IssueEventData };

export type NewIssueEvent = { event: string; data?: IssueEventData };
type Happened = {
  repository: Id<'repositories'>;
  issue: Id<'issues'>;
  actor: Id<'accounts'>;
  app: Id<'apps'> | null;
  at: Date;
};

/** Writes what happened to an issue, in its order, in one statement. */
export async function insertIssueEvents(tx: Tx, about: Happened, events: readonly NewIssueEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { repository, issue, actor, app, at } = about;
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

/** The events of one issue, oldest first. */
export const listIssueEvents = (db: Db, issue: Id<'issues'>, page: Page): Promise<Listed<IssueEventRow>> =>
  list(db, rows(db).where('issue_id', '=', issue).orderBy('id'), page);

/** Events by their ids, in any order. */
export async function loadIssueEvents(db: Db, ids: Iterable<Id<'issue_events'> | null>): Promise<IssueEventRow[]> {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : rows(db).where('id', 'in', wanted).execute();
}

/** The events of all issues of a repository, latest first. */
export const listEventsOfRepository = (db: Db, repository: Id<'repositories'>, page: Page): Promise<Listed<IssueEventRow>> =>
  list(db, rows(db).where('repository_id', '=', repository).orderBy('id', 'desc'), page);

export const findIssueEvent = (
  db: Db,
  repository: Id<'repositories'>,
  id: Id<'issue_events'>,
): Promise<IssueEventRow | undefined> => rows(db).where('repository_id', '=', repository).where('id', '=', id).executeTakeFirst();

const rows = (db: Db) =>
  db.selectFrom('issue_events').selectAll('issue_events').select(sql<IssueEventData>`issue_events.data`.as('data'));
