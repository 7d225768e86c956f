import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { type Received, type Receiver, receiver } from '#test/support/receiver.ts';
import { payloadProblems } from '#test/support/webhook-schema.ts';
import { type World, world } from '#test/support/world.ts';

/** An organization with a hook for everything, in the public API's words. */
export async function listening() {
  const here = await world({ vocabulary: 'github' });
  const owner = await here.user();
  const org = await here.org(owner);
  const client = await here.as(owner);
  const target = await receiver();
  await client.post(`/orgs/${org.login}/hooks`, {
    name: 'web',
    config: { url: target.url, content_type: 'json' },
    events: ['*'],
  });
  await here.settle();
  target.requests.length = 0;
  return { here, owner, org, client, target };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads by name, and an absent name is a failed expectation
type Payload = any;

/** What a receiver was told: event and action, each payload checked against its public schema. */
export async function heard(here: World, { requests }: Receiver): Promise<Record<string, Payload>> {
  await here.settle();
  const failed = await sql`select task_identifier, last_error from jobs.jobs where last_error is not null`.execute(here.db);
  expect(failed.rows).toEqual([]);
  const told = requests.map((request: Received) => ({
    event: String(request.headers['x-github-event']),
    body: JSON.parse(request.body),
  }));
  for (const { event, body } of told) expect(payloadProblems(event, body), `${event} ${body.action}`).toEqual([]);
  requests.length = 0;
  return Object.fromEntries(told.map(({ event, body }) => [body.action ? `${event}.${body.action}` : event, body]));
}

export const parts = (org: Account, sender: Account) => ({ organization: { login: org.login }, sender: { login: sender.login } });
