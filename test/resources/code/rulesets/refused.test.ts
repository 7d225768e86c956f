// What a ruleset can't be: each request is refused with the field named, and changes nothing.
import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, member, unchanged } = w;
const tables = ['rulesets', 'ruleset_bypass_actors', 'ruleset_versions', 'events'];

const owner = await user();
const acme = await org(owner);
const engine = await repo(acme, { by: owner });
const own = await repo(owner);
const client = await as(owner);
const ofOrg = `/orgs/${acme.login}/rulesets`;
const ofRepo = `/repos/${acme.login}/${engine.name}/rulesets`;
const base = { name: 'Refused', enforcement: 'active' };
const named = { repository_name: { include: ['~ALL'] } };

const pattern = { operator: 'contains', pattern: 'x' };
const reviewed = {
  dismiss_stale_reviews_on_push: false,
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_approving_review_count: 1,
  required_review_thread_resolution: false,
};

const ruled = (...rules: object[]) => ({ rules });
const required = { repository_id: engine.id, path: '.github/workflows/ci.yml' };
const requiring = (more: object) => ruled({ type: 'workflows', parameters: { workflows: [{ ...required, ...more }] } });
const refs = (include: string[], more = {}) => ({ conditions: { ref_name: { include } }, ...more });

test.each<[string, object, string]>([
  ['no name', { name: undefined }, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a long name', { name: 'x'.repeat(256) }, 'name'],
  ['a number as name', { name: 1 }, 'name'],
  ['no enforcement', { enforcement: undefined }, 'enforcement'],
  ['an unknown enforcement', { enforcement: 'on' }, 'enforcement'],
  ['an unknown target', { target: 'commit' }, 'target'],
  ['repositories themselves', { target: 'repository' }, 'target'],
  ['a rule about repositories themselves', ruled({ type: 'repository_delete' }), 'rules.0.type'],
  ['rules that are no list', { rules: {} }, 'rules'],
  ['an unknown type', ruled({ type: 'unknown' }), 'rules.0.type'],
  ['workflows of no list', ruled({ type: 'workflows', parameters: {} }), 'rules.0.parameters.workflows'],
  ['a workflow without a path', requiring({ path: undefined }), 'rules.0.parameters.workflows.0.path'],
  ['a workflow that is no workflow file', requiring({ path: 'ci.yml' }), 'rules.0.parameters.workflows.0.path'],
  ['a workflow in a folder', requiring({ path: '.github/workflows/a/ci.yml' }), 'rules.0.parameters.workflows.0.path'],
  ['a workflow of no repository', requiring({ repository_id: undefined }), 'rules.0.parameters.workflows.0.repository_id'],
  ['a workflow of another owner', requiring({ repository_id: own.id }), 'rules.0.parameters.workflows.0.repository_id'],
  ['a workflow of a short commit', requiring({ sha: 'abc' }), 'rules.0.parameters.workflows.0.sha'],
  ['a workflow of an impossible ref', requiring({ ref: 'a..b' }), 'rules.0.parameters.workflows.0.ref'],
  ['a workflow of a pull request', requiring({ ref: 'refs/pull/1/head' }), 'rules.0.parameters.workflows.0.ref'],
  [
    'too many workflows',
    ruled({ type: 'workflows', parameters: { workflows: Array.from({ length: 21 }, () => required) } }),
    'rules.0.parameters.workflows',
  ],
  [
    'reviews by an assistant with another parameter',
    ruled({ type: 'assistant_code_review', parameters: { review_on_push: 'x' } }),
    'rules.0.parameters.review_on_push',
  ],
  ['a scan of licences', ruled({ type: 'license_compliance_scanning' }), 'rules.0.type'],
  ['a rule without its parameters', ruled({ type: 'pull_request' }), 'rules.0.parameters'],
  [
    'a parameter that is missing',
    ruled({ type: 'pull_request', parameters: { ...reviewed, require_last_push_approval: undefined } }),
    'rules.0.parameters.require_last_push_approval',
  ],
  [
    'too many reviews',
    ruled({ type: 'pull_request', parameters: { ...reviewed, required_approving_review_count: 11 } }),
    'rules.0.parameters.required_approving_review_count',
  ],
  ['a scan without tools', ruled({ type: 'code_scanning', parameters: {} }), 'rules.0.parameters.code_scanning_tools'],
  [
    'an unknown threshold',
    ruled({
      type: 'code_scanning',
      parameters: { code_scanning_tools: [{ tool: 'CodeQL', alerts_threshold: 'notes', security_alerts_threshold: 'all' }] },
    }),
    'rules.0.parameters.code_scanning_tools.0.alerts_threshold',
  ],
  ['the same rule twice', ruled({ type: 'deletion' }, { type: 'update' }, { type: 'deletion' }), 'rules.2.type'],
  ['the name of a tag of a branch', ruled({ type: 'tag_name_pattern', parameters: pattern }), 'rules.0.type'],
  [
    'the name of a branch of a tag',
    { target: 'tag', ...ruled({ type: 'branch_name_pattern', parameters: pattern }) },
    'rules.0.type',
  ],
  ['reviews of a tag', { target: 'tag', ...ruled({ type: 'pull_request', parameters: reviewed }) }, 'rules.0.type'],
  [
    'scans of a tag',
    { target: 'tag', ...ruled({ type: 'code_scanning', parameters: { code_scanning_tools: [] } }) },
    'rules.0.type',
  ],
  [
    'checks of a tag',
    {
      target: 'tag',
      ...ruled({
        type: 'required_status_checks',
        parameters: { strict_required_status_checks_policy: false, required_status_checks: [] },
      }),
    },
    'rules.0.type',
  ],
  ['sizes of files of a branch', ruled({ type: 'max_file_size', parameters: { max_file_size: 1 } }), 'rules.0.type'],
  ['deletion of a push', { target: 'push', ...ruled({ type: 'deletion' }) }, 'rules.0.type'],
  [
    'an expression that RE2 refuses',
    ruled({ type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '(?=x)' } }),
    'rules.0.parameters.pattern',
  ],
  [
    'an expression that is too large',
    ruled({ type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '((a{1,1000}){1,1000})' } }),
    'rules.0.parameters.pattern',
  ],
  [
    'a path that is no pattern',
    {
      target: 'push',
      ...ruled({ type: 'file_path_restriction', parameters: { restricted_file_paths: ['a', '[b'] } }),
    },
    'rules.0.parameters.restricted_file_paths.1',
  ],
  [
    'too many rules',
    ruled(...Array.from({ length: 101 }, () => ({ type: 'commit_message_pattern', parameters: pattern }))),
    'rules',
  ],
  ['a bare branch', refs(['main']), 'conditions.ref_name.include.0'],
  ['a tag for a branch', refs(['~ALL', 'refs/tags/v1']), 'conditions.ref_name.include.1'],
  ['a branch for a tag', refs(['refs/heads/main'], { target: 'tag' }), 'conditions.ref_name.include.0'],
  ['the default branch for a tag', refs(['~DEFAULT_BRANCH'], { target: 'tag' }), 'conditions.ref_name.include.0'],
  ['a class without an end', refs(['refs/heads/[a']), 'conditions.ref_name.include.0'],
  ['too many alternatives', refs([`refs/heads/${'{a,b}'.repeat(7)}`]), 'conditions.ref_name.include.0'],
  ['a bare branch excluded', { conditions: { ref_name: { exclude: ['main'] } } }, 'conditions.ref_name.exclude.0'],
  ['too many patterns', refs(Array.from({ length: 251 }, (_, at) => `refs/heads/${at}`)), 'conditions.ref_name.include'],
  ['refs of a push', refs(['~ALL'], { target: 'push' }), 'conditions.ref_name'],
  ['a pattern that is a number', { conditions: { ref_name: { include: [1] } } }, 'conditions.ref_name.include.0'],
])('in a repository: %s', async (_, more, field) => {
  await unchanged(tables, async () => {
    const reply = await client.post(ofRepo, { ...base, ...more });
    expect(reply).toMatchObject({
      status: 422,
      body: { message: 'Validation Failed', errors: [{ resource: 'Ruleset', field }] },
    });
    expect(reply.body.errors).toHaveLength(1);
  });
});

