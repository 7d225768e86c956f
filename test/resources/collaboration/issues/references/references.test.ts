import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { findIssueForUpdate } from '#resources/collaboration/issues/store.ts';
import { createTeam, setTeamMember, setTeamRole } from '#resources/identity/teams/rules.ts';
import { commitFiles } from '#test/support/commit.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, member, repo, collaborator, db, url, clock } = w;

type Entry = {
  id: number;
  event: string;
  actor: { login: string } | null;
  source?: { issue: { number: number; title: string } };
};

const pathOf = (repository: RepositoryRow & { owner: Account }) => `/repos/${repository.owner.login}/${repository.name}`;

/** A repository of a new owner, with that owner's client. */
async function place(visibility: 'public' | 'private' = 'public') {
  const owner = await user();
  const repository = await repo(owner, { visibility });
  return { owner, repository, path: pathOf(repository), client: await as(owner) };
}

const actorsOf = (entries: Entry[]) => entries.map(({ event, actor }) => [event, actor?.login]);

/** What the rows say that a text refers to. */
const rowsOf = async (repository: RepositoryRow) =>
  (
    await sql<{ kind: string; to: string; comment: boolean; closes: boolean }>`
      select t.kind, coalesce(a.login, m.slug, i.title, t.target_sha) as to, t.comment_id is not null as comment, t.closes
      from text_references t left join accounts a on a.id = t.account_id left join teams m on m.id = t.team_id
        left join issues i on i.id = t.target_issue_id
      where t.repository_id = ${repository.id} order by t.id`.execute(db)
  ).rows.map(({ kind, to, comment, closes }) => `${kind} ${to}${comment ? ' in a comment' : ''}${closes ? ' closes' : ''}`);

test('those whom a text mentions are mentioned and subscribed once, as the actors of the events', async () => {
  const { path, client, repository } = await place();
  const [ada, bob] = [await user(fresh('ada')), await user(fresh('bob'))];
  await client.post(`${path}/issues`, { title: 'It stalls', body: `@${ada.login}, \`@${bob.login}\` and @nobody-has-this` });
  await client.post(`${path}/issues/1/comments`, { body: `@${ada.login.toUpperCase()} and @${bob.login}` });
  const { body } = await client.get(`${path}/issues/1/events`);
  expect(actorsOf(body)).toEqual([
    ['mentioned', ada.login],
    ['subscribed', ada.login],
    ['mentioned', bob.login],
    ['subscribed', bob.login],
  ]);
  expect(body[0]).toMatchObject({ commit_id: null, commit_url: null, performed_via_service_app: null });
  expect(await rowsOf(repository)).toEqual([
    `mention ${ada.login}`,
    expect.stringMatching(/in a comment$/),
    expect.stringMatching(/in a comment$/),
  ]);
});

test('only who may read the repository is mentioned, and of teams only those whose members may', async () => {
  const [owner, inside, outside, helper] = [await user(), await user(), await user(), await user()];
  const acme = await org(owner);
  await member(acme, inside);
  const engine = await repo(acme, { by: owner, visibility: 'private' });
  await db
    .updateTable('organizations')
    .set({ default_repository_permission: 'none' })
    .where('account_id', '=', acme.id)
    .execute();
  await collaborator(engine, helper, 'read');
  const client = await as(owner);
  const [readers, hidden] = await w.change(async (scope) => {
    const actor = { by: owner.id, now: clock.now };
    const make = async (name: string, privacy: 'closed' | 'secret') => {
      const team = await createTeam(scope, { ...actor, org: acme, wanted: { name, privacy } });
      await setTeamMember(scope, { ...actor, team, user: inside, role: 'member' });
      return team;
    };
    return [await make('readers', 'closed'), await make('hidden', 'secret')] as const;
  });
  const texts = {
    title: 'Who?',
    body: `@${inside.login} @${outside.login} @${helper.login} @${acme.login} @${acme.login}/readers`,
  };
  await client.post(`${pathOf(engine)}/issues`, texts);
  expect(await rowsOf(engine)).toEqual([`mention ${helper.login}`]);

  await w.change((scope) =>
    setTeamRole(scope, { by: owner.id, now: clock.now, team: readers, repository: engine, role: 'read' }),
  );
  const everybody = `@${inside.login} @${acme.login}/readers @${acme.login}/hidden @${acme.login}/none @other/readers`;
  await (await as(helper)).post(`${pathOf(engine)}/issues/1/comments`, { body: everybody });
  expect((await rowsOf(engine)).slice(1).sort()).toEqual([`mention ${inside.login} in a comment`, 'team readers in a comment']);
  // Who may see a secret team mentions it.
  expect(hidden.privacy).toBe('secret');
  await client.post(`${pathOf(engine)}/issues/1/comments`, { body: `@${acme.login}/hidden` });
  expect((await rowsOf(engine)).at(-1)).toBe('team hidden in a comment');
});

