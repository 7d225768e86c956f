import { expect, test } from 'vitest';
import { wordsOf } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import { cloudA, sealed } from '#test/resources/actions/private-registries/setting.ts';
import type { Answer } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { everyRow } from '../rows.ts';
import { makePlaces } from './places.ts';
import { rightBodies } from './right-bodies.ts';

const here = await world();
const owner = await here.user();
const places = await makePlaces(here, owner);
const { client } = places;
/** Another organization of the same owner, who may access everything in it, but not under this organization's name. */
const elsewhere = await makePlaces(here, owner);
const bodies = new Map<string, object>(await rightBodies(places));

// The first of each type has the same name everywhere.
const registry = { ...cloudA, registry_type: 'npm_registry' };
const { body: foreignRegistry } = await client.post(`/orgs/${elsewhere.org.login}/private-registries`, registry);

const children = ['hosted_runner_id', 'image_definition_id', 'secret_name', 'issue_field_id', 'hook_id', 'delivery_id'] as const;

const isOurs = /^\/orgs\/\{org\}\/(actions\/hosted-runners|private-registries|issue-fields|hooks)|\/hooks|\/issue-field-values/;

const below = allEndpoints
  .filter(({ path }) => isOurs.test(path))
  .flatMap((endpoint) =>
    children
      .filter((child) => wordsOf(endpoint.path).some((word) => word === child))
      .map((child) => ({ endpoint, child, name: `${endpoint.method} ${endpoint.path}, ${child}` })),
  );

/** The content of a reply, without values that change each time. */
const told = ({ status, headers, text }: Answer) => {
  const { date: _date, 'x-service-request-id': _request, ...rest } = headers;
  return { status, headers: rest, text };
};

test.each(below)('$name of another organization is told like one that is not there', async ({ endpoint, child }) => {
  const { method, path } = endpoint;
  const body = bodies.get(`${method} ${path}`);
  const call = (value: string | number) => {
    const asked = places.at(path, { [child]: value });
    if (method === 'GET') return client.get(asked);
    if (method === 'POST') return client.post(asked, body);
    return method === 'PATCH' ? client.patch(asked, body) : client.delete(asked);
  };
  const foreign = child === 'secret_name' ? foreignRegistry.name : elsewhere.word(path, child);
  const before = await everyRow(here.db);
  const answers = [await call(foreign), await call(child === 'secret_name' ? 'NO_SUCH_NAME' : 999_999_999)];
  expect(answers.map(told)[0]).toEqual(answers.map(told)[1]);
  expect(answers[0]).toMatchObject({ status: 404, body: { message: 'Not Found' } });
  expect(await everyRow(here.db)).toBe(before);
});

/** A body field that refers to something, with a value from elsewhere and a value that doesn't exist. */
const named: { field: string; route: string; body: (id: number) => object; foreign: number }[] = [
  {
    field: 'runner_group_id',
    route: 'POST /orgs/{org}/actions/hosted-runners',
    body: (id) => ({ name: 'r', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core', runner_group_id: id }),
    foreign: elsewhere.group,
  },
  {
    field: 'runner_group_id',
    route: 'PATCH /orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
    body: (id) => ({ runner_group_id: id }),
    foreign: elsewhere.group,
  },
  {
    field: 'image.id',
    route: 'POST /orgs/{org}/actions/hosted-runners',
    body: (id) => ({ name: 'r', image: { id: String(id), source: 'custom' }, size: '4-core', runner_group_id: places.group }),
    foreign: Number(elsewhere.word('/orgs', 'image_definition_id')),
  },
  {
    field: 'image_id',
    route: 'PATCH /orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
    body: (id) => ({ image_id: String(id), image_source: 'custom' }),
    foreign: Number(elsewhere.word('/orgs', 'image_definition_id')),
  },
  {
    field: 'selected_repository_ids',
    route: 'POST /orgs/{org}/private-registries',
    body: (id) => ({ ...cloudA, visibility: 'selected', selected_repository_ids: [places.repo.id, id] }),
    foreign: elsewhere.repo.id,
  },
  {
    field: 'selected_repository_ids',
    route: 'PATCH /orgs/{org}/private-registries/{secret_name}',
    body: (id) => ({ visibility: 'selected', selected_repository_ids: [id] }),
    foreign: elsewhere.repo.id,
  },
  {
    field: 'options.0.id',
    route: 'PATCH /orgs/{org}/issue-fields/{issue_field_id}',
    body: (id) => ({ options: [{ id, name: 'High', color: 'red', priority: 1 }] }),
    foreign: elsewhere.option,
  },
  {
    field: 'issue_field_values.0.field_id',
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/issue-field-values',
    body: (id) => ({ issue_field_values: [{ field_id: id, value: 'High' }] }),
    foreign: elsewhere.field,
  },
];

test.each(named)('$route: $field of another organization is told like one that is not there', async (given) => {
  const { field, route, body, foreign } = given;
  const [method, path = ''] = route.split(' ');
  const send = method === 'POST' ? client.post : client.patch;
  const before = await everyRow(here.db);
  const answers = [await send(places.at(path), body(foreign)), await send(places.at(path), body(999_999_999))];
  const errors = answers.map(({ body }) => JSON.stringify(body.errors));
  expect(errors[0]?.replace(new RegExp(` ${foreign}\\b`), ' ID')).toBe(errors[1]?.replace(' 999999999', ' ID'));
  const error = route.includes('{issue_field_id}') ? expect.stringMatching(`^${field}: `) : { field };
  for (const answer of answers) expect(answer).toMatchObject({ status: 422, body: { errors: [error] } });
  expect(await everyRow(here.db)).toBe(before);
});

test('a key of another organization is told like one that is not there', async () => {
  const { encrypted_value, key_id } = await sealed(client, elsewhere.org, 'value');
  await sealed(client, places.org, 'value'); // the first reader creates the key
  const path = `/orgs/${places.org.login}/private-registries`;
  const post = (id: string) =>
    client.post(path, {
      registry_type: 'npm_registry',
      url: 'https://x.example',
      visibility: 'all',
      encrypted_value,
      key_id: id,
    });
  const before = await everyRow(here.db);
  const [foreign, absent] = [await post(key_id), await post('999999999')];
  expect(foreign).toMatchObject({ status: 422, body: { errors: [{ field: 'key_id' }] } });
  expect(foreign.text).toBe(absent.text);
  expect(await everyRow(here.db)).toBe(before);
});

const oddly = (id: number | string) => [
  '0',
  `-${id}`,
  `${id}.5`,
  `${id}.0`,
  `${id}e0`,
  `0x${Number(id).toString(16)}`,
  `+${id}`,
  `${id}%20`,
  'one',
  '9'.repeat(20),
  '%00',
  '%20',
];

const ids = below.filter(({ child, endpoint }) => child !== 'secret_name' && endpoint.method === 'GET');

test.each(ids)('$name: what is no number, however near, names nothing', async ({ endpoint, child }) => {
  // In document 2, some endpoints refuse malformed requests.
  const status = endpoint.malformed === 'refused' ? 400 : 404;
  const own = places.word(endpoint.path, child);
  expect((await client.get(places.at(endpoint.path))).status).toBe(200);
  const answers: Record<string, number> = {};
  for (const odd of oddly(own)) answers[odd] = (await client.get(places.at(endpoint.path, { [child]: odd }))).status;
  expect(answers).toEqual(Object.fromEntries(oddly(own).map((odd) => [odd, status])));
});