test('a rule without a type is refused', async () => {
  const { status, body } = await client.post(ofRepo, { ...base, ...ruled({}) });
  expect([status, body.errors[0]]).toEqual([422, { resource: 'Ruleset', field: 'rules.0.type', code: 'missing_field' }]);
});

test('a type that is not offered is named', async () => {
  const { body } = await client.post(ofRepo, {
    ...base,
    ...ruled({ type: 'license_compliance_scanning', parameters: {} }),
  });
  expect(body.errors[0].message).toBe('Rules of the type license_compliance_scanning are not offered by this server');
});

test.each<[string, object, string]>([
  ['no conditions', { conditions: undefined }, 'conditions'],
  ['no condition of repositories', refs(['~ALL']), 'conditions'],
  ['two of them', { conditions: { ...named, repository_id: { repository_ids: [] } } }, 'conditions'],
  ['a name that is no pattern', { conditions: { repository_name: { include: ['[a'] } } }, 'conditions.repository_name.include.0'],
  [
    'a repository of somebody else',
    { conditions: { repository_id: { repository_ids: [engine.id, own.id] } } },
    'conditions.repository_id.repository_ids.1',
  ],
  [
    'a workflow of somebody else',
    { conditions: named, ...requiring({ repository_id: own.id }) },
    'rules.0.parameters.workflows.0.repository_id',
  ],
  [
    'a property without values',
    { conditions: { repository_property: { include: [{ name: 'tier', property_values: [] }] } } },
    'conditions.repository_property.include.0.property_values',
  ],
  [
    'an unknown property of the system',
    { conditions: { repository_property: { exclude: [{ name: 'tier', source: 'system', property_values: ['1'] }] } } },
    'conditions.repository_property.exclude.0.name',
  ],
  ['an unknown target', { target: 'commit' }, 'target'],
  ['a rule about branches of repositories themselves', { target: 'repository', ...ruled({ type: 'deletion' }) }, 'rules.0.type'],
  ['a rule about repositories for branches', ruled({ type: 'repository_create' }), 'rules.0.type'],
  ['a rule about repositories for pushes', { target: 'push', ...ruled({ type: 'repository_create' }) }, 'rules.0.type'],
  [
    'refs of repositories themselves',
    { target: 'repository', conditions: { ...named, ref_name: { include: ['~ALL'] } } },
    'conditions.ref_name',
  ],
  [
    'the same rule about repositories twice',
    { target: 'repository', ...ruled({ type: 'repository_create' }, { type: 'repository_create' }) },
    'rules.1.type',
  ],
  [
    'an expression for names that RE2 refuses',
    { target: 'repository', ...ruled({ type: 'repository_name', parameters: { operator: 'regex', pattern: '(?=x)' } }) },
    'rules.0.parameters.pattern',
  ],
  [
    'an unknown visibility',
    { target: 'repository', ...ruled({ type: 'repository_visibility', parameters: { allowed_visibilities: ['secret'] } }) },
    'rules.0.parameters.allowed_visibilities.0',
  ],
  [
    'no visibility at all',
    { target: 'repository', ...ruled({ type: 'repository_visibility', parameters: { allowed_visibilities: [] } }) },
    'rules.0.parameters.allowed_visibilities',
  ],
  [
    'deploy keys that bypass rules about repositories',
    { target: 'repository', bypass_actors: [{ actor_type: 'DeployKey' }] },
    'bypass_actors.0.actor_type',
  ],
  [
    'a bypass by pull requests of rules about repositories',
    { target: 'repository', bypass_actors: [{ actor_type: 'OrganizationAdmin', bypass_mode: 'pull_request' }] },
    'bypass_actors.0.bypass_mode',
  ],
])('in an organization: %s', async (_, more, field) => {
  await unchanged(tables, async () => {
    const reply = await client.post(ofOrg, { ...base, conditions: named, ...more });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ resource: 'Ruleset', field }] } });
  });
});

