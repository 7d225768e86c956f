import { everyCredential } from '#access/tokens.ts';
import { type Endpoint, endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { repoHook } from '../path-resources.ts';
import { testPush } from '../test-push.ts';
import type { WebhookEvents } from '../webhook-events.ts';

/** The endpoint that delivers the last push to a hook again, with a payload made from the event. */
export const testEndpoints = (events: WebhookEvents): Readonly<Record<string, Endpoint>> => ({
  testRepoWebhook: endpoint({
    id: 'repos/test-push-webhook',
    method: 'POST',
    path: '/repos/{owner}/{repo}/hooks/{hook_id}/tests',
    resources: [repoHook],
    summary: 'Test the push repository webhook',
    access: {
      credentials: everyCredential,
      role: 'admin',
      permission: 'repository_webhooks:write',
      scopes: ['repo', 'write:repo_hook'],
    },
    replies: { 204: Nothing },
    async handle({ scope, at }) {
      await testPush(scope, events, at.hook, at.repo.id);
    },
  }),
});
