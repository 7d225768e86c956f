import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runners } from '#cli/doctor/runners.ts';
import type { Config } from '#cli/settings.ts';
import { enqueue } from '#jobs/job.ts';
import { reconcileRunners } from '#resources/actions/hosted-runners/reconcile.ts';
import { noProvider } from '#runner-providers/provider.ts';
import { world } from '#test/support/world.ts';
import { generator, publish, setting } from './setting.ts';

await world({ runners: { provider: noProvider } });

const reason = 'this server makes no machines: set HEARTH_RUNNER_PROVIDER and restart it';

test('without a provider, a runner is stuck, and the reason says what to configure', async () => {
  const place = await setting();
  const { here, client, path, org } = place;
  const id = await generator(place);
  expect((await client.get(`${path}/${id}`)).body.status).toBe('Stuck');
  // Another attempt before a restart can't succeed, so none waits and none was given up.
  expect((await sql`select from jobs.jobs where task_identifier = 'hosted-runners.provision'`.execute(here.db)).rows).toEqual([]);
  expect(await runners(here, { runnerProvider: 'none', data: '/nowhere' } as Config)).toEqual({
    check: 'runners',
    ok: false,
    detail:
      'none: no machines are made, and hosted runners stay `Stuck` (HEARTH_RUNNER_PROVIDER); ' +
      `stuck: ${org.login}/maker (${reason})`,
  });
  await expect(publish(place)).rejects.toThrow('The runner maker is not ready: its status is Stuck');
  expect((await client.delete(`${path}/${id}`)).status).toBe(202);
  await here.settle();
  expect((await client.get(`${path}/${id}`)).status).toBe(404);
});

test('a runner that another provider or version made ready is stuck once there is no provider', async () => {
  const place = await setting();
  const { here, client, path } = place;
  const id = await generator(place);
  await sql`update hosted_runners set status = 'Ready', problem = null where id = ${id}`.execute(here.db);
  here.clock.now = new Date(here.clock.now.getTime() + 120_000);
  await here.change((scope) => enqueue(scope.tx, reconcileRunners, {}));
  await here.settle();
  expect((await client.get(`${path}/${id}`)).body.status).toBe('Stuck');
});
