import { verify } from '@octokit/webhooks-methods';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { removeOldDeliveries } from '#resources/platform/webhooks/jobs.ts';
import { heard, listening, parts } from './listening.ts';

async function setting() {
  const at = await listening(); // its own hook, for everything, hears nothing of the others' ends
  const { body: hooks } = await at.client.get(`/orgs/${at.org.login}/hooks`);
  const make = async (path: string, more: object = {}) => {
    const config = { url: `${at.target.url}/${path.length}`, content_type: 'json', secret: 'hush' };
    const { body } = await at.client.post(path, { name: 'web', config, events: ['meta'], ...more });
    await at.here.settle();
    at.target.requests.length = 0;
    return body;
  };
  const rows = async (owner: Account) =>
    at.here.db.selectFrom('webhooks').select(['id', 'active']).where('organization_id', '=', owner.id).execute();
  return { ...at, first: hooks[0], path: `/orgs/${at.org.login}/hooks`, make, rows };
}

test('a deleted webhook that listens for `meta` is told so, signed, and is gone', async () => {
  const { here, owner, org, client, target, path, make, rows, first } = await setting();
  const hook = await make(path);

  expect((await client.delete(`${path}/${hook.id}`)).status).toBe(204);
  expect((await client.get(`${path}/${hook.id}`)).status).toBe(404);
  expect((await client.delete(`${path}/${hook.id}`)).status).toBe(404);
  expect((await client.get(path)).body.map(({ id }: { id: number }) => id)).toEqual([first.id]);
  await here.settle();

  expect(target.requests).toHaveLength(1);
  const [delivered] = target.requests;
  expect(delivered?.headers).toMatchObject({ 'x-github-event': 'meta', 'x-github-hook-id': String(hook.id) });
  expect(await verify('hush', delivered?.body ?? '', String(delivered?.headers['x-hub-signature-256']))).toBe(true);
  const told = await heard(here, target);
  expect(told['meta.deleted']).toMatchObject({ hook_id: hook.id, hook, ...parts(org, owner) });
  expect(await rows(org)).toEqual([{ id: first.id, active: true }]);
});

test('the webhook of a repository is told with its repository', async () => {
  const { here, owner, org, client, target, make } = await setting();
  const { name } = await here.repo(org, { by: owner });
  const path = `/repos/${org.login}/${name}/hooks`;
  const hook = await make(path, { events: ['*'] });
  await client.delete(`${path}/${hook.id}`);
  const told = await heard(here, target);
  expect(told['meta.deleted']).toMatchObject({
    hook: { id: hook.id, type: 'Repository', active: true, config: { secret: '********' } },
    repository: { full_name: `${org.login}/${name}` },
    ...parts(org, owner),
  });
});

test('one that does not listen for `meta`, or does not listen at all, goes without a word', async () => {
  const { here, org, client, target, path, make, rows } = await setting();
  const { id: deaf } = await make(path, { events: ['push'] });
  await client.delete(`${path}/${deaf}`);
  const { id: inactive } = await make(path, { active: false });
  await client.delete(`${path}/${inactive}`);
  await here.settle();
  expect(target.requests).toEqual([]);
  expect(await rows(org)).toHaveLength(1);
});

test('its place is free at once, and it hears of nothing more', async () => {
  const { here, org, client, target, path, make } = await setting();
  const wanted = { events: ['meta', 'label', 'repository'] };
  const { id } = await make(path, wanted);
  await client.delete(`${path}/${id}`);
  const again = await client.post(path, {
    name: 'web',
    config: { url: `${target.url}/${path.length}`, content_type: 'json', secret: 'hush' },
    ...wanted,
  });
  expect(again.status).toBe(201);
  await client.post(`/orgs/${org.login}/repos`, { name: 'engine' });
  await here.settle();
  const heardBy = target.requests.map(({ headers }) => [headers['x-github-event'], Number(headers['x-github-hook-id'])]);
  expect(heardBy).toContainEqual(['meta', id]);
  expect(heardBy.filter(([, hook]) => hook === id)).toHaveLength(1);
});

test('one whose receiver is away is gone all the same, and so is one that a dead worker left', async () => {
  const { here, org, client, path, make, rows } = await setting();
  const { id } = await make(path, { config: { url: 'http://127.0.0.1:9/nobody' } });
  await client.delete(`${path}/${id}`);
  await here.settle();
  expect(await rows(org)).toHaveLength(1);

  const { id: left } = await make(path);
  await here.db.updateTable('webhooks').set({ deleted_at: here.clock.now, active: false }).where('id', '=', left).execute();
  await removeOldDeliveries.run({}, here.jobContext());
  expect(await rows(org)).toHaveLength(1);
});
