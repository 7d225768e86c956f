import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { subjectTemplateOf } from '#resources/actions/actions-oidc/index.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const tables = ['oidc_organization_templates', 'oidc_repository_templates', 'oidc_properties', 'events'];

async function setting() {
  const owner = await here.user();
  const org = await here.org(owner);
  const engine = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const client = await here.as(owner);
  const ofOrg = `/orgs/${org.login}/actions/oidc/customization`;
  const ofRepo = `/repos/${org.login}/${engine.name}/actions/oidc/customization/sub`;
  const template = (repo: RepositoryRow = engine) => subjectTemplateOf(here.db, repo);
  return { owner, org, engine, client, ofOrg, ofRepo, template };
}

test('subjects are made by the default template at first', async () => {
  const { org, engine, client, ofOrg, ofRepo, template } = await setting();
  expect((await client.get(`${ofOrg}/sub`)).body).toEqual({
    include_claim_keys: ['repo', 'context'],
    use_immutable_subject: false,
  });
  expect((await client.get(ofRepo)).body).toEqual({
    use_default: true,
    use_immutable_subject: false,
    sub_claim_prefix: `repo:${org.login}/${engine.name}`,
  });
  expect(await template()).toMatchObject({ claimKeys: ['repo', 'context'], isImmutable: false, properties: {} });
});

test('a repository has the default template, its organization’s, or one of its own', async () => {
  const { client, ofOrg, ofRepo, template } = await setting();
  const organization = ['repo', 'context', 'job_workflow_ref'];
  expect(await client.put(`${ofOrg}/sub`, { include_claim_keys: organization })).toMatchObject({ status: 201, body: {} });
  expect((await template()).claimKeys).toEqual(['repo', 'context']);
  expect(await client.put(ofRepo, { use_default: false })).toMatchObject({ status: 201, body: {} });
  expect((await client.get(ofRepo)).body).toMatchObject({ use_default: false, include_claim_keys: organization });
  expect((await template()).claimKeys).toEqual(organization);
  const own = ['repository_id', 'environment'];
  expect((await client.put(ofRepo, { use_default: false, include_claim_keys: own })).status).toBe(201);
  expect((await template()).claimKeys).toEqual(own);
  expect((await client.put(ofRepo, { use_default: true, include_claim_keys: own })).status).toBe(201);
  expect((await client.get(ofRepo)).body).not.toHaveProperty('include_claim_keys');
  expect((await template()).claimKeys).toEqual(['repo', 'context']);
});

test('subjects with ids are for an organization, or for a repository by its own word', async () => {
  const { org, engine, client, ofOrg, ofRepo, template } = await setting();
  await client.put(`${ofOrg}/sub`, { use_immutable_subject: true });
  expect((await client.get(ofRepo)).body).toEqual({
    use_default: true,
    use_immutable_subject: true,
    sub_claim_prefix: `repo:${org.login}@${org.id}/${engine.name}@${engine.id}`,
  });
  await client.put(ofRepo, { use_default: true, use_immutable_subject: false });
  expect((await template()).isImmutable).toBe(false);
  await client.put(ofRepo, { use_default: true });
  expect((await template()).isImmutable).toBe(false);
});

test.each([
  [{ include_claim_keys: ['repo', 'nonsense'] }, 'nonsense is no claim of identity tokens'],
  [{ include_claim_keys: ['repo_property_'] }, 'repo_property_ is no claim of identity tokens'],
  [{ include_claim_keys: [] }, undefined],
  [{ include_claim_keys: ['repo', 'repo'] }, undefined],
  [{ include_claim_keys: ['re-po'] }, undefined],
] as const)('%o is refused', async (body, message) => {
  const { client, ofOrg, ofRepo } = await setting();
  await here.unchanged(tables, async () => {
    const replies = [await client.put(`${ofOrg}/sub`, body), await client.put(ofRepo, { use_default: false, ...body })];
    for (const reply of replies) {
      expect(reply.status).toBe(422);
      if (message !== undefined)
        expect(reply.body.errors).toContainEqual(
          reply === replies[0]
            ? expect.objectContaining({ field: 'include_claim_keys', message })
            : `include_claim_keys: ${message}`,
        );
    }
  });
});

