import { expect, test } from 'vitest';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

async function setting() {
  const [owner, member] = [await w.user(), await w.user()];
  const org = await w.org(owner);
  await w.member(org, member);
  const [client, theirs] = [await w.as(owner), await w.as(member)];
  const path = `/orgs/${org.login}`;
  const create = async (visibility: string) => (await theirs.post(`${path}/repos`, { name: fresh('made'), visibility })).status;
  return { client, theirs, path, create };
}

test.each([
  [{ members_can_create_public_repositories: false }, { public: 403, private: 201 }],
  [{ members_can_create_private_repositories: false }, { public: 201, private: 403 }],
  [{ members_can_create_internal_repositories: false }, { internal: 403, public: 201 }],
  [{ members_can_create_internal_repositories: true }, { internal: 201 }],
  [{ members_can_create_repositories: false }, { public: 403, private: 403 }],
  [{ members_allowed_repository_creation_type: 'none' }, { public: 403, private: 403 }],
  [{ members_allowed_repository_creation_type: 'private' }, { public: 403, private: 201 }],
  [{ members_allowed_repository_creation_type: 'all' }, { public: 201, private: 201 }],
])('with %o, members create repositories so: %o', async (settings, expected) => {
  const { client, path, create } = await setting();
  expect((await client.patch(path, settings)).body).toMatchObject(settings);
  for (const [visibility, status] of Object.entries(expected)) expect(await create(visibility), visibility).toBe(status);
});

test('without members_can_create_pages, only owners publish websites', async () => {
  const { client, theirs, path } = await setting();
  const { body } = await client.post(`${path}/repos`, { name: fresh('site'), auto_init: true });
  await client.patch(path, { default_repository_permission: 'admin', members_can_create_pages: false });
  const pages = `/repos/${body.full_name}/pages`;
  expect((await theirs.post(pages, { source: { branch: 'main' } })).status).toBe(403);
  expect((await client.post(pages, { source: { branch: 'main' } })).status).toBe(201);
});

test('new repositories begin with alerts and security updates where the organization wants them', async () => {
  const { client, path } = await setting();
  await client.patch(path, {
    dependency_bot_alerts_enabled_for_new_repositories: true,
    dependency_bot_security_updates_enabled_for_new_repositories: true,
  });
  const { body } = await client.post(`${path}/repos`, { name: fresh('alerted') });
  expect(body.security_and_analysis.dependency_bot_security_updates).toEqual({ status: 'enabled' });
  expect((await client.get(`/repos/${body.full_name}/vulnerability-alerts`)).status).toBe(204);
});

test('the profile of an organization is kept and shown', async () => {
  const { client, path } = await setting();
  const profile = {
    twitter_username: 'acme',
    billing_email: 'billing@acme.example',
    company: 'Acme',
    blog: 'https://acme.example',
    name: 'The Acme Company',
    description: 'Makes everything.',
    location: 'Arizona',
    email: 'hello@acme.example',
  };
  expect((await client.patch(path, profile)).body).toMatchObject(profile);
  expect((await client.get(path)).body).toMatchObject(profile);
});
