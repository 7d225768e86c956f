import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { belongsToOrganization, readableRepositoryIds } from '#access/sql.ts';
import type { Account, Viewer } from '#access/viewer.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Loader } from '#endpoint/loaders.ts';
import type { Scope } from '#endpoint/scope.ts';
import { getOrThrow, grouped, keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { type Content, changedCounts } from '#resources/collaboration/reactions/index.ts';
import type { LabelRow } from '#resources/repositories/labels/index.ts';
import { namedRepositories, takingIssueNumber } from '#resources/repositories/repositories/index.ts';
import { type Related, relatedAsJson } from './related.ts';
import type { Association } from './schemas.ts';

export type IssueRow = Selectable<DB['issues']>;
type Issue = Id<'issues'>;

/** Opens an issue with the next number of its repository, and with its labels and assignees, in one statement. */
export const insertIssue = (
  tx: Tx,
  row: Omit<Insertable<DB['issues']>, 'number'> & { repository_id: RepositoryId; created_at: Date },
  { labels, assignees }: { labels: readonly LabelRow[]; assignees: readonly Account[] },
): Promise<IssueRow> =>
  tx
    .with('taken', () => sql<{ number: number }>`(${takingIssueNumber(row.repository_id)})`)
    .with('opened', (query) =>
      query
        .insertInto('issues')
        .values({ ...row, number: sql<number>`(select number from taken)` })
        .returningAll(),
    )
    .with(
      'labeled',
      () => sql`(insert into issue_labels (issue_id, label_id)
        select o.id, l.id from opened o, unnest(${labels.map(({ id }) => id)}::bigint[]) as l (id))`,
    )
    .with(
      'assigned',
      () => sql`(insert into issue_assignees (issue_id, user_id, created_at)
        select o.id, u.id, ${row.created_at} from opened o, unnest(${assignees.map(({ id }) => id)}::bigint[]) as u (id))`,
    )
    .selectFrom('opened')
    .selectAll()
    .executeTakeFirstOrThrow();

export const selectIssue = (db: Db, repository: OrSql<RepositoryId>, number: number) =>
  db.selectFrom('issues').selectAll().where('repository_id', '=', repository).where('number', '=', number);

/** An issue of any repository that the viewer may read. */
export const findReadableIssue = (db: Db, viewer: Viewer, id: Issue): Promise<IssueRow | undefined> =>
  db
    .selectFrom('issues')
    .selectAll()
    .where('id', '=', id)
    .where(
      sql<boolean>`repository_id in (select s.id from repositories s
        where s.has_issues and s.id in ${readableRepositoryIds(viewer, 'issues')})`,
    )
    .executeTakeFirst();

/**
 * Reads the issue again and locks its row against other changes. References to it don't wait, so that two issues that refer to
 * each other concurrently don't deadlock.
 */
export const findIssueForUpdate = (tx: Tx, { id }: Pick<IssueRow, 'id'>): Promise<IssueRow | undefined> =>
  tx.selectFrom('issues').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** The branches of a pull request. */
export const findEnds = (db: Db, issue: Issue) =>
  db
    .selectFrom('pull_requests')
    .select(['base_ref', 'head_ref', 'head_repository_id', 'head_sha', 'head_is_deleted'])
    .where('issue_id', '=', issue)
    .executeTakeFirst();

/** Whether another pull request between the same branches is open. */
export async function hasOpenTwin(db: Db, { id, repository_id }: Pick<IssueRow, 'id' | 'repository_id'>): Promise<boolean> {
  const { rows } = await sql`select from pull_requests p
    join pull_requests other on other.repository_id = p.repository_id and other.base_ref = p.base_ref
      and other.issue_id <> p.issue_id
      and other.head_repository_id = p.head_repository_id and other.head_ref = p.head_ref
    join issues i on i.id = other.issue_id and i.state = 'open'
    where p.issue_id = ${id} and p.repository_id = ${repository_id} limit 1`.execute(db);
  return rows.length > 0;
}

export const updateIssue = (tx: Tx, id: Issue, change: Updateable<DB['issues']>): Promise<IssueRow> =>
  tx.updateTable('issues').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/**
 * Sets the update time of issues, and returns the issues whose time was earlier. Their rows are locked in the order of their ids.
 */
export async function touchIssues(tx: Tx, ids: readonly Issue[], at: Date): Promise<Map<Issue, IssueRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .updateTable('issues')
    .set({ updated_at: at })
    .where(sql<boolean>`id in (select id from issues where id = any(${[...ids]}::bigint[]) order by id for no key update)`)
    .where('updated_at', '<', at)
    .returningAll()
    .execute();
  return keyed(rows, (row) => row.id);
}

