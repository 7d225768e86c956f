import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { differences, registerOf } from '#test/conformance/differences.ts';
import {
  operations as allOperations,
  checkAgainstPublicSchema,
  documentedStatuses,
  publicOperation,
} from '#test/support/public-schema.ts';
import { translatorOf } from '#vocabulary/body.ts';
import { generate } from './generate.ts';
import { random } from './random.ts';

type Schema = { [keyword: string]: unknown };
type Row = { method: string; path: string; operationId: string | null };
const read = (name: string) => JSON.parse(readFileSync(new URL(`../spec/${name}`, import.meta.url), 'utf8'));
const {
  schemas,
  operations,
}: { schemas: Record<string, Schema>; operations: Record<string, { responses: Record<string, Schema | null> }> } =
  read('public-description.json');
const resolve = (reference: string) => schemas[reference.replace('#/schemas/', '')];

const label = {
  id: 1,
  node_id: 'a',
  url: 'https://h.example/l',
  name: 'bug',
  description: null,
  color: 'ff0000',
  default: false,
};
const check = (body: unknown) => checkAgainstPublicSchema('issues/create-label', 201, body, 'github');

describe('an event of an issue', () => {
  const actor = {
    login: 'ada',
    id: 1,
    node_id: 'a',
    avatar_url: 'https://h.example/a',
    gravatar_id: '',
    ...Object.fromEntries(
      [
        '',
        'html_',
        'followers_',
        'following_',
        'gists_',
        'starred_',
        'subscriptions_',
        'organizations_',
        'repos_',
        'events_',
        'received_events_',
      ].map((name) => [`${name}url`, 'https://h.example/x']),
    ),
    type: 'User',
    site_admin: false,
  };
  const common = {
    id: 1,
    node_id: 'a',
    url: 'https://h.example/e',
    actor,
    commit_id: null,
    commit_url: null,
    created_at: '2026-01-01T00:00:00Z',
    performed_via_github_app: null,
  };
  const list = (...events: object[]) => checkAgainstPublicSchema('issues/list-events', 200, events, 'github');
  const timeline = (...events: object[]) => checkAgainstPublicSchema('issues/list-events-for-timeline', 200, events, 'github');
  const fine = { problems: [], unknown: [] };

  test('passes with what its kind has', () => {
    const label = { name: 'bug', color: 'ff0000' };
    expect(list({ ...common, event: 'labeled', label }, { ...common, event: 'closed' })).toEqual(fine);
    expect(timeline({ ...common, event: 'closed', state_reason: null })).toEqual(fine);
    expect(timeline({ ...common, event: 'assigned', assignee: actor })).toEqual(fine);
  });

  test('does not pass as another kind', () => {
    expect(list({ ...common, event: 'closed' }, { ...common, event: 'labeled' })).toEqual({
      problems: ['/1/label is missing'],
      unknown: [],
    });
    expect(list({ ...common, event: 'locked', lock_reason: null, label: { name: 'a', color: 'b' } }).unknown).toEqual([
      '/0/label',
    ]);
    expect(list({ ...common, event: 'closed', state_reason: null }).unknown).toContain('/0/state_reason');
    expect(timeline({ ...common, event: 'commented' }).problems).toContain('/0/html_url is missing');
    expect(timeline({ ...common, event: 'assigned', assignee: actor, assigner: actor }).unknown).toContain('/0/assigner');
    expect(list({ ...common, event: 'closed', actor: null }).problems).toContain('/0/actor must be object, but is null');
  });
});

