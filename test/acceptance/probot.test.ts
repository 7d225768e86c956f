import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Probot } from 'probot';
import { afterAll, expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

/** An unmodified Probot application that answers every new issue. */
async function answering(token: string, secret: string): Promise<string> {
  const probot = new Probot({ githubToken: token, secret, baseUrl: `${here.url}/api/v3`, logLevel: 'fatal' });
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

test('an unmodified Probot application receives, verifies and answers `issues.opened`', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const app = await installApp(here, { on: org, permissions: { issues: 'write' } });
  const client = await here.as(owner);
  const config = { url: await answering(app.token, 'between us'), content_type: 'json', secret: 'between us' };
  const { body: hook } = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config, events: ['issues'] });

  await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'A question' });
  await here.settle();

  const { body: deliveries } = await client.get(`/orgs/${org.login}/hooks/${hook.id}/deliveries`);
  expect(deliveries).toMatchObject([
    { event: 'issues', action: 'opened', status_code: 200 },
    { event: 'ping', status_code: 200 },
  ]);
  const { body: comments } = await client.get(`/repos/${org.login}/${repo.name}/issues/1/comments`);
  expect(comments).toMatchObject([{ body: `Thank you, ${owner.login}`, user: { login: app.bot.login, type: 'Bot' } }]);
});

test('it refuses what is signed by another secret', async () => {
  const owner = await here.user();
  const org = await here.org(owner);
  const repo = await here.repo(org, { by: owner });
  const client = await here.as(owner);
  const config = { url: await answering(await here.token(owner), 'between us'), content_type: 'json', secret: 'guessed' };
  const { body: hook } = await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config, events: ['issues'] });
  await client.post(`/repos/${org.login}/${repo.name}/issues`, { title: 'A question' });
  await here.settle();
  const { body: deliveries } = await client.get(`/orgs/${org.login}/hooks/${hook.id}/deliveries`);
  expect(deliveries.map((one: { status_code: number }) => one.status_code)).toEqual([400, 400]);
  expect((await client.get(`/repos/${org.login}/${repo.name}/issues/1/comments`)).body).toEqual([]);
});
