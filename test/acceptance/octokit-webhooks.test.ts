import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

const clientOf = (auth: string) =>
  new Octokit({ auth, baseUrl: `${here.url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } });

test('Octokit’s methods for webhooks of organizations', async () => {
  const owner = await here.user();
  const { login: org } = await here.org(owner);
  const target = await receiver();
  const { rest, paginate } = clientOf(await here.token(owner, ['admin:org_hook']));
  const config = { url: target.url, content_type: 'json', secret: 's', insecure_ssl: '0' };

  const created = await rest.orgs.createWebhook({ org, name: 'web', config, events: ['*'], active: true });
  await here.settle();
  const hook_id = created.data.id;
  expect((await rest.orgs.listWebhooks({ org })).data.map(({ id }) => id)).toEqual([hook_id]);
  expect((await rest.orgs.getWebhook({ org, hook_id })).data).toEqual(created.data);
  expect((await rest.orgs.updateWebhook({ org, hook_id, events: ['push'] })).data.events).toEqual(['push']);
  expect((await rest.orgs.getWebhookConfigForOrg({ org, hook_id })).data.secret).toBe('********');
  const changed = await rest.orgs.updateWebhookConfigForOrg({ org, hook_id, content_type: 'form' });
  expect(changed.data.content_type).toBe('form');
  for (let i = 0; i < 4; i++) await rest.orgs.pingWebhook({ org, hook_id });
  await here.settle();
  const all = await paginate(rest.orgs.listWebhookDeliveries, { org, hook_id, per_page: 2 });
  expect(all).toHaveLength(5);
  const [last] = all;
  const delivery_id = last?.id ?? 0;
  const { data: delivery } = await rest.orgs.getWebhookDelivery({ org, hook_id, delivery_id });
  expect(delivery.request.headers).toMatchObject({ 'X-GitHub-Event': 'ping', 'User-Agent': 'GitHub-Hookshot/0.0.0-test' });
  expect((await rest.orgs.redeliverWebhookDelivery({ org, hook_id, delivery_id })).status).toBe(202);
  await here.settle();
  expect(target.requests).toHaveLength(6);
  expect((await rest.orgs.deleteWebhook({ org, hook_id })).status).toBe(204);
  await expect(rest.orgs.getWebhook({ org, hook_id })).rejects.toMatchObject({ status: 404 });
});

test('Octokit’s methods for webhooks of repositories', async () => {
  const user = await here.user();
  const { name: repo } = await here.repo(user);
  const target = await receiver();
  const owner = user.login;
  const { rest, paginate } = clientOf(await here.token(user, ['repo']));

  const { data: hook } = await rest.repos.createWebhook({ owner, repo, config: { url: target.url, content_type: 'json' } });
  await here.settle();
  const hook_id = hook.id;
  expect((await rest.repos.listWebhooks({ owner, repo })).data[0]?.last_response.status).toBe('active');
  expect((await rest.repos.updateWebhook({ owner, repo, hook_id, add_events: ['issues'] })).data.events).toEqual([
    'push',
    'issues',
  ]);
  expect((await rest.repos.testPushWebhook({ owner, repo, hook_id })).status).toBe(204);
  await rest.repos.pingWebhook({ owner, repo, hook_id });
  await rest.issues.create({ owner, repo, title: 'One' });
  await here.settle();
  const all = await paginate(rest.repos.listWebhookDeliveries, { owner, repo, hook_id, per_page: 1 });
  expect(all.map(({ event, action }) => [event, action])).toEqual([
    ['issues', 'opened'],
    ['ping', null],
    ['ping', null],
  ]);
  await rest.repos.deleteWebhook({ owner, repo, hook_id });
});
