// A path is found along with the credential, by what is remembered of it. Whatever has changed meanwhile, the decision and the
// rows are those of a process that remembers nothing and asks for one thing after the other.

import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { authenticate, authenticateAlong } from '#access/authenticate.ts';
import { levelsOf, permissionNames } from '#access/permissions.ts';
import { findRow, tableRow } from '#access/row-query.ts';
import { countStatements } from '#database/client.ts';
import type { Db } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { resourcesOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';
import { firstQuery, readPath, resolve } from '#server/resolve.ts';
import { makeAll } from '#test/conformance/children.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { db, hearth } = w;

/** A generator of numbers below `n`, the same at every run. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * n);
  };
}

type Asked = { token: string; endpoint: Endpoint; params: Readonly<Record<string, string>> };

/** The same database, of which nothing is remembered. */
const forgetful = (): Db => db.withoutPlugins();

/** What a path stands for, or why it doesn't. */
async function outcome(of: Db, { token, endpoint, params }: Asked, isAlong: boolean): Promise<object> {
  const { now } = w.clock;
  const path = readPath(endpoint, params);
  const context = { db: of, endpoint, path, now, links: undefined };
  const header = `Bearer ${token}`;
  try {
    const { viewer, along } = isAlong
      ? await authenticateAlong(header, { db: of, now }, (asking) => firstQuery(context, asking))
      : { viewer: await authenticate(header, { db: of, now }), along: undefined };
    const { at, roots } = await resolve({ ...context, viewer, along, services: hearth.services });
    return { viewer, at, roots };
  } catch (error) {
    return { ...(error as object), thrown: (error as Error).constructor.name, message: (error as Error).message };
  }
}

const endpointOf = (id: string): Endpoint => {
  const found = allEndpoints.find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`No endpoint ${id}`);
  return found;
};

const owner = await w.user('owner');
const [reader, org] = [await w.user('reader'), await w.org(owner, 'acme')];
const repo = await w.repo(org, { name: 'engine', visibility: 'private', by: owner });
const other = await w.repo(org, { name: 'other', visibility: 'private', by: owner });
await w.member(org, reader);
const client = await w.as(owner);
for (const title of ['first', 'second']) await client.post('/repos/acme/engine/issues', { title, labels: ['bug'] });
const { body: comment } = await client.post('/repos/acme/engine/issues/1/comments', { body: 'text' });
await client.post('/orgs/acme/teams', { name: 'drivers' });

const permissions = { issues: 'write', metadata: 'read', administration: 'read', members: 'read' };
const app = await installApp(w, { on: org, permissions, repositories: [repo] });
const tokens = [
  await w.token(owner),
  await w.token(reader),
  await w.token(reader, ['public_repo']),
  await w.fineGrained(owner, org, { issues: 'write', metadata: 'read' }, [repo]),
  await w.fineGrained(owner, org, { metadata: 'read', members: 'read' }),
  app.token,
  await app.userToken(reader),
  await oauthToken(w, reader, ['repo']),
];

const inRepo = { owner: 'acme', repo: 'engine' };
const paths: { id: string; params: Readonly<Record<string, string>> }[] = [
  { id: 'issues/get', params: { ...inRepo, issue_number: '1' } },
  { id: 'issues/get', params: { ...inRepo, repo: 'ENGINE', issue_number: '99' } },
  { id: 'issues/get', params: { ...inRepo, repo: 'other', issue_number: '1' } },
  { id: 'issues/get', params: { ...inRepo, issue_number: 'one' } },
  { id: 'issues/update', params: { ...inRepo, issue_number: '2' } },
  { id: 'issues/create-comment', params: { ...inRepo, issue_number: '2' } },
  { id: 'issues/get-comment', params: { ...inRepo, comment_id: `${comment.id}` } },
  { id: 'issues/remove-label', params: { ...inRepo, issue_number: '1', name: 'BUG' } },
  { id: 'issues/get-label', params: { ...inRepo, name: 'bug' } },
  { id: 'repos/get', params: inRepo },
  { id: 'repos/get-by-id', params: { repository_id: `${repo.id}` } },
  { id: 'repos/create-using-template', params: { template_owner: 'acme', template_repo: 'engine' } },
  { id: 'orgs/revoke-all-org-roles-team', params: { org: 'acme', team_slug: 'drivers' } },
  { id: 'users/get-authenticated', params: {} },
];
const asked = tokens.flatMap((token) => paths.map(({ id, params }) => ({ token, endpoint: endpointOf(id), params })));