test('bypass actors must be of the organization, and have what their type demands', async () => {
  const [stranger, outsider] = [await user(), await user()];
  await w.collaborator(engine, outsider, 'write');
  const other = await org(stranger);
  const { body: foreign } = await (await as(stranger)).post(`/orgs/${other.login}/teams`, { name: fresh('team') });
  const { bot } = await installApp(w, { on: other, permissions: { contents: 'write' } });
  const app = await w.db.selectFrom('apps').select('id').where('bot_id', '=', bot.id).executeTakeFirstOrThrow();
  const wrong: [object, string][] = [
    [{ actor_type: 'Somebody' }, 'actor_type'],
    [{ actor_type: 'User' }, 'actor_id'],
    [{ actor_type: 'User', actor_id: stranger.id }, 'actor_id'],
    [{ actor_type: 'User', actor_id: acme.id }, 'actor_id'],
    [{ actor_type: 'User', actor_id: 999_999 }, 'actor_id'],
    [{ actor_type: 'Team', actor_id: foreign.id }, 'actor_id'],
    [{ actor_type: 'Integration', actor_id: app.id }, 'actor_id'],
    [{ actor_type: 'RepositoryRole', actor_id: 6 }, 'actor_id'],
    [{ actor_type: 'RepositoryRole', actor_id: null }, 'actor_id'],
    [{ actor_type: 'DeployKey', actor_id: 1 }, 'actor_id'],
    [{ actor_type: 'DeployKey', bypass_mode: 'pull_request' }, 'bypass_mode'],
    [{ actor_type: 'RepositoryRole', actor_id: 5, bypass_mode: 'never' }, 'bypass_mode'],
  ];
  await unchanged(tables, async () => {
    for (const [actor, field] of wrong)
      for (const path of [ofRepo, ofOrg]) {
        const { status, body } = await client.post(path, {
          ...base,
          ...(path === ofOrg ? { conditions: named } : {}),
          bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 4 }, actor],
        });
        expect([status, body.errors?.[0]?.field], JSON.stringify(actor)).toEqual([422, `bypass_actors.1.${field}`]);
      }
    const twice = { actor_type: 'RepositoryRole', actor_id: 4 };
    const { body } = await client.post(ofRepo, { ...base, bypass_actors: [twice, { ...twice, bypass_mode: 'exempt' }] });
    expect(body.errors).toMatchObject([{ field: 'bypass_actors.1', code: 'already_exists' }]);
    const tagged = { ...base, target: 'tag', bypass_actors: [{ ...twice, bypass_mode: 'pull_request' }] };
    expect((await client.post(ofRepo, tagged)).body.errors).toMatchObject([{ field: 'bypass_actors.0.bypass_mode' }]);
    const collaborating = { actor_type: 'User', actor_id: outsider.id };
    expect((await client.post(ofOrg, { ...base, conditions: named, bypass_actors: [collaborating] })).status).toBe(422);
    for (const actor of [{ actor_type: 'OrganizationAdmin' }, { actor_type: 'Team', actor_id: foreign.id }]) {
      const personal = await client.post(`/repos/${owner.login}/${own.name}/rulesets`, { ...base, bypass_actors: [actor] });
      expect(personal.body.errors).toMatchObject([{ field: 'bypass_actors.0.actor_type' }]);
    }
  });
  const made = await client.post(ofRepo, { ...base, bypass_actors: [{ actor_type: 'User', actor_id: outsider.id }] });
  expect(made.status).toBe(201);
  await client.delete(`${ofRepo}/${made.body.id}`);
});

