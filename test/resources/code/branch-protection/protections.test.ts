import { expect, test } from 'vitest';
import { point } from '#test/resources/code/commits/setting.ts';
import { nothing } from './bodies.ts';
import { app, collaborator, setting, team } from './setting.ts';

test('a branch is protected, shown as protected, and no longer protected', async () => {
  const { client, base, path } = await setting();
  expect(await client.get(base)).toMatchObject({ status: 404, body: { message: 'Branch not protected' } });
  const put = await client.put(base, {
    required_status_checks: { strict: true, contexts: ['build', 'test'] },
    enforce_admins: true,
    required_pull_request_reviews: { dismiss_stale_reviews: true, required_approving_review_count: 2 },
    restrictions: { users: [], teams: [], apps: [] },
    required_linear_history: true,
  });
  expect(put).toMatchObject({
    status: 200,
    body: {
      required_status_checks: {
        strict: true,
        contexts: ['build', 'test'],
        checks: [
          { context: 'build', app_id: null },
          { context: 'test', app_id: null },
        ],
      },
      enforce_admins: { enabled: true },
      required_pull_request_reviews: {
        dismiss_stale_reviews: true,
        require_code_owner_reviews: false,
        require_last_push_approval: false,
        required_approving_review_count: 2,
      },
      restrictions: { users: [], teams: [], apps: [] },
      required_linear_history: { enabled: true },
      required_signatures: { enabled: false },
      allow_force_pushes: { enabled: false },
    },
  });
  expect(await client.get(base)).toMatchObject({ status: 200, body: put.body });
  expect((await client.get(`${path}/branches/main`)).body).toMatchObject({
    protected: true,
    protection: { enabled: true, required_status_checks: { enforcement_level: 'everyone', contexts: ['build', 'test'] } },
  });
  expect((await client.delete(base)).status).toBe(204);
  expect((await client.get(base)).status).toBe(404);
  expect((await client.delete(base)).status).toBe(404);
  expect((await client.get(`${path}/branches/main`)).body.protected).toBe(false);
});

test('a branch with a slash has a protection, whose addresses lead to it', async () => {
  const { client, path, repo, oids, w } = await setting('user');
  await point(w, repo, 'refs/heads/feature/x', oids[0] ?? '');
  const { protection_url } = (await client.get(`${path}/branches/feature/x`)).body;
  const address = new URL(protection_url).pathname.replace('/api/v3', '');
  const { status, body } = await client.put(address, nothing);
  expect([status, body.url]).toEqual([200, protection_url]);
  expect((await client.get(`${path}/branches?protected=true`)).body).toMatchObject([{ name: 'feature/x', protected: true }]);
  expect((await client.get(`${path}/branches?protected=false`)).body).toMatchObject([{ name: 'main', protected: false }]);
});

test('a renamed branch keeps its protection, and the protection of a name holds for whatever branch has it', async () => {
  const { client, path, repo, oids, w } = await setting('user');
  const protect = (name: string, count: number) =>
    client.put(`${path}/branches/${name}/protection`, {
      ...nothing,
      allow_deletions: true,
      required_pull_request_reviews: { required_approving_review_count: count },
    });
  const countOf = async (name: string) =>
    (await client.get(`${path}/branches/${name}/protection`)).body.required_pull_request_reviews?.required_approving_review_count;
  for (const name of ['one', 'two']) await point(w, repo, `refs/heads/${name}`, oids[0] ?? '');
  await protect('one', 1);
  await protect('two', 2);
  const rename = (from: string, to: string) => client.post(`${path}/branches/${from}/rename`, { new_name: to });
  expect(await rename('one', 'three')).toMatchObject({ status: 201, body: { protected: true } });
  expect(await countOf('three')).toBe(1);
  expect((await client.get(`${path}/branches/one/protection`)).status).toBe(301);

  expect((await client.delete(`${path}/git/refs/heads/two`)).status).toBe(204);
  expect((await client.get(`${path}/branches/two/protection`)).status).toBe(404);
  await point(w, repo, 'refs/heads/two', oids[0] ?? '');
  expect(await countOf('two')).toBe(2);
  await client.delete(`${path}/git/refs/heads/two`);
  expect((await rename('three', 'two')).status).toBe(201);
  expect(await countOf('two')).toBe(2);
});

test('required signatures outlast a request for the whole protection, which cannot speak of them', async () => {
  const { client, base } = await setting('user');
  await client.put(base, nothing);
  await client.post(`${base}/required_signatures`);
  expect((await client.put(base, { ...nothing, enforce_admins: true })).body).toMatchObject({
    enforce_admins: { enabled: true },
    required_signatures: { enabled: true },
  });
});

test('what is shown may be sent back, and is the same then', async () => {
  const here = await setting();
  const { client, base } = here;
  const [user, slug, bot] = [await collaborator(here), await team(here), await app(here)];
  const actors = { users: [user.login], teams: [slug], apps: [bot.slug] };
  const switches = ['required_linear_history', 'allow_force_pushes', 'allow_deletions', 'block_creations'];
  const others = ['required_conversation_resolution', 'lock_branch', 'allow_fork_syncing'];
  const wanted = {
    required_status_checks: {
      strict: true,
      checks: [
        { context: 'build', app_id: bot.id },
        { context: 'lint', app_id: -1 },
      ],
    },
    enforce_admins: true,
    required_pull_request_reviews: {
      dismissal_restrictions: actors,
      bypass_pull_request_allowances: actors,
      dismiss_stale_reviews: true,
      require_code_owner_reviews: true,
      require_last_push_approval: true,
      required_approving_review_count: 0,
    },
    restrictions: actors,
    ...Object.fromEntries([...switches, ...others].map((name) => [name, true])),
  };
  await client.put(base, wanted);
  const { body } = await client.get(base);
  // biome-ignore lint/suspicious/noExplicitAny: a reply as a client turns it into a request
  const named = ({ users, teams, apps }: any) => ({
    users: users.map(({ login }: { login: string }) => login),
    teams: teams.map((one: { slug: string }) => one.slug),
    apps: apps.map((one: { slug: string }) => one.slug),
  });
  const { url: _, dismissal_restrictions, bypass_pull_request_allowances, ...reviews } = body.required_pull_request_reviews;
  const again = {
    required_status_checks: body.required_status_checks,
    enforce_admins: body.enforce_admins.enabled,
    required_pull_request_reviews: {
      ...reviews,
      dismissal_restrictions: named(dismissal_restrictions),
      bypass_pull_request_allowances: named(bypass_pull_request_allowances),
    },
    restrictions: named(body.restrictions),
    ...Object.fromEntries([...switches, ...others].map((name) => [name, body[name].enabled])),
  };
  expect(again).toMatchObject({ ...wanted, required_status_checks: { strict: true, contexts: ['build', 'lint'] } });
  expect((await client.put(base, again)).body).toEqual(body);
});