describe('one reply', () => {
  test('passes when it is right', () => {
    expect(check(label)).toEqual({ problems: [], unknown: [] });
  });

  test('names what is absent, wrong and unknown, by its place', () => {
    const { node_id: _absent, ...rest } = label;
    expect(check({ ...rest, default: 'no', extra: 1 })).toEqual({
      problems: ['/node_id is missing', '/default must be boolean, but is "no"'],
      unknown: ['/extra'],
    });
  });

  test('of a status without a body must have none', () => {
    expect(checkAgainstPublicSchema('issues/delete-label', 204, undefined, 'github').problems).toEqual([]);
    expect(checkAgainstPublicSchema('issues/delete-label', 204, {}, 'github').problems).toEqual([
      'a body is sent where none is documented',
    ]);
  });

  test('of an undocumented status is a problem, and a refusal must be a basic error', () => {
    expect(checkAgainstPublicSchema('issues/create-label', 200, label, 'github').problems).toEqual([
      'status 200 is not documented for issues/create-label',
    ]);
    expect(
      checkAgainstPublicSchema('issues/create-label', 403, { message: 'No', documentation_url: 'x', status: '403' }, 'github')
        .problems,
    ).toEqual([]);
    expect(checkAgainstPublicSchema('issues/create-label', 403, { message: 5 }, 'github').problems).toEqual([
      '/message must be string, but is 5',
    ]);
    expect(checkAgainstPublicSchema('no/such', 200, {}, 'github').problems).toEqual([
      'no/such is not an operation of the public description',
    ]);
  });

  test('in the service vocabulary is read by its neutral words, and the vendor words are unknown there', () => {
    const runner = (source: string) => ({
      total_count: 1,
      images: [{ id: 'a', platform: 'linux-x64', size_gb: 1, display_name: 'a', source }],
    });
    const id = 'actions/get-hosted-runners-github-owned-images-for-org';
    expect(checkAgainstPublicSchema(id, 200, runner('service'), 'service').problems).toEqual([]);
    expect(checkAgainstPublicSchema(id, 200, runner('github'), 'github').problems).toEqual([]);
    expect(checkAgainstPublicSchema(id, 200, runner('service'), 'github').problems).toEqual([
      '/images/0/source must be equal to one of the allowed values: github, partner, custom, but is "service"',
    ]);
    const actions = 'actions/get-allowed-actions-organization';
    expect(checkAgainstPublicSchema(actions, 200, { service_owned_allowed: true }, 'service')).toEqual({
      problems: [],
      unknown: [],
    });
    expect(checkAgainstPublicSchema(actions, 200, { service_owned_allowed: true }, 'github').unknown).toEqual([
      '/service_owned_allowed',
    ]);
  });

  test.each([
    '2026-01-02T03:04:05.678Z',
    '2026-01-02T03:04:05+00:00',
    '2026-01-02 03:04:05Z',
    '2026-13-02T03:04:05Z',
    'yesterday',
  ])('does not tell the time as %s', (time) => {
    const milestone = { total_count: 1, artifacts: [] };
    expect(checkAgainstPublicSchema('actions/list-artifacts-for-repo', 200, milestone, 'github').problems).toEqual([]);
    const migration = { id: 1, created_at: time };
    const { problems } = checkAgainstPublicSchema('migrations/list-for-authenticated-user', 200, [migration], 'github');
    expect(problems).toContainEqual(expect.stringMatching(/^\/0\/created_at must match format "date-time"/));
  });

  test('of several shapes is judged by the nearest one', () => {
    const { problems } = checkAgainstPublicSchema('users/get-authenticated', 200, { login: 'ada', id: 'one' }, 'github');
    expect(problems).toContain('/id must be integer, but is "one"');
    expect(problems).not.toContainEqual(expect.stringContaining('must be null'));
  });
});

test('a place inside one of several shapes is told from the top', () => {
  const event = {
    id: 1,
    node_id: 'a',
    url: 'https://h.example/e',
    event: 'closed',
    commit_id: null,
    commit_url: null,
    created_at: '2026-01-02T03:04:05Z',
  };
  const { problems, unknown } = checkAgainstPublicSchema(
    'issues/list-events-for-repo',
    200,
    [{ ...event, actor: { login: 7, extra: 1 } }],
    'github',
  );
  expect(problems).toContain('/0/actor/login must be string, but is 7');
  expect(problems).toContain('/0/actor/id is missing');
  expect(problems.every((problem) => problem.startsWith('/0/actor/'))).toBe(true);
  expect(unknown).toEqual(['/0/actor/extra']);
});

