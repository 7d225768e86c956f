import { sql } from 'kysely';
import type { Id, RepositoryId } from '#lib/id.ts';
import { indexIssues } from '#search/issues/index-issues.ts';
import { searchIssues } from '#search/issues/search.ts';
import { parse } from '#search/query/parser.ts';
import { startBudget } from '#search/result.ts';
import type { SearchFixture } from '#test/search/support.ts';

export type Wanted = Partial<{
  title: string;
  body: string;
  by: Id<'accounts'>;
  state: 'open' | 'closed';
  reason: 'completed' | 'reopened' | 'not_planned' | 'duplicate';
  locked: boolean;
  labels: string[];
  milestone: string;
  assignees: Id<'accounts'>[];
  comments: { body: string; by?: Id<'accounts'> }[];
  reactions: Record<string, number>;
  created: string;
  updated: string;
  closed: string;
}>;

let number = 0;

/** Writes an issue as it stands in the tables, and indexes it. */
export async function writeIssue({ db }: SearchFixture, repository: RepositoryId, wanted: Wanted): Promise<Id<'issues'>> {
  const created_at = new Date(wanted.created ?? '2024-01-01T00:00:00Z');
  const times = { created_at, updated_at: new Date(wanted.updated ?? created_at) };
  const place = { repository_id: repository };
  number += 1;
  const milestone_id = wanted.milestone === undefined ? null : await milestone(db, repository, wanted.milestone);
  const { id } = await db
    .insertInto('issues')
    .values({
      ...place,
      ...times,
      number,
      title: wanted.title ?? 'Something else',
      body: wanted.body ?? null,
      author_id: wanted.by ?? null,
      state: wanted.state ?? 'open',
      state_reason: wanted.reason ?? null,
      locked: wanted.locked ?? false,
      milestone_id,
      comments_count: wanted.comments?.length ?? 0,
      reactions: JSON.stringify(wanted.reactions ?? {}),
      closed_at: wanted.closed === undefined ? null : new Date(wanted.closed),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { body, by } of wanted.comments ?? [])
    await db
      .insertInto('issue_comments')
      .values({ ...place, ...times, issue_id: id, body, author_id: by ?? null })
      .execute();
  for (const name of wanted.labels ?? []) {
    await sql`insert into labels (repository_id, name, color) values (${repository}, ${name}, '000000')
      on conflict do nothing`.execute(db);
    await sql`insert into issue_labels select ${id}, id from labels
      where repository_id = ${repository} and lower(name) = lower(${name})`.execute(db);
  }
  for (const user_id of wanted.assignees ?? [])
    await db.insertInto('issue_assignees').values({ issue_id: id, user_id, created_at }).execute();
  await indexIssues(db, [id]);
  return id;
}

async function milestone(db: SearchFixture['db'], repository: RepositoryId, title: string): Promise<Id<'milestones'>> {
  const at = new Date('2024-01-01T00:00:00Z');
  const found = await db
    .selectFrom('milestones')
    .select('id')
    .where('repository_id', '=', repository)
    .where('title', '=', title)
    .executeTakeFirst();
  number += 1;
  const row = { repository_id: repository, number, title, created_at: at, updated_at: at };
  return (found ?? (await db.insertInto('milestones').values(row).returning('id').executeTakeFirstOrThrow())).id;
}

export type Options = Partial<Omit<Parameters<typeof searchIssues>[1], 'query'>>;

const open = sql`(select id from repositories where visibility = 'public')`;

/** Searches what is public, unless told otherwise. */
export const searchIn = ({ db }: SearchFixture, q: string, options: Options = {}) =>
  searchIssues(db, {
    query: parse('issues', q, { advanced: options.advanced === true }),
    visible: open,
    page: { limit: 30, offset: 0, number: 1 },
    budget: startBudget(60_000),
    ...options,
  });