test('names are taken once by each owner, whatever their case', async () => {
  const { body: first } = await client.post(ofRepo, { ...base, name: 'Taken' });
  const { body: second } = await client.post(ofRepo, { ...base, name: 'Free' });
  const clash = { status: 422, body: { errors: [{ field: 'name', code: 'already_exists' }] } };
  await unchanged(tables, async () => {
    expect(await client.post(ofRepo, { ...base, name: 'taken' })).toMatchObject(clash);
    expect(await client.put(`${ofRepo}/${second.id}`, { name: 'TAKEN' })).toMatchObject(clash);
  });
  expect((await client.put(`${ofRepo}/${first.id}`, { name: 'taken' })).status).toBe(200);
  expect((await client.post(ofOrg, { ...base, name: 'Taken', conditions: named })).status).toBe(201);
});

test('of two with one name at once, one is made', async () => {
  const made = await Promise.all([1, 2, 3, 4].map(() => client.post(ofRepo, { ...base, name: 'At once' })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
});

test('an owner has at most 75', async () => {
  const { name } = await repo(owner);
  const path = `/repos/${owner.login}/${name}/rulesets`;
  for (let at = 1; at <= 75; at++) expect((await client.post(path, { ...base, name: `Number ${at}` })).status).toBe(201);
  expect(await client.post(path, { ...base, name: 'Number 76' })).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'unprocessable', message: 'There can be at most 75 rulesets here' }] },
  });
});

