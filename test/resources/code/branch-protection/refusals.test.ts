import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { fixedValue } from '#lib/limits.ts';
import { protectionLimits } from '#resources/code/branch-protection/limits.ts';
import { point } from '#test/resources/code/commits/setting.ts';
import { everything, nothing } from './bodies.ts';
import { app, collaborator, setting, team } from './setting.ts';

const tables = ['branch_protections', 'branch_protection_actors', 'events'];
const long = 'x'.repeat(256);
const many = Array.from({ length: 101 }, (_, at) => `${at}`);
const checks = (required: object) => ({ ...nothing, required_status_checks: { strict: true, ...required } });
const reviews = (required: object) => ({ ...nothing, required_pull_request_reviews: required });

const here = await setting();
await here.client.put(here.base, everything);
const reader = await collaborator(here, 'read');
const writer = await collaborator(here);
const readers = await team(here, 'pull');
const reading = await app(here, { contents: 'read' });

test.each([
  ['a body without a demanded part', { required_status_checks: null, enforce_admins: null, restrictions: null }],
  ['a text for a switch', { ...nothing, allow_deletions: 'yes' }],
  ['no word about strictness', { ...nothing, required_status_checks: { contexts: [] } }],
  ['an empty context', checks({ contexts: [''] })],
  ['a long context', checks({ checks: [{ context: long }] })],
  ['too many contexts', checks({ contexts: many })],
  [
    'too many contexts with the checks',
    checks({ contexts: many.slice(0, 60), checks: many.slice(60).map((context) => ({ context })) }),
  ],
  ['an app that there is not', checks({ checks: [{ context: 'build', app_id: 987_654 }] })],
  ['no app', checks({ checks: [{ context: 'build', app_id: 0 }] })],
  ['too many reviews', reviews({ required_approving_review_count: 7 })],
  ['a negative number of reviews', reviews({ required_approving_review_count: -1 })],
  ['an unknown user', { ...nothing, restrictions: { users: ['nobody-at-all'] } }],
  ['an unknown team', { ...nothing, restrictions: { teams: ['nobody-at-all'] } }],
  ['an unknown app', { ...nothing, restrictions: { apps: ['nobody-at-all'] } }],
  ['a user who may only read', { ...nothing, restrictions: { users: [reader.login] } }],
  ['a team that may only read', reviews({ dismissal_restrictions: { teams: [readers] } })],
  ['an app that may only read', reviews({ bypass_pull_request_allowances: { apps: [reading.slug] } })],
  ['an organization in the place of a user', { ...nothing, restrictions: { users: [here.owner.login] } }],
])('%s is refused by the whole protection, and changes nothing', async (_, body) => {
  await here.w.unchanged(tables, async () => {
    const { status, body: told } = await here.client.put(here.base, body);
    expect(status).toBe(422);
    expect(told.message).not.toBe('');
  });
});

test.each([
  ['PATCH', 'required_pull_request_reviews', { required_approving_review_count: 7 }],
  ['PATCH', 'required_pull_request_reviews', { dismissal_restrictions: { users: ['nobody-at-all'] } }],
  ['PATCH', 'required_status_checks', { strict: 'yes' }],
  ['PATCH', 'required_status_checks', { checks: [{ context: 'build', app_id: 987_654 }] }],
  ['POST', 'required_status_checks/contexts', { contexts: many }],
  ['POST', 'required_status_checks/contexts', { contexts: many.slice(0, 100) }],
  ['POST', 'required_status_checks/contexts', {}],
  ['PUT', 'required_status_checks/contexts', { users: ['x'] }],
  ['DELETE', 'required_status_checks/contexts', [1]],
  ['POST', 'restrictions/users', ['nobody-at-all']],
  ['POST', 'restrictions/users', { users: [reader.login] }],
  ['PUT', 'restrictions/teams', [readers]],
  ['PUT', 'restrictions/teams', { users: [] }],
  ['POST', 'restrictions/apps', [reading.slug]],
  ['DELETE', 'restrictions/apps', {}],
] as const)('%s %s refuses %j, and changes nothing', async (method, part, body) => {
  const word = method.toLowerCase() as 'patch' | 'post' | 'put' | 'delete';
  await here.w.unchanged(tables, async () => {
    expect((await here.client[word](`${here.base}/${part}`, body)).status).toBe(422);
  });
});

test('names who is not among those that may write', async () => {
  const { body } = await here.client.post(`${here.base}/restrictions/users`, [reader.login, 'Nobody', writer.login]);
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    `${reader.login} isn't one of the users that may write to the repository`,
    "nobody isn't one of the users that may write to the repository",
  ]);
});

test("a user's own repository has no lists of people and teams", async () => {
  const { client, base, w } = await setting('user');
  for (const body of [
    { ...nothing, restrictions: { users: [], teams: [] } },
    reviews({ dismissal_restrictions: { users: [] } }),
    reviews({ bypass_pull_request_allowances: { users: [] } }),
  ])
    await w.unchanged(tables, async () =>
      expect(await client.put(base, body)).toMatchObject({
        status: 422,
        body: { message: 'Only organization repositories can have users and team restrictions' },
      }),
    );
  expect((await client.put(base, reviews({ dismissal_restrictions: {} }))).status).toBe(200);
});

