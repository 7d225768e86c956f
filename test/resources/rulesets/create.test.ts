import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo } = w;

test('a repository has rulesets', async () => {
  const owner = await user();
  const engine = await repo(owner);
  const client = await as(owner);
  const path = `/repos/${owner.login}/${engine.name}/rulesets`;
  const wanted = {
    name: 'Main is kept',
    enforcement: 'active',
    bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 5 }, { actor_type: 'DeployKey' }],
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH', 'refs/heads/release/*'], exclude: ['refs/heads/release/old'] } },
    rules: [
      { type: 'deletion', parameters: { pattern: 'dropped' } },
      {
        type: 'required_status_checks',
        parameters: { strict_required_status_checks_policy: true, required_status_checks: [{ context: 'ci' }] },
      },
      { type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '^JIRA-\\d+' } },
    ],
  };
  const made = await client.post(path, wanted);
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.any(Number),
    name: 'Main is kept',
    target: 'branch',
    source_type: 'Repository',
    source: `${owner.login}/${engine.name}`,
    enforcement: 'active',
    bypass_actors: [
      { actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'always' },
      { actor_type: 'DeployKey', actor_id: null, bypass_mode: 'always' },
    ],
    current_user_can_bypass: 'always',
    conditions: wanted.conditions,
    rules: [{ type: 'deletion' }, ...wanted.rules.slice(1)],
    node_id: expect.any(String),
    _links: {
      self: { href: `${w.url}/api/v3${path}/${made.body.id}` },
      html: { href: `${w.url}/${owner.login}/${engine.name}/rules/${made.body.id}` },
    },
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  });
  expect((await client.get(`${path}/${made.body.id}`)).body).toEqual(made.body);
  const { bypass_actors: _, current_user_can_bypass: __, conditions: ___, rules: ____, ...summary } = made.body;
  expect((await client.get(path)).body).toEqual([summary]);
});

test('an organization has rulesets', async () => {
  const owner = await user();
  const acme = await org(owner);
  const client = await as(owner);
  const wanted = {
    name: 'Releases are kept',
    target: 'tag',
    enforcement: 'evaluate',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['service-*'], protected: true } },
    rules: [{ type: 'update' }],
  };
  const made = await client.post(`/orgs/${acme.login}/rulesets`, wanted);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ ...wanted, source_type: 'Organization', source: acme.login, bypass_actors: [] });
  expect((await client.get(`/orgs/${acme.login}/rulesets/${made.body.id}`)).body).toEqual(made.body);
});
