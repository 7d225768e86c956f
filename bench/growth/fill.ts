import { sql } from 'kysely';
import { type Db, openDatabase } from '#database/connect.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { Change } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { createClassicToken } from '#resources/identity/tokens/index.ts';
import { analyserVersion, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { indexMissingIssues } from '#search/issues/index-issues.ts';
import { lexemeOf } from '#search/repositories/lexemes.ts';
import { wordsColumn } from '#search/words-column.ts';
import type { Stage } from '../search/stage.ts';

/** The numbers of resources in an installation. */
export type Size = { issues: number; repositories: number; members: number; threads: number };

/** The callers: `bench` owns the organization, and `reader` is an ordinary member of two of its teams. */
export type Filled = { tokens: { owner: string; reader: string } };

/** Equal in installations of all sizes: search results, the reader's assigned issues, and hooks. */
const same = { found: 40, assigned: 60, hooks: 3, collaborators: 5 };
const scopes = ['repo', 'admin:org', 'admin:org_hook', 'notifications'] as const;
const labels = 20;
const membersOfTeam = 50;
const repositoriesOfTeam = 20;
const threadedRepositories = 50;

/**
 * Fills an installation with statements, as if it had grown through requests: the organization `acme` with teams, members and
 * repositories, and its repository `engine` with all the issues. Issue 1 has as many comments as there are issues, issue 2 as
 * many events, and issue 3 half as many of each.
 */
export async function fill(stage: Stage, size: Size): Promise<Filled> {
  // A separate pool, since a server's pools end long statements.
  const database = openDatabase(stage.address);
  try {
    return await fillAll(stage, database.db, size);
  } finally {
    await database.close();
  }
}

async function fillAll(stage: Stage, db: Db, size: Size): Promise<Filled> {
  const id = stage.owner;
  const now = new Date();
  const doChange: Change = (work) => changeWithoutRequest({ db, services: stage.hearth.services, now }, work);
  const owner = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const organization = (await doChange((scope) => createOrganization(scope, { login: 'acme', owner, now }))).id;
  const reader = await stage.addAccount('reader');
  await fillMembers(db, { organization, reader, members: size.members });
  const engine = await stage.addRepository('engine');
  await sql`update repositories set owner_id = ${organization}, visibility = 'private' where id = ${engine.id}`.execute(db);
  await fillRepositories(db, { organization, repositories: size.repositories });
  await fillTeams(db, { organization, reader, members: size.members });
  await fillIssues(db, { repository: engine.id, reader, issues: size.issues });
  await fillDiscussions(db, { repository: engine.id, author: id, length: size.issues });
  await fillInbox(db, { organization, reader, threads: size.threads });
  await sql`
    insert into webhooks (organization_id, url, events, content_type, base_url, active, created_at, updated_at)
    select ${organization}::bigint, 'http://127.0.0.1:9/' || n, '{push}', 'json', 'http://hearth.example', false, now(), now()
    from generate_series(1, ${same.hooks}::integer) n`.execute(db);
  await indexMissingIssues(db);
  await indexRepositories(db);
  await sql`vacuum analyze`.execute(db);
  const tokenOf = async (account: Id<'accounts'>): Promise<string> => {
    const user = await db.selectFrom('accounts').selectAll().where('id', '=', account).executeTakeFirstOrThrow();
    return (await doChange((scope) => createClassicToken(scope, { user, scopes, name: '', now }))).token;
  };
  return { tokens: { owner: await tokenOf(id), reader: await tokenOf(reader) } };
}

type Members = { organization: Id<'accounts'>; reader: Id<'accounts'>; members: number };

/** Every tenth membership is public. */
async function fillMembers(db: Db, { organization, reader, members }: Members): Promise<void> {
  await sql`
    with made as (
      insert into accounts (kind, login, created_at, updated_at)
      select 'user', 'member-' || n, now(), now() from generate_series(1, ${members}::integer) n returning id
    )
    insert into memberships (organization_id, user_id, role, public, created_at)
    select ${organization}::bigint, id, 'member', id % 10 = 0, now() from made
    union all select ${organization}, ${reader}::bigint, 'member', false, now()`.execute(db);
}

/** One repository in three is public. Every fifth is older than its predecessor by name. */
async function fillRepositories(db: Db, { organization, repositories }: { organization: Id<'accounts'>; repositories: number }) {
  await sql`
    insert into repositories (owner_id, name, description, visibility, open_issues_count, next_issue_number, created_at,
      updated_at, pushed_at)
    select ${organization}::bigint, 'part-' || n,
      case when n % (${repositories}::integer / ${same.found}::integer) = 0 then 'The valve of a pump'
        else 'A part of the engine' end,
      case n % 3 when 0 then 'public' else 'private' end, 1, 2, at, at, at
    from generate_series(1, ${repositories}::integer) n, lateral (select now() - n * interval '1 minute' as at) t`.execute(db);
  await sql`
    insert into issues (repository_id, number, title, body, created_at, updated_at)
    select id, 1, 'It squeaks', 'Not when it is oiled.', created_at, updated_at from repositories
    where owner_id = ${organization} and name like 'part-%'`.execute(db);
}

/** Every member is in a team. The reader is in two, and has roles in some repositories. */
async function fillTeams(db: Db, { organization, reader, members }: Members): Promise<void> {
  const teams = Math.ceil(members / membersOfTeam);
  await sql`
    with ids as (select nextval(pg_get_serial_sequence('teams', 'id')) as id, n from generate_series(1, ${teams}::integer) n)
    insert into teams (id, organization_id, ancestors, slug, name, privacy, created_at, updated_at) overriding system value
    select id, ${organization}::bigint, array[id], 'team-' || n, 'Team ' || n, 'closed', now(), now() from ids`.execute(db);
  await sql`
    insert into team_members (team_id, user_id, role, created_at)
    select t.id, m.user_id, 'member', now() from (select id, row_number() over (order by id) as n from teams) t
    join (select user_id, row_number() over (order by user_id) as n from memberships where organization_id = ${organization}) m
      on m.n % ${teams}::integer = t.n - 1
    union select id, ${reader}::bigint, 'member', now() from (select id from teams order by id limit 2) few`.execute(db);
  await sql`
    insert into team_repositories (team_id, repository_id, role, created_at)
    select t.id, r.id, 'write', now() from (select id, row_number() over (order by id) as n from teams) t
    join (select id, row_number() over (order by id) as n from repositories where owner_id = ${organization}) r
      on r.n % ${teams}::integer between t.n - 1 and t.n and r.n <= ${repositoriesOfTeam * teams}::integer`.execute(db);
  await sql`
    insert into collaborators (repository_id, user_id, role, created_at)
    select (select id from repositories where name = 'engine'), a.id, 'write', now()
    from accounts a where login like 'member-%' order by a.id limit ${same.collaborators}`.execute(db);
}

/**
 * Issues by many people, with three labels each. Seven of ten are open, and one in five is assigned. The number of issues that
 * are assigned to the reader, and that contain a certain word, is the same in all sizes. Half of the issues have a comment.
 */
async function fillIssues(
  db: Db,
  { repository, reader, issues }: { repository: Id<'repositories'>; reader: Id<'accounts'>; issues: number },
): Promise<void> {
  await sql`
    insert into labels (repository_id, name, color)
    select ${repository}::bigint, 'area ' || n, 'd73a4a' from generate_series(1, ${labels}::integer) n`.execute(db);
  await sql`
    with people as (select array_agg(id) as ids from accounts where login like 'member-%')
    insert into issues (repository_id, number, title, body, author_id, state, comments_count, closed_at, created_at, updated_at)
    select ${repository}::bigint, n,
      case when n % (${issues}::integer / ${same.found}::integer) = 0 then 'The valve of number ' || n
        else 'Number ' || n || ' leaks' end,
      'It does so after an hour of rain, and stops when it is dry.', ids[1 + n % cardinality(ids)],
      case when closed then 'closed' else 'open' end, n % 2, case when closed then at end, at, at + n % 97 * interval '1 hour'
    from people, generate_series(1, ${issues}::integer) n,
      lateral (select now() - (${issues}::integer - n) * interval '1 minute' as at, n % 10 in (3, 6, 9) as closed) t`.execute(db);
  await sql`
    insert into issue_labels (issue_id, label_id)
    select i.id, l.id from issues i
    join (select id, row_number() over (order by id) as n from labels where repository_id = ${repository}) l
      on l.n - 1 in (i.number % ${labels}::integer, (i.number + 7) % ${labels}::integer, (i.number + 11) % ${labels}::integer)
    where i.repository_id = ${repository}`.execute(db);
  await sql`
    insert into issue_assignees (issue_id, user_id, created_at)
    select id, author_id, now() from issues where repository_id = ${repository} and number % 5 = 0
    union select id, ${reader}::bigint, now() from issues
    where repository_id = ${repository} and number % (${issues}::integer / ${same.assigned}::integer) = 0`.execute(db);
  await sql`
    insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
    select repository_id, id, author_id, 'It does so here, too.', updated_at, updated_at
    from issues where repository_id = ${repository} and comments_count > 0 order by updated_at`.execute(db);
  await sql`
    update repositories set next_issue_number = ${issues + 1},
      open_issues_count = (select count(*) from issues where repository_id = ${repository} and state = 'open')
    where id = ${repository}`.execute(db);
}

/** Long lists below issues 1, 2 and 3. */
async function fillDiscussions(
  db: Db,
  { repository, author, length }: { repository: Id<'repositories'>; author: Id<'accounts'>; length: number },
): Promise<void> {
  const issue = (number: number) => sql`(select id from issues where repository_id = ${repository} and number = ${number})`;
  const at = sql`timestamptz '2026-01-01' + n * interval '1 second'`;
  for (const [number, count] of [
    [1, length],
    [3, length / 2],
  ] as const)
    await sql`
      with said as (
        insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
        select ${repository}::bigint, ${issue(number)}, ${author}::bigint, 'It does so here, too.', ${at}, ${at}
        from generate_series(1, ${count}::integer) n
      )
      update issues set comments_count = comments_count + ${count}::integer where id = ${issue(number)}`.execute(db);
  for (const [number, count] of [
    [2, length],
    [3, length / 2],
  ] as const)
    await sql`
      insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
      select ${repository}::bigint, ${issue(number)}, ${author}::bigint, 'labeled',
        '{"label": {"name": "area 1", "color": "d73a4a"}}', ${at}
      from generate_series(1, ${count}::integer) n`.execute(db);
}

/** The reader's threads, about issues of some repositories. */
async function fillInbox(
  db: Db,
  { organization, reader, threads }: { organization: Id<'accounts'>; reader: Id<'accounts'>; threads: number },
): Promise<void> {
  await sql`
    with told as (select id from repositories where owner_id = ${organization} and name like 'part-%'
      order by id limit ${threadedRepositories}),
    opened as (
      insert into issues (repository_id, number, title, state, created_at, updated_at)
      select id, n + 1, 'Number ' || n, 'closed', now(), now()
      from told, generate_series(1, ${Math.ceil(threads / threadedRepositories)}::integer) n returning id, repository_id, number
    ), subjects as (
      insert into notification_subjects (repository_id, kind, issue_id)
      select repository_id, 'issue', id from opened returning id, repository_id, issue_id
    )
    insert into notification_threads (account_id, repository_id, subject_id, reason, event_id, unread, updated_at)
    select ${reader}::bigint, s.repository_id, s.id, 'subscribed', 0, number % 2 = 0, now() - number * interval '1 minute'
    from subjects s join opened on opened.id = s.issue_id`.execute(db);
  await sql`update repositories r set next_issue_number = i.next
    from (select repository_id, max(number) + 1 as next from issues group by 1) i where i.repository_id = r.id`.execute(db);
}

/** Writes the words of names and descriptions into the index, as `indexRepositoryWords` does for one repository. */
async function indexRepositories(db: Db): Promise<void> {
  const rows = await db.selectFrom('repositories').select(['id', 'name', 'description']).execute();
  const words = (text: string, field: 'name' | 'description') =>
    [...new Set(identifiersOf(text).flatMap(lexemesOf))].map(lexemeOf[field]);
  const columns = rows.map(({ name, description }) =>
    wordsColumn([...words(name, 'name'), ...words(description ?? '', 'description')]),
  );
  await sql`
    insert into repository_words (repository_id, analyser, readme, words)
    select id, ${analyserVersion}, '', words
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${columns}::text[]) as w (id, words)`.execute(db);
}
