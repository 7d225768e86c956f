/** The common part of the measurements: a PostgreSQL with durability, a Hearth on it, and receivers. */

import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { Change } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import type { Hearth } from '#server/hearth.ts';
import { queueDeliveries } from '#webhook-delivery/queue.ts';
import { secretContext } from '#webhook-delivery/secret-context.ts';
import { openForBench } from '../support/hearth.ts';
import { secret } from './secret.ts';

export type Taken = { guid: string; times: number; at: number };

export type Stage = {
  hearth: Hearth;
  address: Address;
  folder: string;
  owner: Id<'accounts'>;
  /** Another organization, with the same owner. */
  organization(login: string): Promise<Id<'accounts'>>;
  /** Hooks of an organization at paths of the receiver. */
  hooks(paths: readonly string[], organization?: Id<'accounts'>): Promise<Id<'webhooks'>[]>;
  /** Queues signed deliveries, distributed among hooks. Returns their GUIDs. */
  queue(hooks: readonly Id<'webhooks'>[], count: number): Promise<string[]>;
  received(): Promise<{ wrong: number; taken: Taken[] }>;
  [Symbol.asyncDispose](): Promise<void>;
};

const inOneStatement = 500;

/** About the size of an issue event. */
const payload = JSON.stringify({ action: 'opened', text: 'x'.repeat(9_000) });

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-webhooks-'));
  const server = await startEmbedded(folder);
  await migrate(server.address);
  const hearth = await openForBench(server.address, folder);
  const { db } = hearth.database;
  const now = new Date();
  const doChange: Change = (work) => changeWithoutRequest({ db, services: hearth.services, now }, work);
  const user = await doChange((scope) => createUser(scope, { login: 'ada', now }));
  const org = await doChange((scope) => createOrganization(scope, { login: 'acme', owner: user, now }));
  const receiver = fork(join(import.meta.dirname, 'receiver.ts'));
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
  return {
    hearth,
    address: server.address,
    folder,
    owner: org.id,
    organization: async (login) => (await doChange((scope) => createOrganization(scope, { login, owner: user, now }))).id,
    async hooks(paths, organization = org.id) {
      const sealed = hearth.services.secrets.seal(secret, secretContext('secret', { organization_id: organization }));
      const common = {
        organization_id: organization,
        events: ['*'],
        content_type: 'json' as const,
        base_url: 'http://hearth.example',
      };
      const rows = paths.map((path) => ({
        ...common,
        url: `http://127.0.0.1:${port}${path}`,
        secret_sealed: sealed,
        created_at: now,
        updated_at: now,
      }));
      const made = await db.insertInto('webhooks').values(rows).returning('id').execute();
      return made.map(({ id }) => id);
    },
    async queue(hooks, count) {
      const all = Array.from({ length: count }, (_, i) => ({
        hooks: [{ id: hooks[i % hooks.length] as Id<'webhooks'> }], // the list isn't empty
        guid: randomUUID(),
        event: 'issues',
        action: 'opened',
        payload,
      }));
      for (let from = 0; from < count; from += inOneStatement)
        await doChange((scope) => queueDeliveries(scope.tx, all.slice(from, from + inOneStatement), { now: new Date() }));
      return all.map(({ guid }) => guid);
    },
    async received() {
      receiver.send('tell');
      const [told] = (await once(receiver, 'message')) as [{ wrong: number; taken: Taken[] }];
      return told;
    },
    async [Symbol.asyncDispose]() {
      receiver.disconnect();
      await hearth[Symbol.asyncDispose]();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A worker in a separate process, ready for work. */
export async function startWorkerProcess({ address, folder }: Stage): Promise<ChildProcess> {
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(address), folder]);
  await once(worker, 'message');
  return worker;
}