/** Changes an issue's count of a kind of reaction. */
export const countIssueReaction = (tx: Tx, id: Issue, content: Content, by: 1 | -1) =>
  tx
    .updateTable('issues')
    .set({ reactions: changedCounts(content, by) })
    .where('id', '=', id)
    .execute();

export async function loadIssues(db: Db, ids: readonly Issue[]): Promise<Map<Issue, IssueRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('issues')
    .selectAll()
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .execute();
  return keyed(rows, (row) => row.id);
}

/** The columns for an issue's addresses. */
type NumberedIssue = Pick<IssueRow, 'id' | 'number' | 'is_pull_request'>;

export const issueNumbers: Loader<Issue, NumberedIssue> = ({ db }, ids) => loadIssues(db, ids);

/** The labels and assignees of an issue, its related issues, and whether it has values in fields of its organization. */
type Attached = { labels: LabelRow[]; assignees: Id<'accounts'>[]; related: Related[]; hasFieldValues: boolean };

type AttachedRow = {
  labels: LabelRow[];
  labelled: [Issue, Id<'labels'>][];
  assigned: [Issue, Id<'accounts'>][];
  related: Related[];
  with_values?: Issue[];
  associated?: [RepositoryId, Id<'accounts'>, Association][];
};

type ReadAttached = {
  readonly attached: Map<Issue, Attached>;
  readonly associations: readonly [RepositoryId, Id<'accounts'>, Association][];
};

/**
 * Reads in one statement. Each label comes once: all issues that have it share its row. `columns` are further ones of the
 * statement.
 */
async function readAttached(db: Db, issues: readonly Issue[], columns = sql``): Promise<ReadAttached> {
  const given = anyOf(issues);
  const { rows } = await sql<AttachedRow>`
    with labelled as materialized (select issue_id, label_id from issue_labels where issue_id = ${given})
    select
      coalesce((select json_agg(l order by lower(l.name)) from labels l
        where l.id in (select label_id from labelled)), '[]') as labels,
      coalesce((select json_agg(json_build_array(issue_id, label_id)) from labelled), '[]') as labelled,
      coalesce((select json_agg(json_build_array(issue_id, user_id) order by created_at, user_id) from issue_assignees
        where issue_id = ${given}), '[]') as assigned,
      ${relatedAsJson(given)} as related${columns}`.execute(db);
  const none = () => ({ labels: [], assignees: [], related: [], hasFieldValues: false });
  const attached = new Map(issues.map((id): [Issue, Attached] => [id, none()]));
  for (const { labels, labelled, assigned, related, with_values = [] } of rows) {
    const issuesWith = grouped(labelled, ([, label]) => label);
    for (const label of labels)
      for (const [issue] of getOrThrow(issuesWith, label.id)) getOrThrow(attached, issue).labels.push(label);
    for (const [issue, user] of assigned) getOrThrow(attached, issue).assignees.push(user);
    for (const one of related) getOrThrow(attached, one.issue).related.push(one);
    for (const issue of with_values) getOrThrow(attached, issue).hasFieldValues = true;
  }
  return { attached, associations: rows.flatMap(({ associated = [] }) => associated) };
}

const anyOf = (issues: readonly Issue[]) => sql`any(${[...issues]}::bigint[])`;

/** Labels, assignees and relations of a whole page of issues. */
export const loadAttached = async (db: Db, issues: readonly Issue[]): Promise<Map<Issue, Omit<Attached, 'hasFieldValues'>>> =>
  (await readAttached(db, issues)).attached;

