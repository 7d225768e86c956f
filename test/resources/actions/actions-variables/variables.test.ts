import { expect, test } from 'vitest';
import type { JobEnvironment } from '#resources/actions/actions-configuration/index.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { type Places, pathsOf, places, setting } from '#test/resources/actions/actions-configuration/setting.ts';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const tables = ['actions_variables', 'repository_selections', 'selected_repositories', 'events'];

async function variablesOf() {
  const here = await setting(w);
  const paths = pathsOf('variables', here);
  const post = (place: Places, name: string, value: string, more: object = {}) =>
    here.client.post(paths[place], { name, value, ...(place === 'org' ? { visibility: 'all' } : {}), ...more });
  const job = async (where: JobEnvironment = { repository: here.repo.id, environment: here.environment.id }) =>
    Object.fromEntries(await loadVariablesForJob(w.db, where));
  return { ...here, paths, post, job };
}

test.each(places)('a variable of the %s is made, read, changed, renamed and deleted', async (place) => {
  const { client, paths, post, job, org } = await variablesOf();
  const path = paths[place];
  expect(await client.get(path)).toMatchObject({ status: 200, body: { total_count: 0, variables: [] } });
  expect(await post(place, 'region', 'nörth')).toMatchObject({ status: 201, body: {} });
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const shown = { name: 'REGION', value: 'nörth', ...times, ...(place === 'org' ? { visibility: 'all' } : {}) };
  expect(await client.get(`${path}/Region`)).toMatchObject({ status: 200, body: shown });
  expect((await client.get(path)).body).toEqual({ total_count: 1, variables: [shown] });
  expect(await job()).toEqual({ REGION: 'nörth' });

  expect((await client.patch(`${path}/REGION`, { value: '' })).status).toBe(204);
  expect((await client.get(`${path}/REGION`)).body).toEqual({ ...shown, value: '' });
  expect((await client.patch(`${path}/REGION`, { name: 'zone' })).status).toBe(204);
  expect((await client.get(`${path}/REGION`)).status).toBe(404);
  expect((await client.patch(`${path}/ZONE`, { name: 'Zone', value: 'a\nb' })).status).toBe(204);
  expect(await job()).toEqual({ ZONE: 'a\nb' });

  expect((await client.delete(`${path}/ZONE`)).status).toBe(204);
  for (const answer of [await client.get(`${path}/ZONE`), await client.patch(`${path}/ZONE`, {})])
    expect(answer.status).toBe(404);
  expect(await job()).toEqual({});
  const told = (await eventsOf(w, org)).filter((kind) => kind.startsWith('actions_variable.'));
  expect(told).toEqual(['created', 'changed', 'changed', 'changed', 'deleted'].map((word) => `actions_variable.${word}`));
});

test('lists have 10 variables by default, 30 at most, by name', async () => {
  const { client, paths, repo, post } = await variablesOf();
  const now = new Date('2026-01-01T00:00:00Z');
  const rows = Array.from({ length: 32 }, (_, at) => ({ name: `V${String(40 - at)}`, value: 'v' }));
  await w.db
    .insertInto('actions_variables')
    .values(rows.map((row) => ({ ...row, repository_id: repo.id, created_at: now, updated_at: now })))
    .execute();
  await post('repo', '_FIRST', 'v');
  const names = async (query: string) => {
    const { body } = await client.get(`${paths.repo}${query}`);
    expect(body.total_count).toBe(33);
    return body.variables.map(({ name }: { name: string }) => name);
  };
  expect(await names('')).toHaveLength(10);
  const first = await names('?per_page=100');
  expect(first).toHaveLength(30);
  expect(await names('?per_page=30&page=2')).toEqual(['V40', 'V9', '_FIRST']);
  expect(first).toEqual(first.toSorted());
});

test('an organization says which repositories may use a variable', async () => {
  const { client, paths, post, job, repo, org, owner, inRepo } = await variablesOf();
  const open = await w.repo(org, { by: owner });
  const seen = async () => (await Promise.all([job(), job({ repository: open.id })])).map((found) => Object.keys(found).length);
  const at = `${paths.org}/REGION`;
  await post('org', 'REGION', 'north', { visibility: 'private' });
  expect(await seen()).toEqual([1, 0]);
  expect((await client.patch(at, { visibility: 'selected', selected_repository_ids: [open.id] })).status).toBe(204);
  expect(await seen()).toEqual([0, 1]);
  expect((await client.patch(at, { selected_repository_ids: [repo.id] })).status).toBe(204);
  expect(await seen()).toEqual([1, 0]);
  expect((await client.patch(at, { value: 'south' })).status).toBe(204);
  expect(await job()).toEqual({ REGION: 'south' });
  const url = `${w.url}/api/v3${at}/repositories`;
  expect((await client.get(at)).body).toMatchObject({ visibility: 'selected', selected_repositories_url: url });
  expect((await client.put(`${at}/repositories/${open.id}`)).status).toBe(204);
  expect((await client.get(`${at}/repositories`)).body).toMatchObject({ total_count: 2 });
  expect((await client.delete(`${at}/repositories/${repo.id}`)).status).toBe(204);
  expect((await client.put(`${at}/repositories`, { selected_repository_ids: [repo.id] })).status).toBe(204);
  expect(await seen()).toEqual([1, 0]);
  expect((await client.get(`${inRepo}/actions/organization-variables`)).body).toEqual({
    total_count: 1,
    variables: [expect.objectContaining({ name: 'REGION', value: 'south' })],
  });
  await client.patch(at, { visibility: 'all' });
  await w.unchanged(tables, async () => {
    expect((await client.put(`${at}/repositories/${repo.id}`)).status).toBe(409);
    expect((await client.patch(at, { selected_repository_ids: [repo.id] })).status).toBe(422);
  });
});