test('generated right replies of every operation have no problems, in either vocabulary', () => {
  let checked = 0;
  const found: string[] = [];
  for (const [id, { responses }] of Object.entries(operations)) {
    for (const [status, schema] of Object.entries(responses)) {
      if (!schema) continue;
      for (let seed = 0; seed < 2; seed++) {
        const body = generate(schema, { schemas, pick: random(seed), text: () => 'text', name: () => 'name' });
        const neutral = translatorOf(schema, { words: 'vendor', operation: id, resolve })?.toNeutral(body) ?? body;
        for (const [vocabulary, value] of [
          ['github', body],
          ['service', neutral],
        ] as const) {
          const { problems, unknown } = checkAgainstPublicSchema(id, Number(status), value, vocabulary);
          for (const text of [...problems, ...unknown]) found.push(`${id} ${status} ${vocabulary}: ${text}`);
          checked++;
        }
      }
    }
  }
  expect(checked).toBeGreaterThan(2000);
  expect(found).toEqual([]);
});

test('a required property that is taken away is missed, in every reply that has one', () => {
  let taken = 0;
  for (const [id, { responses }] of Object.entries(operations)) {
    const schema = responses[200] ?? responses[201];
    const target = typeof schema?.$ref === 'string' ? resolve(schema.$ref) : schema;
    if (!schema || !Array.isArray(target?.required) || target.required.length === 0) continue;
    const status = schema === responses[200] ? 200 : 201;
    const body: unknown = generate(schema, { schemas, pick: random(1), text: () => 'text', name: () => 'name' });
    if (typeof body !== 'object' || body === null) continue;
    const [name] = target.required;
    const less = Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
    expect(checkAgainstPublicSchema(id, status, less, 'github').problems, id).toContain(`/${name} is missing`);
    taken++;
  }
  expect(taken).toBeGreaterThan(150);
});

describe('the public description', () => {
  test('knows every operation of the documents by its neutral path', () => {
    const surface: Row[] = read('surface.json').families.flatMap((family: { operations: Row[] }) => family.operations);
    const unknown = surface.filter(
      ({ method, path, operationId }) => (publicOperation(method, path)?.id ?? null) !== operationId,
    );
    expect(unknown.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(publicOperation('GET', '/orgs/{organization}/assistant/billing')?.operation.path).toBe('/orgs/{org}/copilot/billing');
    expect(publicOperation('GET', '/nowhere')).toBeUndefined();
  });

  test('tells the documented statuses', () => {
    expect(documentedStatuses('issues/create-label')).toEqual([201, 404, 422]);
    expect(documentedStatuses('no/such')).toEqual([]);
  });
});

describe('differences on purpose', () => {
  const entries = [
    { operationId: 'a/b', pointer: '/items/*/owner', reason: 'for the test' },
    { operationId: 'a/b', pointer: '/state', reason: 'for the test', vocabulary: 'service' },
    { operationId: 'c/d', pointer: '/state', reason: 'for the test' },
  ] as const;

  test('cover their place and what lies below it, in their operation and vocabulary', () => {
    const { allows, neverNeeded: left } = registerOf(entries);
    const place = { operationId: 'a/b', vocabulary: 'github' } as const;
    expect(left()).toEqual(entries);
    expect(allows({ ...place, pointer: '/items/12/owner' })).toBe(true);
    expect(allows({ ...place, pointer: '/items/0/owner/login' })).toBe(true);
    expect(allows({ ...place, pointer: '/items/0/owners' })).toBe(false);
    expect(allows({ ...place, pointer: '/state' })).toBe(false);
    expect(allows({ ...place, pointer: '/state', vocabulary: 'service' })).toBe(true);
    expect(left()).toEqual([entries[2]]);
  });

  test('are about operations that exist, with a reason each', () => {
    for (const { operationId, pointer, reason } of differences) {
      if (operationId !== '*') expect(allOperations[operationId], operationId).toBeDefined();
      expect(pointer).toMatch(/^(\*\*)?\//);
      expect(reason.length).toBeGreaterThan(10);
    }
  });
});