/**
 * The same for issues that users opened in their own repositories. These have no fields, and the associations of their authors
 * are known.
 */
export const attachedToOwnIssues: Loader<Issue, Attached> = async ({ db }, issues) => (await readAttached(db, issues)).attached;

/** The same for any issues. Also finds the associations of their authors, so that they take no statement. */
export const attachedToIssues: Loader<Issue, Attached> = async ({ db, viewer, load }, issues) => {
  const given = anyOf(issues);
  const columns = sql`,
      coalesce((select json_agg(distinct issue_id) from issue_field_values where issue_id = ${given}), '[]') as with_values,
      coalesce((select json_agg(json_build_array(r.id, a.author, ${associationOf(viewer)}))
        from (select distinct repository_id, author_id as author from issues where id = ${given} and author_id is not null) a
          join repositories r on r.id = a.repository_id), '[]') as associated`;
  const { attached, associations } = await readAttached(db, issues, columns);
  load.prime(
    associationsOfAuthors,
    associations.map(([repository, author, association]) => [keyOf({ repository, author }), association]),
  );
  return attached;
};

const labelsOf = (db: Db, issue: Issue) =>
  db
    .selectFrom('issue_labels')
    .innerJoin('labels', 'labels.id', 'issue_labels.label_id')
    .selectAll('labels')
    .where('issue_labels.issue_id', '=', issue);

export const listIssueLabels = (db: Db, issue: Issue): Promise<LabelRow[]> =>
  labelsOf(db, issue).orderBy(sql`lower(labels.name)`).execute();

/** A label of an issue, by its name, regardless of case. */
export const findIssueLabel = (db: Db, issue: Issue, name: string): Promise<LabelRow | undefined> =>
  labelsOf(db, issue).where(sql<boolean>`lower(labels.name) = lower(${name})`).executeTakeFirst();

export const findIssueLabelById = (db: Db, issue: Issue, id: Id<'labels'>): Promise<LabelRow | undefined> =>
  labelsOf(db, issue).where('labels.id', '=', id).executeTakeFirst();

/** Adds labels to an issue. Returns the newly added ones, and the total number. */
export async function addLabels(tx: Tx, issue: Issue, labels: readonly LabelRow[]): Promise<Added<'labels'>> {
  if (labels.length === 0) return { added: [], total: 0 };
  const { rows } = await sql<{ id: Id<'labels'>; before: number }>`
    with added as (
      insert into issue_labels (issue_id, label_id) select ${issue}, l.id
      from unnest(${labels.map(({ id }) => id)}::bigint[]) as l (id)
      on conflict do nothing returning label_id as id
    )
    select id, (select count(*) from issue_labels where issue_id = ${issue}) as before from added`.execute(tx);
  return addedOf(rows);
}

/** The added ids, and the new total. The total is 0 if nothing was added. */
type Added<Table extends 'labels' | 'accounts'> = { added: Id<Table>[]; total: number };

/** The statement's own count doesn't include the rows that it inserts. */
const addedOf = <Table extends 'labels' | 'accounts'>(rows: readonly { id: Id<Table>; before: number }[]): Added<Table> => ({
  added: rows.map(({ id }) => id),
  total: rows.length + (rows[0]?.before ?? 0),
});

/** Removes labels from an issue. Returns the removed ones. */
export async function dropLabels(tx: Tx, issue: Issue, labels: readonly Id<'labels'>[]): Promise<Id<'labels'>[]> {
  if (labels.length === 0) return [];
  const rows = await tx
    .deleteFrom('issue_labels')
    .where('issue_id', '=', issue)
    .where('label_id', 'in', [...labels])
    .returning('label_id')
    .execute();
  return rows.map((row) => row.label_id);
}

export async function listAssignees(db: Db, issue: Issue): Promise<Id<'accounts'>[]> {
  const rows = await db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', issue).execute();
  return rows.map((row) => row.user_id);
}