test('an issue is cross-referenced once by each other issue, in its timeline alone', async () => {
  const { path, client, owner, repository } = await place();
  await client.post(`${path}/issues`, { title: 'First' });
  await client.post(`${path}/issues`, {
    title: 'Second',
    body: `As in #1, #2 and #99. Fixes ${owner.login}/${repository.name}#1`,
  });
  await client.post(`${path}/issues/2/comments`, { body: `${url}${path.replace('/repos', '')}/issues/1` });
  const { body } = await client.get(`${path}/issues/1/timeline`);
  expect(body).toMatchObject([
    {
      event: 'cross-referenced',
      actor: { login: owner.login },
      source: { type: 'issue', issue: { number: 2, title: 'Second', repository: { full_name: path.slice('/repos/'.length) } } },
    },
  ]);
  expect(Object.keys(body[0]).sort()).toEqual(['actor', 'created_at', 'event', 'source', 'updated_at']);
  for (const list of ['issues/1/events', 'issues/events', 'issues/2/timeline?per_page=1'])
    expect((await client.get(`${path}/${list}`)).body.filter(({ event }: Entry) => event !== 'commented')).toEqual([]);
  const { id } = await db
    .selectFrom('issue_events')
    .select('id')
    .where('repository_id', '=', repository.id)
    .executeTakeFirstOrThrow();
  expect((await client.get(`${path}/issues/events/${id}`)).status).toBe(404);
  expect(await rowsOf(repository)).toEqual(['issue First closes', 'issue First in a comment']);
});

test('nobody learns of a private issue by a reference, and nobody refers to what they may not read', async () => {
  const open = await place();
  const secret = await place('private');
  const reader = await user();
  await open.client.post(`${open.path}/issues`, { title: 'Public' });
  await secret.client.post(`${secret.path}/issues`, { title: 'Secret' });
  const before = (await open.client.get(`${open.path}/issues/1`)).body;
  clock.now = new Date(clock.now.getTime() + 60_000);
  const reference = `${open.path.slice('/repos/'.length)}#1`;
  await secret.client.post(`${secret.path}/issues/1/comments`, { body: `See ${reference}` });

  const timeline = async (who: Account | undefined) => (await as(who)).get(`${open.path}/issues/1/timeline?per_page=1`);
  expect((await timeline(secret.owner)).body).toMatchObject([
    { event: 'cross-referenced', source: { issue: { title: 'Secret' } } },
  ]);
  for (const who of [open.owner, reader, undefined]) {
    const { body, headers } = await timeline(who);
    expect([body, headers.link]).toEqual([[], undefined]);
  }
  // A token that doesn't hold the secret repository sees as little, though its holder may read it.
  const token = await w.fineGrained(secret.owner, secret.owner, { issues: 'read' }, []);
  expect((await (await as(token)).get(`${open.path}/issues/1/timeline`)).body).toEqual([]);
  expect((await open.client.get(`${open.path}/issues/1`)).body.updated_at).toBe(before.updated_at);

  await collaborator(secret.repository, reader, 'read');
  expect((await timeline(reader)).body).toHaveLength(1);
  await secret.client.patch(secret.path, { has_issues: false });
  expect((await timeline(reader)).body).toEqual([]);

  await open.client.post(`${open.path}/issues`, { title: 'Guess', body: `${secret.path.slice('/repos/'.length)}#1` });
  expect(await rowsOf(open.repository)).toEqual([]);
});