test('a branch that is not there has no protection, whatever is asked', async () => {
  const { client, path } = here;
  const base = `${path}/branches/none/protection`;
  for (const reply of [
    await client.get(base),
    await client.put(base, nothing),
    await client.delete(base),
    await client.get(`${base}/enforce_admins`),
    await client.post(`${base}/restrictions/users`, []),
  ])
    expect(reply).toMatchObject({ status: 404, body: { message: 'Branch not found' } });
});

test('administrators alone read and change protections; all who may read a branch see whether it has one', async () => {
  const { client, base, path, w, repo, owner, user } = here;
  for (const who of [writer, reader, undefined]) {
    const other = await w.as(who);
    expect((await other.get(base)).status).toBe(who ? 404 : 401);
    expect((await other.put(base, nothing)).status).toBe(who ? 403 : 401);
    expect((await other.get(`${path}/branches/main`)).body.protected).toBe(true);
  }
  const read = await w.as(await w.fineGrained(user, owner, { administration: 'read' }, [repo]));
  expect((await read.get(base)).status).toBe(200);
  expect((await read.post(`${base}/enforce_admins`)).status).toBe(403);
  expect((await client.get(base)).status).toBe(200);
});

test('a list has a limited number of actors', async () => {
  const { client, base, w } = await setting();
  await client.put(base, everything);
  const protection = await w.db
    .selectFrom('branch_protections')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const most = fixedValue(protectionLimits.protectionActors);
  const users = await Promise.all(Array.from({ length: most }, () => w.user()));
  await w.db
    .insertInto('branch_protection_actors')
    .values(users.map(({ id }) => ({ protection_id: protection.id, list: 'push', user_id: id })))
    .execute();
  const owner = (await client.get('/user')).body.login;
  expect((await client.post(`${base}/restrictions/users`, [owner])).body.message).toContain(String(most));
  expect((await client.put(`${base}/restrictions/users`, [owner])).status).toBe(200);
});

test('a repository has a limited number of protected branches', async () => {
  const { client, base, w, repo } = await setting();
  const most = fixedValue(protectionLimits.protections);
  const { id: _, ...row } = await w.db.selectFrom('branch_protections').selectAll().limit(1).executeTakeFirstOrThrow();
  const rows = Array.from({ length: most }, (_, at) => ({
    ...row,
    status_checks: null,
    reviews: null,
    repository_id: repo.id,
    branch: `b${at}`,
  }));
  await w.db.insertInto('branch_protections').values(rows).execute();
  expect((await client.put(base, nothing)).body.message).toContain(String(most));
});

test('of concurrent requests for a branch without a protection, one makes it', async () => {
  const { client, base, w } = await setting();
  const replies = await Promise.all(
    [1, 2, 3].map((count) => client.put(base, reviews({ required_approving_review_count: count }))),
  );
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const repository = w.db.selectFrom('events').select('kind').where('kind', 'like', 'branch_protection.%');
  const kinds = (await repository.orderBy('id', 'desc').limit(3).execute()).map(({ kind }) => kind);
  expect(kinds.sort()).toEqual(['branch_protection.created', 'branch_protection.edited', 'branch_protection.edited']);
});

test('concurrent changes of a list all stay', async () => {
  const { client, base } = await setting();
  await client.put(base, everything);
  const contexts = ['a', 'b', 'c', 'd'];
  await Promise.all(contexts.map((context) => client.post(`${base}/required_status_checks/contexts`, [context])));
  expect((await client.get(`${base}/required_status_checks/contexts`)).body.sort()).toEqual([...contexts, 'build'].sort());
});

test('a list of branches costs the same for one protection and for many, and a protection for one actor and for many', async () => {
  const mine = await setting();
  const { client, base, path, repo, oids, w, user } = mine;
  await client.put(base, nothing);
  const asked = [`${path}/branches`, `${path}/branches?protected=true`, `${path}/branches/main`];
  const few = await Promise.all(asked.map((address) => w.statements(user, address)));
  for (const name of ['a', 'b', 'c', 'd']) {
    await point(w, repo, `refs/heads/${name}`, oids[0] ?? '');
    await client.put(`${path}/branches/${name}/protection`, checks({ contexts: ['build'] }));
  }
  expect(await Promise.all(asked.map((address) => w.statements(user, address)))).toEqual(few);

  const token = await w.token(user);
  const filled = async (count: number) => {
    const users = await Promise.all(Array.from({ length: count }, async () => (await collaborator(mine)).login));
    const teams = await Promise.all(Array.from({ length: count }, () => team(mine)));
    const apps = await Promise.all(Array.from({ length: count }, async () => (await app(mine)).slug));
    const body = { ...nothing, restrictions: { users, teams, apps } };
    const headers = { authorization: `Bearer ${token}` };
    const url = `/api/v3${base}`;
    const put = await countStatements(() => w.hearth.app.inject({ method: 'PUT', url, headers, payload: body }));
    expect(put.result.statusCode).toBe(200);
    return { put: put.statements.length, get: await w.statements(user, base) };
  };
  await filled(2); // notes the first use of the token, which is not counted
  const one = await filled(1);
  expect(await filled(4)).toEqual(one);
  expect(one).toEqual({ put: 16, get: 7 });
});
