import { createPrivateKey } from 'node:crypto';
import { verify } from '@octokit/webhooks-methods';
import { importPKCS8, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createApp, findInstallationOn, installApp, makeAppKeys } from '#resources/repositories/apps/index.ts';
import { receiver } from '#test/support/receiver.ts';
import { fresh } from '#test/support/world.ts';
import { heard, listening } from './listening.ts';

const keys = await makeAppKeys();

/** An app of an organization's owner, speaking for itself. */
async function setting() {
  const { here, owner, org, target: orgTarget } = await listening();
  const { clock } = here;
  const wish = {
    owner,
    kind: 'app' as const,
    name: fresh('app'),
    externalUrl: 'https://app.example',
    publicKey: keys.publicKey,
    permissions: { metadata: 'read', organization_webhooks: 'read' },
    events: ['repository'],
    now: clock.now,
  };
  const { app } = await here.change((scope) => createApp(scope, wish));
  const key = await importPKCS8(createPrivateKey(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(), 'RS256');
  const at = Math.floor(clock.now.getTime() / 1000);
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(app.client_id)
    .setIssuedAt(at)
    .setExpirationTime(at + 500)
    .sign(key);
  return { here, owner, org, app, orgTarget, target: await receiver(), client: await here.as(jwt) };
}

test('an app gives itself a webhook, changes it, and hears where it is installed', async () => {
  const { here, owner, org, app, orgTarget, target, client } = await setting();
  expect((await client.get('/app/hook/config')).body).toEqual({});
  expect((await client.get('/app/hook/deliveries')).body).toEqual([]);
  expect((await client.patch('/app/hook/config', { content_type: 'json' })).body.errors).toMatchObject([{ field: 'url' }]);
  const changed = await client.patch('/app/hook/config', { url: target.url, content_type: 'json', secret: 's' });
  const config = { url: target.url, content_type: 'json', insecure_ssl: '0', secret: '********' };
  expect(changed).toMatchObject({ status: 200, body: config });
  expect((await client.get('/app/hook/config')).body).toEqual(config);
  expect((await client.patch('/app/hook/config', { url: 'http://10.0.0.1/' })).status).toBe(422);

  const install = { app, account: org, repositories: 'all', by: owner, now: here.clock.now } as const;
  const { name } = await here.repo(org, { by: owner, visibility: 'private' });
  await here.change((scope) => installApp(scope, install));
  expect(await heard(here, target)).toMatchObject({
    'installation.created': {
      installation: { app_slug: app.slug, permissions: { organization_hooks: 'read' }, account: { login: org.login } },
      repositories: [{ name, private: true }],
      sender: { login: owner.login },
    },
  });
  expect(orgTarget.requests.map(({ headers }) => headers['x-github-event'])).not.toContain('installation');

  await (await here.as(owner)).patch(`/repos/${org.login}/${name}`, { description: 'told' });
  await here.settle();
  const [sent] = target.requests;
  expect(await verify('s', sent?.body ?? '', String(sent?.headers['x-hub-signature-256']))).toBe(true);
  const installation = await findInstallationOn(here.db, app.id, org.id);
  expect(await heard(here, target)).toMatchObject({
    'repository.edited': { repository: { name }, installation: { id: installation?.id } },
  });

  const [last] = (await client.get('/app/hook/deliveries?per_page=1')).body;
  expect(last).toMatchObject({ event: 'repository', action: 'edited', installation_id: installation?.id });
  expect((await client.get(`/app/hook/deliveries/${last.id}`)).body.request.payload.installation.id).toBe(installation?.id);
  expect((await client.post(`/app/hook/deliveries/${last.id}/attempts`)).status).toBe(202);
  await here.settle();
  expect(target.requests).toHaveLength(1);
  target.requests.length = 0;

  const suspended = `/app/installations/${installation?.id}/suspended`;
  for (const _twice of [1, 2]) expect((await client.put(suspended)).status).toBe(204);
  expect(await heard(here, target)).toMatchObject({
    'installation.suspend': { installation: { id: installation?.id, suspended_at: expect.any(String) } },
  });
  await client.put(suspended);
  expect(await heard(here, target)).toEqual({});
  for (const _twice of [1, 2]) expect((await client.delete(suspended)).status).toBe(204);
  expect(await heard(here, target)).toMatchObject({
    'installation.unsuspend': { installation: { id: installation?.id, suspended_at: null } },
  });

  expect((await client.delete(`/app/installations/${installation?.id}`)).status).toBe(204);
  expect(await heard(here, target)).toMatchObject({ 'installation.deleted': { installation: { id: installation?.id } } });
});

test('an app reaches its own deliveries alone, and nobody else reaches them', async () => {
  const [one, other] = [await setting(), await setting()];
  for (const { client, target } of [one, other]) await client.patch('/app/hook/config', { url: target.url });
  const { here, owner, org, app, client } = one;
  await here.change((scope) => installApp(scope, { app, account: org, repositories: 'all', by: owner, now: here.clock.now }));
  await here.settle();
  const [delivery] = (await client.get('/app/hook/deliveries')).body;
  expect((await other.client.get(`/app/hook/deliveries/${delivery.id}`)).status).toBe(404);
  expect((await other.client.post(`/app/hook/deliveries/${delivery.id}/attempts`)).status).toBe(404);
  expect((await (await here.as(owner)).get('/app/hook/config')).status).toBe(401);
});

test('an app learns of the repositories that leave its installation, and of no others', async () => {
  const { here, owner, org, app, target, client } = await setting();
  await client.patch('/app/hook/config', { url: target.url, content_type: 'json' });
  const [gone, moved, other] = [1, 2, 3].map(() => here.repo(org, { by: owner, visibility: 'private' }));
  const repositories = [(await gone)?.id, (await moved)?.id].filter((id) => id !== undefined);
  const install = { app, account: org, repositories, by: owner, now: here.clock.now };
  const installation = await here.change((scope) => installApp(scope, install));
  await heard(here, target);
  const admin = await here.as(owner);
  const removedOf = ({ id, name }: { id: number; name: string }) => ({
    'installation_repositories.removed': {
      installation: { id: installation.id, repository_selection: 'selected' },
      repository_selection: 'selected',
      repositories_added: [],
      repositories_removed: [{ id, name, full_name: `${org.login}/${name}`, private: true }],
      requester: null,
      sender: { login: owner.login },
    },
  });
  const [first, second, third] = await Promise.all([gone, moved, other]);
  if (!first || !second || !third) throw new Error('No repositories');
  await admin.delete(`/repos/${org.login}/${third.name}`);
  expect(await heard(here, target)).toEqual({});
  await admin.delete(`/repos/${org.login}/${first.name}`);
  expect(await heard(here, target)).toMatchObject(removedOf(first));
  await admin.post(`/repos/${org.login}/${second.name}/transfer`, { new_owner: owner.login });
  expect(await heard(here, target)).toMatchObject(removedOf(second));
});
