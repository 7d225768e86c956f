import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

const products = [
  'advanced_security',
  'code_security',
  'secret_scanning_ai_detection',
  'secret_scanning_delegated_alert_dismissal',
  'secret_scanning_delegated_bypass',
];

test.each(products)('%s can not be switched on, and is off', async (product) => {
  const ada = await w.user();
  const client = await w.as(ada);
  const { name } = await w.repo(ada);
  const path = `/repos/${ada.login}/${name}`;
  const change = (status: string) => client.patch(path, { security_and_analysis: { [product]: { status } } });
  await w.unchanged(['repositories', 'events'], async () => {
    expect(await change('enabled')).toMatchObject({
      status: 422,
      body: { errors: [{ field: `security_and_analysis.${product}.status`, code: 'invalid' }] },
    });
  });
  expect((await change('disabled')).status).toBe(200);
});

/** Features that clients ask for with each new repository. */
const sentByDefault = ['has_projects', 'has_wiki'];

test.each(['has_projects', 'has_wiki', 'has_discussions', 'allow_auto_merge'])(
  '%s is off, can be said to be off, and is never switched on',
  async (feature) => {
    const ada = await w.user();
    const client = await w.as(ada);
    const { body: made } = await client.post('/user/repos', { name: 'engine', [feature]: false });
    expect(made[feature]).toBe(false);
    const path = `/repos/${made.full_name}`;
    expect(await client.patch(path, { [feature]: false })).toMatchObject({ status: 200, body: { [feature]: false } });
    const message = `${feature} can't be true: it is no part of this server`;
    const refused = { status: 422, body: { errors: [{ resource: 'Repository', field: feature, code: 'invalid', message }] } };
    await w.unchanged(['repositories', 'events'], async () => {
      expect(await client.patch(path, { [feature]: true })).toMatchObject(refused);
      if (!sentByDefault.includes(feature))
        expect(await client.post('/user/repos', { name: 'other', [feature]: true })).toMatchObject(refused);
    });
  },
);

test('a new repository that is wanted with a wiki and projects, as clients do by default, has none', async () => {
  const client = await w.as(await w.user());
  const made = await client.post('/user/repos', { name: 'pump', has_wiki: true, has_projects: true });
  expect(made).toMatchObject({ status: 201, body: { has_wiki: false, has_projects: false } });
});

test('an organization that switched off projects for its repositories refuses new ones with them', async () => {
  const owner = await w.user();
  const org = await w.org(owner);
  const client = await w.as(owner);
  const path = `/orgs/${org.login}`;
  expect((await client.post(`${path}/repos`, { name: 'before', has_projects: true })).status).toBe(201);
  expect((await client.patch(path, { has_repository_projects: false })).body.has_repository_projects).toBe(false);
  await w.unchanged(['repositories', 'events'], async () => {
    expect(await client.post(`${path}/repos`, { name: 'engine', has_projects: true })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'has_projects', message: `${org.login} has switched off projects for its repositories` }] },
    });
  });
  for (const more of [{}, { has_projects: false }])
    expect((await client.post(`${path}/repos`, { name: fresh('engine'), ...more })).status).toBe(201);
});

test('an organization can not want licences for its new repositories', async () => {
  const owner = await w.user();
  const client = await w.as(owner);
  const path = `/orgs/${(await w.org(owner)).login}`;
  const field = 'advanced_security_enabled_for_new_repositories';
  await w.unchanged(['organizations', 'events'], async () => {
    expect(await client.patch(path, { [field]: true })).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });
  expect((await client.patch(path, { [field]: false })).body[field]).toBe(false);
});

test('nobody can be named who reviews bypasses', async () => {
  const ada = await w.user();
  const { name } = await w.repo(ada);
  const options = { reviewers: [{ reviewer_id: 1, reviewer_type: 'TEAM' }] };
  const wanted = { security_and_analysis: { secret_scanning_delegated_bypass_options: options } };
  expect((await (await w.as(ada)).patch(`/repos/${ada.login}/${name}`, wanted)).status).toBe(422);
});

test('the older name of the title of squashed commits sets the newer one', async () => {
  const ada = await w.user();
  const client = await w.as(ada);
  const { body } = await client.post('/user/repos', { name: 'squashed', use_squash_pr_title_as_default: true });
  expect(body).toMatchObject({ use_squash_pr_title_as_default: true, squash_merge_commit_title: 'PR_TITLE' });
  const path = `/repos/${body.full_name}`;
  expect((await client.patch(path, { use_squash_pr_title_as_default: false })).body).toMatchObject({
    use_squash_pr_title_as_default: false,
    squash_merge_commit_title: 'COMMIT_OR_PR_TITLE',
  });
  const both = { use_squash_pr_title_as_default: false, squash_merge_commit_title: 'PR_TITLE' };
  expect((await client.patch(path, both)).body.squash_merge_commit_title).toBe('PR_TITLE');
});
