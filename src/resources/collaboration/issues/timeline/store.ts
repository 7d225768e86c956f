import { type RawBuilder, type Selectable, sql } from 'kysely';
import { readableRepositoryIds } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import { type Db, sendUnawaited, type Tx } from '#database/connect.ts';
import { mapRows } from '#database/list.ts';
import { listMerged } from '#database/merged-list.ts';
import type { DB } from '#database/tables.ts';
import type { Loader } from '#endpoint/loaders.ts';
import { gather, keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { type DataType, seesEventsOfField } from '#resources/collaboration/issue-fields/index.ts';
import type { IssueRow } from '../store.ts';
import { type IssueEventKind, relationFields } from './event-kinds.ts';

/** The data of an issue event. Labels, milestones and fields are stored with the names that they had at that time. */
export type IssueEventData = {
  label?: { name: string; color: string };
  assignee?: Id<'accounts'>;
  requested_reviewer?: Id<'accounts'>;
  requested_team?: Id<'teams'>;
  milestone?: { title: string };
  rename?: { from: string; to: string };
  state_reason?: IssueRow['state_reason'];
  lock_reason?: string | null;
  issue_field?: FieldChange;
  dismissed_review?: DismissedReview;
};

/** A review that was dismissed, with the state that it had. */
type DismissedReview = {
  state: 'approved' | 'changes_requested';
  review_id: Id<'reviews'>;
  /** Null where a push made it stale; `dismissal_commit_id` is the new head then. */
  dismissal_message: string | null;
  dismissal_commit_id: string;
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

export type NewIssueEvent = {
  event: IssueEventKind;
  data?: IssueEventData;
  /** The commit that caused it, of the same repository. */
  commit?: string;
  /** The other issue of a relation. */
  source?: Pick<IssueRow, 'id' | 'repository_id'>;
};
type IssueEventOrigin = {
  repository: Id<'repositories'>;
  issue: Id<'issues'>;
  actor: Id<'accounts'> | null;
  app: Id<'apps'> | null;
  at: Date;
};

/** Inserts events of an issue in their order, in one statement, which isn't waited for. */
export async function insertIssueEvents(tx: Tx, origin: IssueEventOrigin, events: readonly NewIssueEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { repository, issue, actor, app, at } = origin;
  const insert = tx.insertInto('issue_events').values(
    events.map(({ event, data = {}, commit, source }) => ({
      repository_id: repository,
      issue_id: issue,
      actor_id: actor,
      via_app_id: app,
      event,
      data: JSON.stringify(data),
      commit_id: commit ?? null,
      created_at: at,
      source_issue_id: source?.id ?? null,
      // Who may read an event with a source in the same repository may read the source.
      source_repository_id: source === undefined || source.repository_id === repository ? null : source.repository_id,
    })),
  );
  sendUnawaited(tx, insert);
}

const relations = Object.keys(relationFields).map((kind) => sql.lit(kind));

/**
 * Whether the viewer may see an event in the row `issue_events` that isn't shown to everybody. Events about fields are hidden
 * together with the field, and those that came from another repository from those who may not read it: nobody learns of a private
 * issue or commit because it refers to something public.
 */
export const maySeeRestricted = (viewer: Viewer) =>
  sql<boolean>`(case
    when issue_events.event like 'issue\_field\_%' then ${seesEventsOfField(
      viewer,
      sql`(issue_events.data -> 'issue_field' ->> 'id')::bigint`,
      sql`(issue_events.data -> 'issue_field' ->> 'organization_id')::bigint`,
    )}
    when issue_events.source_repository_id is null then true
    when issue_events.event = 'cross-referenced'
      and (select i.is_pull_request from issues i where i.id = issue_events.source_issue_id)
      then issue_events.source_repository_id in (
        select s.id from repositories s where s.has_pull_requests and s.id in ${readableRepositoryIds(viewer, 'pull_requests')})
    when issue_events.event in ('cross-referenced', ${sql.join(relations)}) then issue_events.source_repository_id in (
      select s.id from repositories s where s.has_issues and s.id in ${readableRepositoryIds(viewer, 'issues')})
    else issue_events.source_repository_id in ${readableRepositoryIds(viewer, 'contents')} end)`;

/** The restricted events that belong in lists of events. As in the public API, cross-references are in timelines only. */
const listedRestricted = (viewer: Viewer) =>
  sql`issue_events.restricted and issue_events.event <> 'cross-referenced' and ${maySeeRestricted(viewer)}`;

/** The events of one issue, oldest first. */
export const listIssueEvents = (db: Db, viewer: Viewer, issue: Id<'issues'>, page: Page): Promise<Listed<IssueEventRow>> =>
  listEvents(db, { condition: sql`issue_id = ${issue}`, order: sql`created_at, id`, viewer }, page);

type EventRepository = Pick<RepositoryRow, 'id' | 'has_pull_requests'>;

/** Leaves out the events of pull requests where they are switched off. */
const isOfSwitchedOn = ({ has_pull_requests }: EventRepository) =>
  has_pull_requests
    ? sql<boolean>`true`
    : sql<boolean>`not (select i.is_pull_request from issues i where i.id = issue_events.issue_id)`;

/** The events of all issues of a repository, latest first. */
export const listEventsOfRepository = (
  db: Db,
  viewer: Viewer,
  repo: EventRepository,
  page: Page,
): Promise<Listed<IssueEventRow>> =>
  listEvents(
    db,
    { condition: sql`repository_id = ${repo.id} and ${isOfSwitchedOn(repo)}`, order: sql`created_at desc, id desc`, viewer },
    page,
  );

type EventList = { condition: RawBuilder<unknown>; order: RawBuilder<unknown>; viewer: Viewer };

/**
 * A page of events. Their ids are found first, most of them in an index alone; then the rows of the page are read. The order
 * begins with the time, since PostgreSQL may take the index of all ids for an order by ids.
 */
async function listEvents(db: Db, { condition, order, viewer }: EventList, page: Page): Promise<Listed<IssueEventRow>> {
  const selected = sql`select id, created_at from issue_events where ${condition}`;
  const merged = {
    indexed: sql`${selected} and not restricted`,
    others: [sql`${selected} and ${listedRestricted(viewer)}`],
    order,
  };
  const found = await listMerged<Pick<IssueEventRow, 'id'>>(db, merged, page);
  return mapRows(found, async (entries) => {
    const rows = keyed(await loadIssueEvents(db, gather(entries, 'id')), ({ id }) => id);
    return entries.flatMap(({ id }) => rows.get(id) ?? []);
  });
}

/** Events by their ids, in any order. The caller has checked that the viewer may see them. */
async function loadIssueEvents(db: Db, ids: Iterable<Id<'issue_events'> | null>): Promise<IssueEventRow[]> {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : rows(db).where('id', 'in', wanted).execute();
}

/** Events by their ids, of which a scope loads each once. */
export const issueEventRows: Loader<Id<'issue_events'>, IssueEventRow> = async ({ db }, ids) =>
  keyed(await loadIssueEvents(db, ids), ({ id }) => id);

export const findIssueEvent = (
  db: Db,
  viewer: Viewer,
  repo: EventRepository,
  id: Id<'issue_events'>,
): Promise<IssueEventRow | undefined> =>
  rows(db)
    .where('repository_id', '=', repo.id)
    .where(isOfSwitchedOn(repo))
    .where('id', '=', id)
    .where(sql<boolean>`(not issue_events.restricted or (${listedRestricted(viewer)}))`)
    .executeTakeFirst();

const rows = (db: Db) =>
  db.selectFrom('issue_events').selectAll('issue_events').select(sql<IssueEventData>`issue_events.data`.as('data'));
