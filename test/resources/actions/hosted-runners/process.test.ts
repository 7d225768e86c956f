import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { startWorker } from '#jobs/worker.ts';
import { isProcessRunning } from '#lib/running-process.ts';
import { reconcileRunners } from '#resources/actions/hosted-runners/reconcile.ts';
import { completeDeletions } from '#test/resources/platform/organization-deletion/support.ts';
import { agentOf, machineRoom, runOn } from '#test/runner-providers/process/support.ts';
import { type World, world } from '#test/support/world.ts';
import { generator, setting } from './setting.ts';

const { folder, provider, machine } = await machineRoom();
await world({ runners: { provider } });

/** Two minutes later, somebody looks after the runners. */
async function later(here: World): Promise<void> {
  here.clock.now = new Date(here.clock.now.getTime() + 120_000);
  await here.change((scope) => enqueue(scope.tx, reconcileRunners, {}));
  await here.settle();
}

test('a runner is a process from Provisioning to its end, and comes back when it dies', async () => {
  const place = await setting();
  const { here, client, path } = place;
  const id = await generator(place);
  const runner = `${path}/${id}`;
  expect((await client.get(runner)).body).toMatchObject({ status: 'Ready', last_active_on: null });

  await runOn(machine(id), 'true');
  await later(here);
  const { body } = await client.get(runner);
  expect(Math.abs(Date.parse(body.last_active_on) - Date.now())).toBeLessThan(60_000);
  expect(body.status).toBe('Ready');

  const agent = await agentOf(machine(id));
  process.kill(agent, 'SIGKILL');
  await expect.poll(() => isProcessRunning(agent)).toBe(false);
  await later(here);
  expect((await client.get(runner)).body.status).toBe('Ready');
  const again = await agentOf(machine(id));
  expect(again).not.toBe(agent);
  expect(isProcessRunning(again)).toBe(true);

  expect((await client.delete(runner)).status).toBe(202);
  await here.settle();
  expect((await client.get(runner)).status).toBe(404);
  expect(isProcessRunning(again)).toBe(false);
  expect(await readdir(join(folder, 'machines'))).not.toContain(String(id));
});

test('a job publishes an image, once, and another runner begins on it', async () => {
  const place = await setting();
  const { here, client, group, path } = place;
  const id = await generator(place);
  await runOn(machine(id), 'sh', '-c', `echo tool > tool; echo '{"image":"toolchain"}' > $HEARTH_RUNNER_PUBLISH`);
  const answer = provider.answer;
  // The worker dies after the image is there and before the job is told.
  Object.assign(provider, { answer: async () => Promise.reject(new Error('the worker died')) });
  await later(here);
  Object.assign(provider, { answer });
  await later(here);
  expect(await readFile(join(machine(id), 'published.json'), 'utf8')).toBe('{"version":"1.0.0"}');
  const { body: images } = await client.get(`${path}/images/custom`);
  expect(images).toMatchObject({ total_count: 1, image_versions: [{ versions_count: 1, latest_version: '1.0.0' }] });

  const [{ id: image }] = images.image_versions;
  const wanted = { name: 'user', image: { id: String(image), source: 'custom' }, size: '4-core', runner_group_id: group };
  const { body: user } = await client.post(path, wanted);
  await here.settle();
  expect(await runOn(machine(user.id), 'cat', 'tool')).toEqual({ exit_code: 0, output: 'tool\n' });

  await client.delete(`${path}/${user.id}`);
  await here.settle();
  expect((await client.delete(`${path}/images/custom/${image}`)).status).toBe(204);
  await here.settle();
  expect(await readdir(join(folder, 'images'))).toEqual([]);
});

test('a job that may not publish is told why', async () => {
  const place = await setting();
  const id = await generator(place, { image_gen: false });
  await runOn(machine(id), 'sh', '-c', `echo '{"image":"toolchain"}' > $HEARTH_RUNNER_PUBLISH`);
  await later(place.here);
  const { refused } = JSON.parse(await readFile(join(machine(id), 'published.json'), 'utf8'));
  expect(refused).toBe('The runner maker is not set up to generate images (image_gen)');
});

test('the machines of an organization that is gone are taken away', async () => {
  const place = await setting();
  const id = await generator(place);
  const agent = await agentOf(machine(id));
  await place.client.delete(`/orgs/${place.org.login}`);
  await completeDeletions(place.here);
  await later(place.here);
  expect(isProcessRunning(agent)).toBe(false);
  expect(await readdir(join(folder, 'machines'))).not.toContain(String(id));
});

test('a worker that is killed while it makes a runner leaves the work to the next', async () => {
  const { here, client, group, path } = await setting();
  const { database } = here.hearth;
  const { host, database: name, user } = database.clientConfig;
  const address = { socket: host, database: name, user };
  // It makes the machine, and dies before anybody knows of it.
  const script = `
    import pino from 'pino';
    import { change, openDatabase } from '#database/connect.ts';
    import { startWorker } from '#jobs/worker.ts';
    import { provisionRunner } from '#resources/actions/hosted-runners/jobs.ts';
    import { processProvider } from '#runner-providers/process/provider.ts';
    const real = processProvider({ folder: ${JSON.stringify(folder)}, path: ${JSON.stringify(process.env.PATH)} });
    const provider = { ...real, async provision(order) {
      await real.provision(order);
      process.stdout.write('made');
      await new Promise(() => undefined);
    } };
    const database = openDatabase(${JSON.stringify(address)});
    await startWorker({ database, jobs: [provisionRunner], services: { runners: { provider } },
      contextOf: (given, services) => ({ ...given, services }), log: pino({ level: 'silent' }), clock: () => new Date() });`;
  const killed = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void killed.kill('SIGKILL'));
  const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core', runner_group_id: group };
  const { body } = await client.post(path, wanted);
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect((await client.get(`${path}/${body.id}`)).body.status).toBe('Provisioning');
  const agent = await agentOf(machine(body.id));
  // PostgreSQL hears of its end a moment later; whoever looked before that would have to look again after a minute.
  const workers = () =>
    sql`select from pg_stat_activity where application_name = 'hearth workers'
    and datname = current_database()`.execute(here.db);
  await expect.poll(async () => (await workers()).rows.length).toBe(0);

  const worker = await startWorker({ ...here.hearth.worker, database });
  await expect.poll(async () => (await client.get(`${path}/${body.id}`)).body.status).toBe('Ready');
  await worker.stop();
  expect(await agentOf(machine(body.id))).toBe(agent);
});