/** Assigns users. Returns the newly assigned ones, and the total number. */
export async function addAssignees(tx: Tx, issue: Issue, users: readonly Account[], now: Date): Promise<Added<'accounts'>> {
  if (users.length === 0) return { added: [], total: 0 };
  const { rows } = await sql<{ id: Id<'accounts'>; before: number }>`
    with added as (
      insert into issue_assignees (issue_id, user_id, created_at)
      select ${issue}, u.id, ${now} from unnest(${users.map(({ id }) => id)}::bigint[]) as u (id)
      on conflict do nothing returning user_id as id
    )
    select id, (select count(*) from issue_assignees where issue_id = ${issue}) as before from added`.execute(tx);
  return addedOf(rows);
}

/** Unassigns users. Returns the users who were assigned. */
export async function dropAssignees(tx: Tx, issue: Issue, users: readonly Id<'accounts'>[]): Promise<Id<'accounts'>[]> {
  if (users.length === 0) return [];
  const rows = await tx
    .deleteFrom('issue_assignees')
    .where('issue_id', '=', issue)
    .where('user_id', 'in', [...users])
    .returning('user_id')
    .execute();
  return rows.map((row) => row.user_id);
}

type Authored = { repository: RepositoryId; author: Id<'accounts'> };
const keyOf = ({ repository, author }: Authored): string => `${repository} ${author}`;

/** The associations of authors with repositories, by keys of `keyOf`. A concealed membership is visible only to other members. */
const associationsOfAuthors: Loader<string, Association> = async ({ db, viewer }, keys) => {
  const authored = keys.map((key) => key.split(' ').map(Number) as [RepositoryId, Id<'accounts'>]);
  return findAssociations(
    db,
    viewer,
    authored.map(([repository, author]) => ({ repository, author })),
  );
};

/**
 * The associations of authors with repositories, for a whole page in one statement. Known owners of repositories need no
 * statement.
 */
export async function loadAssociations(
  { load }: Scope,
  authored: readonly Authored[],
): Promise<(of: { repository_id: RepositoryId; author_id: Id<'accounts'> | null }) => Association> {
  const isOwn = ({ repository, author }: Authored): boolean => load.loaded(namedRepositories, repository)?.owner_id === author;
  const associations = await load.all(associationsOfAuthors, authored.filter((one) => !isOwn(one)).map(keyOf));
  return ({ repository_id: repository, author_id: author }) => {
    if (author === null) return 'NONE';
    return isOwn({ repository, author }) ? 'OWNER' : (associations.get(keyOf({ repository, author })) ?? 'NONE');
  };
}

async function findAssociations(db: Db, viewer: Viewer, authored: readonly Authored[]): Promise<Map<string, Association>> {
  if (authored.length === 0) return new Map();
  const { rows } = await sql<Authored & { association: Association }>`
    select distinct r.id as repository, a.author, ${associationOf(viewer)} as association
    from unnest(${authored.map(({ repository }) => repository)}::bigint[], ${authored.map(({ author }) => author)}::bigint[])
      as a(repository, author) join repositories r on r.id = a.repository`.execute(db);
  return new Map(rows.map((row) => [keyOf(row), row.association]));
}

/** Associations that another statement has read, so that none is needed for them. */
export const primeAssociations = ({ load }: Scope, found: readonly (Authored & { readonly association: Association })[]): void =>
  load.prime(
    associationsOfAuthors,
    found.map((one) => [keyOf(one), one.association]),
  );

/** The association of the author `a` with the repository `r`, in a viewer's view. */
export const associationOf = (viewer: Viewer) => sql<Association>`case
  when r.owner_id = a.author then 'OWNER'
  when exists (select from memberships m where m.organization_id = r.owner_id and m.user_id = a.author
    and (m.public or ${belongsToOrganization(viewer, sql`m.organization_id`)})) then 'MEMBER'
  when exists (select from collaborators c where c.repository_id = r.id and c.user_id = a.author) then 'COLLABORATOR'
  else 'NONE' end`;

/** The number of open pull requests of a repository, as far as `most`. */
export async function countOpenPulls(db: Db, repository: Id<'repositories'>, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from (select from issues
    where repository_id = ${repository} and state = 'open' and is_pull_request limit ${most}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}