test('who may not change a ruleset is refused, and what they may not know is not found', async () => {
  const [grace, stranger] = [await user(), await user()];
  await member(acme, grace);
  const hidden = await repo(acme, { by: owner, visibility: 'private' });
  const path = `/repos/${acme.login}/${hidden.name}/rulesets`;
  const { body: kept } = await client.post(path, { ...base, name: 'Kept' });
  const { body: above } = await client.post(ofOrg, { ...base, name: fresh('above'), conditions: named });
  const { body: elsewhere } = await client.post(ofRepo, { ...base, name: fresh('elsewhere') });
  await unchanged(tables, async () => {
    const hers = await as(grace);
    expect((await hers.post(ofOrg, { ...base, conditions: named })).status).toBe(403);
    for (const one of ['', `/${above.id}`, `/${above.id}/history`]) expect((await hers.get(ofOrg + one)).status).toBe(404);
    await w.collaborator(hidden, grace, 'write');
    expect((await hers.get(`${path}/${kept.id}`)).status).toBe(200);
    expect((await hers.put(`${path}/${kept.id}`, { enforcement: 'disabled' })).status).toBe(403);
    expect((await hers.delete(`${path}/${kept.id}`)).status).toBe(403);
    expect((await hers.get(`${path}/${kept.id}/history`)).status).toBe(404);
    const theirs = await as(stranger);
    for (const one of [path, `${path}/${kept.id}`, `${path}/${above.id}`]) expect((await theirs.get(one)).status).toBe(404);
    for (const one of [`${path}/${elsewhere.id}`, `${ofOrg}/${kept.id}`, `${path}/${above.id}/history`])
      expect((await client.get(one)).status).toBe(404);
    expect((await client.put(`${path}/${above.id}`, { enforcement: 'disabled' })).status).toBe(404);
    expect((await client.delete(`${path}/${above.id}`)).status).toBe(404);
    expect((await client.get(`${path}/${kept.id}/history/999999`)).status).toBe(404);
  });
});

test("a repository's ruleset takes workflows of repositories that its author may read, and keeps those that it has", async () => {
  const outsider = await user();
  await w.collaborator(engine, outsider, 'admin');
  const hidden = await repo(acme, { by: owner, visibility: 'private' });
  const theirs = await as(outsider);
  const wanted = { ...base, name: fresh('required'), ...requiring({ repository_id: hidden.id }) };
  await unchanged(tables, async () => {
    expect(await theirs.post(ofRepo, wanted)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'rules.0.parameters.workflows.0.repository_id', message: 'The owner has no such repository' }] },
    });
  });
  const { status, body } = await client.post(ofRepo, wanted);
  expect(status).toBe(201);
  const more = { ...wanted, enforcement: 'disabled', rules: [...wanted.rules, { type: 'deletion' }] };
  expect(await theirs.put(`${ofRepo}/${body.id}`, more)).toMatchObject({ status: 200, body: { enforcement: 'disabled' } });
});
