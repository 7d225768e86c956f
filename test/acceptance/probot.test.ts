import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, type Options, Probot } from 'probot';
import { afterAll, expect, test } from 'vitest';
import { findAppById, installApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

/** An unmodified Probot application that answers every new issue. */
async function answering(options: Options): Promise<string> {
  const probot = new Probot({ baseUrl: `${here.url}/api/v3`, logLevel: 'fatal', ...options });
  const middleware = await createNodeMiddleware(
    (app) => {
      app.on('issues.opened', async (context) => {
        await context.octokit.rest.issues.createComment(context.issue({ body: `Thank you, ${context.payload.sender.login}` }));
      });
    },
    { probot, webhooksPath: '/api/hooks' },
  );
  const server = createServer(middleware as Parameters<typeof createServer>[1]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/hooks`;
}

test('an unmodified Probot application receives, verifies and answers `issues.opened`, as the app that it is', async () => {
  here.clock.now = new Date(); // the application signs its own word by the real time
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner, visibility: 'private' });
  const manifest = {
    name: fresh('answerer'),
    url: 'https://app.example',
    hook_attributes: { url: 'http://127.0.0.1:9/later' },
    default_permissions: { issues: 'write' },
    default_events: ['issues'],
  };
  const code = await here.change((scope) => offerManifest(scope, { manifest, owner, by: owner, now: here.clock.now }));
  const { body: made } = await (await here.as(undefined)).post(`/app-manifests/${code}/conversions`);
  const url = await answering({ appId: made.id, privateKey: made.pem, secret: made.webhook_secret });
  await here.db.updateTable('webhooks').set({ url }).where('app_id', '=', made.id).execute();
  const app = await findAppById(here.db, made.id);
  if (!app) throw new Error('The app is there');
  await here.change((scope) => installApp(scope, { app, account: org, repositories: [repo.id], by: owner, now: here.clock.now }));

  const client = await here.as(owner);
  await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'A question' });
  await here.settle();

  const deliveries = await here.db
    .selectFrom('webhook_deliveries')
    .select(['event', 'action', 'status_code'])
    .orderBy('id')
    .execute();
  expect(deliveries).toEqual([
    { event: 'installation', action: 'created', status_code: 200 },
    { event: 'issues', action: 'opened', status_code: 200 },
  ]);
  const { body: comments } = await client.get(`/repos/${org.login}/${repo.name}/issues/1/comments`);
  expect(comments).toMatchObject([{ body: `Thank you, ${owner.login}`, user: { login: `${made.slug}[bot]`, type: 'Bot' } }]);
});

test('it refuses what is signed by another secret', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const client = await here.as(owner);
  const config = {
    url: await answering({ githubToken: await here.token(owner), secret: 'between us' }),
    content_type: 'json',
    secret: 'guessed',
  };
  const { body: hook } = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config, events: ['issues'] });
  await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'A question' });
  await here.settle();
  const { body: deliveries } = await client.get(`/orgs/${org.login}/hooks/${hook.id}/deliveries`);
  expect(deliveries.map((one: { status_code: number }) => one.status_code)).toEqual([400, 400]);
  expect((await client.get(`/repos/${org.login}/${repo.name}/issues/1/comments`)).body).toEqual([]);
});