test('tokens tell of the custom properties that were included, with the values of the repository', async () => {
  const { org, engine, client, ofOrg, template } = await setting();
  const properties = `/orgs/${org.login}/properties`;
  const path = `${ofOrg}/properties/repo`;
  const single = { value_type: 'single_select', allowed_values: ['a', 'b'], required: true, default_value: 'a' };
  await client.put(`${properties}/schema/Stage`, single);
  await client.put(`${properties}/schema/teams`, { value_type: 'multi_select', allowed_values: ['x', 'y'] });
  await client.put(`${properties}/schema/secret`, { value_type: 'string' });
  const included = { custom_property_name: 'Stage', inclusion_source: 'organization' };
  expect(await client.post(path, { custom_property_name: 'stage' })).toMatchObject({ status: 201, body: included });
  await client.post(path, { custom_property_name: 'teams' });
  expect((await client.get(path)).body).toEqual([included, { ...included, custom_property_name: 'teams' }]);
  expect((await template()).properties).toEqual({ repo_property_Stage: 'a' });
  await client.patch(`/repos/${org.login}/${engine.name}/properties/values`, {
    properties: [
      { property_name: 'teams', value: ['x', 'y'] },
      { property_name: 'secret', value: 'hidden' },
    ],
  });
  expect((await template()).properties).toEqual({ repo_property_Stage: 'a', repo_property_teams: ['x', 'y'] });
  expect((await client.delete(`${path}/STAGE`)).status).toBe(204);
  expect((await client.delete(`${path}/Stage`)).status).toBe(404);
  await client.delete(`${properties}/schema/teams`);
  expect((await client.get(path)).body).toEqual([]);
  expect((await template()).properties).toEqual({});
});

test('only a property that exists is included, and once', async () => {
  const { org, client, ofOrg } = await setting();
  const path = `${ofOrg}/properties/repo`;
  await client.put(`/orgs/${org.login}/properties/schema/stage`, { value_type: 'string' });
  const include = (custom_property_name: string) => client.post(path, { custom_property_name });
  await include('stage');
  await here.unchanged(tables, async () => {
    expect(await include('Stage')).toMatchObject({ status: 422, body: { errors: [{ code: 'already_exists' }] } });
    expect(await include('other')).toMatchObject({ status: 422, body: { errors: [{ code: 'invalid' }] } });
  });
});

test('those who write to a repository see its template, and its administrators alone change it', async () => {
  const { org, engine, ofOrg, ofRepo } = await setting();
  const [writer, member] = [await here.user(), await here.user()];
  await here.collaborator(engine, writer, 'write');
  await here.member(org, member);
  const client = await here.as(writer);
  expect((await client.get(ofRepo)).status).toBe(200);
  expect((await client.put(ofRepo, { use_default: false })).status).toBe(403);
  expect((await (await here.as(member)).put(`${ofOrg}/sub`, { use_immutable_subject: true })).status).toBe(403);
});

test('each change is an event', async () => {
  const { org, engine, client, ofOrg, ofRepo } = await setting();
  const path = `${ofOrg}/properties/repo`;
  await client.put(`/orgs/${org.login}/properties/schema/stage`, { value_type: 'string' });
  await client.put(`${ofOrg}/sub`, { use_immutable_subject: true });
  await client.put(ofRepo, { use_default: false, include_claim_keys: ['repo'] });
  await client.post(path, { custom_property_name: 'stage' });
  await client.delete(`${path}/stage`);
  const events = await here.db
    .selectFrom('events')
    .select(['kind', 'repository_id', 'data'])
    .where('kind', 'like', 'oidc%')
    .where('owner_id', '=', org.id)
    .orderBy('id')
    .execute();
  expect(events).toEqual([
    { kind: 'oidc_subject.changed', repository_id: null, data: { use_immutable_subject: true } },
    { kind: 'oidc_subject.changed', repository_id: engine.id, data: { use_default: false, include_claim_keys: ['repo'] } },
    { kind: 'oidc_property.included', repository_id: null, data: { property_name: 'stage' } },
    { kind: 'oidc_property.excluded', repository_id: null, data: { property_name: 'stage' } },
  ]);
});

test('reading costs one statement beside that of the path, with many properties too', async () => {
  const { owner, org, client, ofOrg, ofRepo } = await setting();
  const counted = async () => [
    await here.statements(owner, ofRepo),
    await here.statements(owner, `${ofOrg}/sub`),
    await here.statements(owner, `${ofOrg}/properties/repo`),
  ];
  expect(await counted()).toEqual([2, 2, 2]);
  for (let i = 0; i < 12; i++) {
    await client.put(`/orgs/${org.login}/properties/schema/p${i}`, { value_type: 'string' });
    await client.post(`${ofOrg}/properties/repo`, { custom_property_name: `p${i}` });
  }
  expect((await client.get(`${ofOrg}/properties/repo`)).body).toHaveLength(12);
  expect(await counted()).toEqual([2, 2, 2]);
});
