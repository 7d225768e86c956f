import { expect, test } from 'vitest';
import { point } from '#test/resources/commits/setting.ts';
import { nothing } from './bodies.ts';
import { setting } from './setting.ts';

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
