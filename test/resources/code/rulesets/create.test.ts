import { expect, test } from 'vitest';
import { ruleTypes } from '#resources/code/rulesets/index.ts';
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
        parameters: {
          strict_required_status_checks_policy: true,
          required_status_checks: [{ context: 'ci' }, { context: 'lint', integration_id: 7 }],
        },
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
    conditions: { ref_name: { include: ['~ALL'], exclude: [] }, repository_name: { include: ['service-*'], protected: false } },
    rules: [{ type: 'update' }],
  };
  const made = await client.post(`/orgs/${acme.login}/rulesets`, wanted);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ ...wanted, source_type: 'Organization', source: acme.login, bypass_actors: [] });
  expect((await client.get(`/orgs/${acme.login}/rulesets/${made.body.id}`)).body).toEqual(made.body);
});

test('a check of any app may be named by null', async () => {
  const owner = await user();
  const { name } = await repo(owner);
  const parameters = {
    strict_required_status_checks_policy: true,
    required_status_checks: [{ context: 'ci', integration_id: null }],
  };
  const { body } = await (await as(owner)).post(`/repos/${owner.login}/${name}/rulesets`, {
    name: 'Checked',
    enforcement: 'active',
    rules: [{ type: 'required_status_checks', parameters }],
  });
  expect(body.rules[0].parameters).toEqual({ ...parameters, required_status_checks: [{ context: 'ci' }] });
});

test('every type of rule comes back as it was sent', async () => {
  const owner = await user();
  const { name, id } = await repo(owner);
  const client = await as(owner);
  const path = `/repos/${owner.login}/${name}/rulesets`;
  const pattern = { name: 'Tickets', negate: true, operator: 'starts_with', pattern: 'A-' };
  const rules = {
    branch: [
      { type: 'creation' },
      { type: 'update', parameters: { update_allows_fetch_and_merge: true } },
      { type: 'deletion' },
      { type: 'non_fast_forward' },
      { type: 'required_linear_history' },
      { type: 'required_signatures' },
      { type: 'assistant_code_review', parameters: { review_draft_pull_requests: true, review_on_push: false } },
      { type: 'required_deployments', parameters: { required_deployment_environments: ['staging'] } },
      {
        type: 'pull_request',
        parameters: {
          allowed_merge_methods: ['merge', 'squash'],
          dismiss_stale_reviews_on_push: true,
          require_code_owner_review: true,
          require_last_push_approval: true,
          required_approving_review_count: 2,
          required_review_thread_resolution: true,
          dismissal_restriction: { enabled: true, allowed_actors: [{ id: 1, type: 'User' }] },
          required_reviewers: [{ file_patterns: ['src/**'], minimum_approvals: 1, reviewer: { id: 3, type: 'Team' } }],
        },
      },
      {
        type: 'required_status_checks',
        parameters: {
          do_not_enforce_on_create: true,
          required_status_checks: [{ context: 'ci', integration_id: 5 }],
          strict_required_status_checks_policy: true,
        },
      },
      {
        type: 'merge_queue',
        parameters: {
          check_response_timeout_minutes: 60,
          grouping_strategy: 'HEADGREEN',
          max_entries_to_build: 5,
          max_entries_to_merge: 4,
          merge_method: 'SQUASH',
          min_entries_to_merge: 2,
          min_entries_to_merge_wait_minutes: 5,
        },
      },
      {
        type: 'workflows',
        parameters: {
          do_not_enforce_on_create: true,
          workflows: [
            { path: '.github/workflows/ci.yml', repository_id: id },
            { path: '.service/workflows/a b.yaml', repository_id: id, ref: 'refs/tags/v1' },
            { path: '.github/workflows/ci.yml', repository_id: id, ref: 'main', sha: 'a'.repeat(40) },
          ],
        },
      },
      {
        type: 'code_scanning',
        parameters: {
          code_scanning_tools: [
            { tool: 'CodeQL', alerts_threshold: 'errors', security_alerts_threshold: 'high_or_higher' },
            { tool: 'Semgrep OSS', alerts_threshold: 'none', security_alerts_threshold: 'all' },
          ],
        },
      },
      { type: 'commit_message_pattern', parameters: pattern },
      { type: 'commit_message_pattern', parameters: { ...pattern, negate: false } },
      { type: 'commit_author_email_pattern', parameters: pattern },
      { type: 'committer_email_pattern', parameters: pattern },
      { type: 'branch_name_pattern', parameters: pattern },
    ],
    tag: [{ type: 'creation' }, { type: 'required_signatures' }, { type: 'tag_name_pattern', parameters: pattern }],
    push: [
      { type: 'file_path_restriction', parameters: { restricted_file_paths: ['a/**/*.bin', '{b,c}'] } },
      { type: 'file_extension_restriction', parameters: { restricted_file_extensions: ['exe'] } },
      { type: 'max_file_path_length', parameters: { max_file_path_length: 100 } },
      { type: 'max_file_size', parameters: { max_file_size: 100 } },
    ],
    repository: [
      { type: 'repository_create' },
      { type: 'repository_delete' },
      { type: 'repository_transfer' },
      { type: 'repository_name', parameters: pattern },
      { type: 'repository_name', parameters: { ...pattern, negate: false } },
      { type: 'repository_visibility', parameters: { allowed_visibilities: ['internal', 'private'] } },
    ],
  };
  const acme = await org(owner);
  const conditions = { repository_name: { include: [], protected: true } };
  for (const [target, wanted] of Object.entries(rules)) {
    const isAbove = target === 'repository';
    const at = isAbove ? `/orgs/${acme.login}/rulesets` : path;
    const more = isAbove ? { conditions } : {};
    const { status, body } = await client.post(at, { name: target, target, enforcement: 'active', rules: wanted, ...more });
    expect([status, body.target, body.rules, body.conditions]).toEqual([201, target, wanted, more.conditions]);
    expect((await client.get(`${at}/${body.id}`)).body.rules).toEqual(wanted);
  }
  expect(
    new Set(
      Object.values(rules)
        .flat()
        .map(({ type }) => type),
    ),
  ).toEqual(new Set(ruleTypes));
});