test('a name that is there, a wrong name and a value of more than 48 KB are refused, and change nothing', async () => {
  const { client, paths, post } = await variablesOf();
  await post('repo', 'REGION', 'north');
  await post('repo', 'ZONE', 'a');
  const wrong: [object, number, string?][] = [
    [{ name: 'region', value: 'v' }, 409],
    [{ name: 'github_region', value: 'v' }, 422, 'name'],
    [{ name: 'SERVICE_REGION', value: 'v' }, 422, 'name'],
    [{ name: '1ST', value: 'v' }, 422, 'name'],
    [{ name: '', value: 'v' }, 422, 'name'],
    [{ value: 'v' }, 422, 'name'],
    [{ name: 'NEW' }, 422, 'value'],
    [{ name: 'NEW', value: 5 }, 422, 'value'],
    [{ name: 'NEW', value: 'ä'.repeat(24 * 1024 + 1) }, 422, 'value'],
  ];
  await w.unchanged(tables, async () => {
    for (const [body, status, field] of wrong)
      expect(await client.post(paths.repo, body)).toMatchObject({ status, ...(field ? { body: { errors: [{ field }] } } : {}) });
    expect((await client.patch(`${paths.repo}/ZONE`, { name: 'Region' })).status).toBe(409);
    expect((await client.patch(`${paths.repo}/ZONE`, { name: 'github_x' })).status).toBe(422);
    expect((await client.post(paths.org, { name: 'NEW', value: 'v' })).status).toBe(422);
  });
  expect((await post('repo', 'NEW', 'ä'.repeat(24 * 1024))).status).toBe(201);
});

test('of concurrent requests for one name, one makes it; no more than the limit', async () => {
  const { repo, post } = await variablesOf();
  const answers = await Promise.all(Array.from({ length: 4 }, () => post('repo', 'REGION', 'v')));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  const now = new Date('2026-01-01T00:00:00Z');
  const rows = Array.from({ length: 498 }, (_, at) => ({
    name: `V${at}`,
    value: 'v',
    repository_id: repo.id,
    created_at: now,
    updated_at: now,
  }));
  await w.db.insertInto('actions_variables').values(rows).execute();
  const more = await Promise.all(['X', 'Y', 'Z'].map((name) => post('repo', name, 'v')));
  expect(more.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
});

test('who writes to the repository reads and sets its variables; owners alone those of the organization', async () => {
  const { paths, owner, writer, reader, org, post } = await variablesOf();
  await Promise.all(places.map((place) => post(place, 'REGION', 'v')));
  const status = async (who: Parameters<typeof w.as>[0], path: string) => {
    const client = await w.as(who);
    const clash = { name: 'REGION', value: 'v', visibility: 'all' };
    return [
      (await client.get(path)).status,
      (await client.get(`${path}/REGION`)).status,
      (await client.post(path, clash)).status,
      (await client.patch(`${path}/REGION`, { name: '?' })).status,
    ];
  };
  const all = [200, 200, 409, 422];
  const reads = [200, 200, 403, 403];
  const hidden = expect.toBeOneOf([403, 404]);
  const none = [hidden, hidden, 403, 403];
  for (const place of ['repo', 'environment'] as const) {
    expect(await status(writer, paths[place])).toEqual(all);
    expect(await status(reader, paths[place])).toEqual(none);
    expect(await status(undefined, paths[place])).toEqual([404, 404, 404, 404]);
  }
  expect(await status(writer, paths.org)).toEqual(none);
  const held = { org: 'organization_actions_variables', repo: 'actions_variables', environment: 'environments' };
  for (const place of places) {
    expect(await status(await w.fineGrained(owner, org, { [held[place]]: 'write' }), paths[place])).toEqual(all);
    expect(await status(await w.fineGrained(owner, org, { [held[place]]: 'read' }), paths[place])).toEqual(reads);
    expect(await status(await w.fineGrained(owner, org, { secrets: 'write' }), paths[place])).toEqual(none);
  }
});

test('a job gets 256 KB of variables: the repository’s before the organization’s, by name; an environment’s besides', async () => {
  const { post, job } = await variablesOf();
  const large = 'v'.repeat(48 * 1024);
  for (const name of ['A', 'B', 'C']) await post('repo', name, large);
  for (const name of ['D', 'F', 'G']) await post('org', name, large);
  await post('org', 'E', 'small');
  await post('org', 'H', 'small, and after what is too large');
  await post('environment', 'Z', large);
  expect(Object.keys(await job())).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'Z']);
});

test('a list costs as many statements for 1 variable as for 30', async () => {
  const { owner, paths, post, inRepo, repo, environment } = await variablesOf();
  const all = [...places.map((place) => paths[place]), `${inRepo}/actions/organization-variables`];
  await Promise.all(places.map((place) => post(place, 'REGION', 'v')));
  const counts = () => Promise.all(all.map((path) => w.statements(owner, `${path}?per_page=30`)));
  const before = await counts();
  const now = new Date('2026-01-01T00:00:00Z');
  const rows = Array.from({ length: 29 }, (_, at) => ({ name: `V${at}`, value: 'v', created_at: now, updated_at: now }));
  await w.db
    .insertInto('actions_variables')
    .values(
      rows.flatMap((row) => [
        { ...row, repository_id: repo.id },
        { ...row, environment_id: environment.id },
      ]),
    )
    .execute();
  for (let at = 0; at < 5; at++) await post('org', `V${at}`, 'v');
  expect(await counts()).toEqual(before);
  expect(before).toEqual([2, 2, 2, 2]);
});