test('an edit keeps the rows in step, and only what is new has events', async () => {
  const { path, client, repository } = await place();
  const [ada, bob] = [await user(fresh('ada')), await user(fresh('bob'))];
  for (const title of ['One', 'Two', 'Three']) await client.post(`${path}/issues`, { title });
  await client.patch(`${path}/issues/3`, { body: `@${ada.login} #1` });
  await client.patch(`${path}/issues/3`, { body: `@${ada.login} @${bob.login}, fixes #2` });
  expect((await rowsOf(repository)).sort()).toEqual(['issue Two closes', `mention ${ada.login}`, `mention ${bob.login}`]);
  await client.patch(`${path}/issues/3`, { body: `see #2, @${bob.login}` });
  expect((await rowsOf(repository)).sort()).toEqual(['issue Two', `mention ${bob.login}`]);
  const { body: comment } = await client.post(`${path}/issues/3/comments`, { body: `@${bob.login}` });
  await client.patch(`${path}/issues/comments/${comment.id}`, { body: 'Nobody' });
  await client.patch(`${path}/issues/3`, { body: null });
  expect(await rowsOf(repository)).toEqual([]);
  const { body } = await client.get(`${path}/issues/3/events`);
  expect(body.map(({ event, actor }: Entry) => `${event} ${actor?.login}`).sort()).toEqual(
    ['mentioned', 'subscribed'].flatMap((event) => [`${event} ${ada.login}`, `${event} ${bob.login}`]),
  );
  expect((await client.get(`${path}/issues/1/timeline`)).body).toHaveLength(1);
});

test('a commit that is known is referred to by the beginning of its id', async () => {
  const { path, client, repository } = await place();
  const oid = await commitFiles(w, repository, { 'a.txt': 'a' });
  await w.settle();
  await client.post(`${path}/issues`, { title: 'Since when?', body: `Since ${oid.slice(0, 9)}, not 1234567` });
  expect(await rowsOf(repository)).toEqual([`commit ${oid}`]);
});

test('a text takes no statement more unless it refers to something, and as many for one reference as for many', async () => {
  const { path, client, owner } = await place();
  const people = await Promise.all(Array.from({ length: 8 }, () => user()));
  await client.post(`${path}/issues`, { title: 'First' });
  const token = await w.token(owner);
  const statementsOf = async (body: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const payload = { body };
    const url = `/api/v3${path}/issues/1/comments`;
    const { result, statements } = await countStatements(() => w.hearth.app.inject({ method: 'POST', url, headers, payload }));
    expect(result.statusCode).toBe(201);
    return statements;
  };
  await statementsOf('The token is used for the first time');
  const plain = await statementsOf('Nothing but **words**.');
  expect(plain.filter((statement) => statement.includes('text_references'))).toEqual([]);
  const one = await statementsOf(`@${people[0]?.login}`);
  expect(one.length).toBe(plain.length + 3);
  expect((await statementsOf(people.map(({ login }) => `@${login}`).join(' '))).length).toBe(one.length);
});

test('of a thousand mentions a hundred count', async () => {
  const { path, client, repository } = await place();
  const { rows } = await sql<{ login: string }>`
    insert into accounts (kind, login, created_at, updated_at)
    select 'user', 'crowd-' || n, now(), now() from generate_series(1, 1000) n returning login`.execute(db);
  const reply = await client.post(`${path}/issues`, { title: 'All', body: rows.map(({ login }) => `@${login}`).join(' ') });
  expect(reply.status).toBe(201);
  expect(await rowsOf(repository)).toHaveLength(100);
  expect((await client.get(`${path}/issues/1/events?per_page=100&page=2`)).body).toHaveLength(100);
});

test('two issues that refer to each other at once do not wait for each other', async () => {
  const { path, client } = await place();
  for (const title of ['One', 'Two']) await client.post(`${path}/issues`, { title });
  const { id } = (await client.get(`${path}/issues/2`)).body;
  await w.change(async (scope) => {
    // As a request that changes the second issue and hasn't ended.
    await findIssueForUpdate(scope.tx, { id });
    expect((await client.post(`${path}/issues/1/comments`, { body: 'See #2' })).status).toBe(201);
  });
  expect((await client.get(`${path}/issues/2/timeline`)).body).toHaveLength(1);
});