/** Changes of all that a decision depends on; each is made one way or the other. */
const changes: readonly ((is: boolean) => Promise<unknown>)[] = [
  (is) =>
    db
      .updateTable('repositories')
      .set({ visibility: is ? 'public' : 'private' })
      .where('id', '=', repo.id)
      .execute(),
  (is) => db.updateTable('repositories').set({ has_issues: is }).where('id', '=', repo.id).execute(),
  (is) => db.updateTable('repositories').set({ archived: is }).where('id', '=', repo.id).execute(),
  (is) =>
    db
      .updateTable('repositories')
      .set({ owner_id: is ? owner.id : org.id })
      .where('id', '=', repo.id)
      .execute(),
  (is) =>
    db
      .updateTable('repositories')
      .set({ name: is ? 'motor' : 'engine' })
      .where('id', '=', repo.id)
      .execute(),
  async (is) => {
    await db.deleteFrom('repository_redirects').execute();
    const former = { owner_login: 'acme', name: 'engine', repository_id: repo.id, created_at: w.clock.now };
    if (is) await db.insertInto('repository_redirects').values(former).execute();
  },
  async (is) => {
    await db.deleteFrom('collaborators').execute();
    if (is) await w.collaborator(repo, reader, 'triage');
  },
  (is) =>
    db
      .updateTable('accounts')
      .set({ suspended_at: is ? w.clock.now : null })
      .where('id', '=', reader.id)
      .execute(),
  (is) =>
    db
      .updateTable('accounts')
      .set({ login: is ? 'umbrella' : 'acme' })
      .where('id', '=', org.id)
      .execute(),
  (is) =>
    db
      .updateTable('installations')
      .set({ suspended_at: is ? w.clock.now : null })
      .where('id', '=', app.installation)
      .execute(),
  (is) =>
    db
      .updateTable('installations')
      .set({ repository_selection: is ? 'all' : 'selected' })
      .where('id', '=', app.installation)
      .execute(),
  (is) =>
    db
      .updateTable('installations')
      .set({ permissions: JSON.stringify(is ? { metadata: 'read' } : permissions) })
      .where('id', '=', app.installation)
      .execute(),
  (is) =>
    db
      .updateTable('apps')
      .set({ permissions: JSON.stringify(is ? { metadata: 'read' } : permissions) })
      .execute(),
  async (is) => {
    await db.deleteFrom('installation_repositories').execute();
    await db
      .insertInto('installation_repositories')
      .values({ installation_id: app.installation, repository_id: is ? repo.id : other.id })
      .execute();
  },
  (is) =>
    db
      .updateTable('token_repositories')
      .set({ repository_id: is ? repo.id : other.id })
      .execute(),
  (is) =>
    db
      .updateTable('tokens')
      .set({ scopes: is ? ['repo', 'user'] : ['public_repo'] })
      .where('kind', '=', 'classic_pat')
      .execute(),
  (is) =>
    db
      .updateTable('tokens')
      .set({ permissions: JSON.stringify({ metadata: 'read', ...(is ? { issues: 'read' } : {}) }) })
      .where('kind', '=', 'fine_grained_pat')
      .execute(),
  (is) =>
    db
      .updateTable('tokens')
      .set({ repository_selection: is ? 'all' : 'public' })
      .where('kind', '=', 'fine_grained_pat')
      .execute(),
  (is) =>
    db
      .updateTable('tokens')
      .set(is ? { access: 'granted', granted_at: w.clock.now } : { access: 'pending', granted_at: null })
      .where('kind', '=', 'fine_grained_pat')
      .execute(),
  (is) => db.updateTable('organizations').set({ fine_grained_tokens_allowed: is }).execute(),
  (is) =>
    db
      .updateTable('organizations')
      .set({ max_token_days: is ? null : 90 })
      .execute(),
  (is) =>
    db
      .updateTable('tokens')
      .set({ expires_at: is ? w.clock.now : null })
      .where('kind', '=', 'oauth_app')
      .execute(),
  (is) =>
    db
      .updateTable('memberships')
      .set({ role: is ? 'owner' : 'member' })
      .where('user_id', '=', reader.id)
      .execute(),
  async (is) => {
    await db.deleteFrom('memberships').where('user_id', '=', reader.id).execute();
    if (is) await w.member(org, reader);
  },
  (is) =>
    db
      .updateTable('issues')
      .set({ number: is ? 1 : 1_001 })
      .where('repository_id', '=', repo.id)
      .where('title', '=', 'first')
      .execute(),
  (is) =>
    db
      .updateTable('issues')
      .set({ body: is ? 'a' : 'b' })
      .execute(),
];

/** `HEARTH_TEST_STEPS` asks for more. */
const steps = Number(process.env.HEARTH_TEST_STEPS ?? 120);

test('after any change, what is found along with the credential is what is found without anything remembered', async () => {
  const next = numbers(11);
  const seen = new Set<string>();
  for (const one of asked) await outcome(db, one, true);
  for (let step = 0; step < steps; step++) {
    await changes[next(changes.length)]?.(next(2) === 0);
    for (let at = 0; at < 6; at++) {
      const one = asked[next(asked.length)] as Asked;
      const [along, cold] = await Promise.all([outcome(db, one, true), outcome(forgetful(), one, false)]);
      expect(along, `step ${step}: ${one.endpoint.id} ${JSON.stringify(one.params)}`).toStrictEqual(cold);
      seen.add(`${'thrown' in cold ? `${'kind' in cold ? cold.kind : cold.thrown}` : 'found'}`);
    }
  }
  expect([...seen].sort()).toEqual(expect.arrayContaining(['Moved', 'forbidden', 'found', 'not_found', 'unauthenticated']));
});

const queried = allEndpoints.filter((endpoint) => endpoint.method === 'GET' && resourcesOf(endpoint)[0]?.query !== undefined);
const resources = new Map(queried.toReversed().map((endpoint) => [resourcesOf(endpoint)[0]?.name ?? '', endpoint]));

const everyPermission = Object.fromEntries(permissionNames.map((name) => [name, levelsOf(name).at(-1) ?? '']));

test.each([...resources])(
  'the row of a %s is the same whether it is found alone or with others, and takes no statement more',
  async (name, endpoint) => {
    const maker = await w.user();
    const place = await w.org(maker);
    const stage = {
      ...w,
      world: w,
      place: 'here' as const,
      client: await w.as(maker),
      owner: maker,
      org: place,
      repo: await w.repo(place, { visibility: 'private', by: maker }),
    };
    const [first] = resourcesOf(endpoint);
    const words = await makeAll(stage, endpoint);
    const params = Object.fromEntries(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, word = '']) => [word, words[word] ?? '']),
    );
    const isForApps = endpoint.access.credentials?.includes('classic_pat') === false;
    const token = isForApps ? (await installApp(w, { on: place, permissions: everyPermission })).token : await w.token(maker);
    const one = { token, endpoint, params };
    await outcome(db, one, true);
    const { result, statements } = await countStatements(() => outcome(db, one, true));
    expect(result).toStrictEqual(await outcome(forgetful(), one, false));
    const { at, viewer } = result as { at: Record<string, { id: number }>; viewer: never };
    const { values } = readPath(endpoint, params);
    const query = first?.query?.({ db, at, viewer, now: w.clock.now } as never, values as never);
    const { rows } = await sql`${query}`.execute(db);
    expect(at[name]).toStrictEqual(rows[0]);
    expect(Object.keys(rows[0] as object).filter((column) => column.includes('.'))).toEqual([]);
    const others = resourcesOf(endpoint).length - 1;
    expect(statements).toHaveLength(1 + others);
  },
);

test('columns of every type come through a larger statement as they are', async () => {
  const all = sql`select 1::bigint as big, 1.50::numeric as numeric, true as boolean, null::text as nothing, 'x'::bytea as bytes,
    '{"a": [1]}'::jsonb as json, '2026-01-01T00:00:00.123Z'::timestamptz as time, '2026-01-01'::date as date,
    array[1, 2]::bigint[] as ids, array['a', null] as texts, 'a' as literal, '1 day'::interval as span`;
  const { rows } = await all.execute(db);
  expect(await findRow(db, tableRow(all))).toStrictEqual({ ...(rows[0] as object) });
});

test('access is decided before what the repository lacks, and that before what is not there', async () => {
  const [maker, stranger] = [await w.as(await w.user('maker')), await w.as(await w.user('stranger'))];
  for (const name of ['secret', 'open']) await maker.post('/user/repos', { name, private: name === 'secret', has_issues: false });
  const answers = async (client: typeof maker, name: string) => {
    const path = `/repos/maker/${name}/issues/1`;
    return [(await client.get(path)).status, (await client.patch(path, {})).status, (await client.put(`${path}/lock`)).status];
  };
  for (const _ of ['unknown', 'remembered']) {
    expect(await answers(maker, 'secret')).toEqual([410, 410, 410]);
    expect(await answers(maker, 'absent')).toEqual([404, 404, 404]);
    expect(await answers(stranger, 'secret')).toEqual([404, 404, 404]);
    expect(await answers(stranger, 'open')).toEqual([410, 410, 403]);
  }
  await maker.patch('/repos/maker/open', { has_issues: true });
  expect(await answers(stranger, 'open')).toEqual([404, 404, 403]);
});
