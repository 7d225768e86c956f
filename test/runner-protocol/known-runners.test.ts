import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { runDueJobs } from '#jobs/worker.ts';
import { addMinutes } from '#lib/time.ts';
import { ci, ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { joinRunner, startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const runners: { address?: string } = {};
const w = await world({ vocabulary: 'github', resourceLimits: { workflows: { poll: 100 } }, runners });
const ada = await w.user();
const client = await w.as(ada);

const setting = async () => {
  const repo = await w.repo(ada);
  return { repo, base: `/repos/${ada.login}/${repo.name}` };
};
const runnersOf = async (base: string) => (await client.get(`${base}/actions/runners`)).body.runners;
const runJob = async (name: string) => {
  await w.change((scope) => enqueue(scope.tx, { name, attempts: 1 }, {}));
  await w.settle();
};

test('a runner that asks again is looked up once, until something happens in the queue', async () => {
  const { repo, base } = await setting();
  const runner = await startRunner(w, repo);
  const column = w.db
    .selectFrom('runners')
    .select('token_hash')
    .where('uuid', 'in', (of) => of.selectFrom('runners').select('uuid').where('repository_id', '=', repo.id));
  const { token_hash } = await column.executeTakeFirstOrThrow();
  const write = (hash: Buffer) =>
    w.db.updateTable('runners').set({ token_hash: hash }).where('repository_id', '=', repo.id).execute();
  // What nobody tells the queue of isn't seen, since no statement looks: as soon as the process listens to it.
  const isRemembered = async () => {
    await write(token_hash);
    await runner.fetch();
    await write(Buffer.alloc(32));
    return runner.fetch().then(
      () => true,
      () => false,
    );
  };
  await expect.poll(isRemembered).toBe(true);
  await write(token_hash);
  const [{ id, status }] = await runnersOf(base);
  expect(status).toBe('online');
  expect((await client.delete(`${base}/actions/runners/${id}`)).status).toBe(204);
  await expect.poll(() => runner.fetch().catch(({ code }) => code)).toBe(Code.Unauthenticated);
});

test('a runner that was given other labels gets no job by its old ones', async () => {
  const { repo, base } = await setting();
  const runner = await startRunner(w, repo, { labels: ['first'] });
  await runner.fetch();
  await runner.client.declare({ version: 'test', labels: ['second'] });
  const job = (label: string) => `on: push\njobs:\n  a: {runs-on: ${label}, steps: [{run: x}]}\n`;
  await pushWorkflow(w, repo, { [ciPath]: job('first') });
  expect(await runner.fetch()).toBeUndefined();
  await pushWorkflow(w, repo, { [ciPath]: job('second') });
  expect(await runner.fetch()).toBeDefined();
  expect((await runnersOf(base))[0].busy).toBe(true);
});

test('the poll of a runner that isn’t what it was ends at once', async () => {
  const { repo, base } = await setting();
  const patient = await w.another({ resourceLimits: { workflows: { poll: 60_000 } }, runners: {} });
  const url = await patient.app.listen({ port: 0, host: '127.0.0.1' });
  const { body } = await client.post(`${base}/actions/runners/registration-token`);
  const join = (ephemeral = false) => joinRunner({ url, clock: w.clock }, { name: fresh('r'), token: body.token, ephemeral });
  const poll = ({ client: { fetchTask } }: Awaited<ReturnType<typeof join>>, tasksVersion = 0n) =>
    fetchTask({ tasksVersion }, { timeoutMs: 60_000 });
  const spent = await join(true);
  await pushWorkflow(w, repo, { [ciPath]: ci });
  expect((await poll(spent)).task).toBeDefined();
  expect((await poll(spent)).task).toBeUndefined();

  const waiting = [await join(), await join()];
  const removedAndChanged = (await runnersOf(base)).map(({ id }: { id: number }) => id).slice(-2);
  const { tasksVersion } = await (waiting[0] ?? spent).client.fetchTask({ tasksVersion: 0n }, { timeoutMs: 1_100 });
  const polls = waiting.map((runner) => poll(runner, tasksVersion));
  const [removed, changed] = removedAndChanged;
  expect((await client.delete(`${base}/actions/runners/${removed}`)).status).toBe(204);
  await client.put(`${base}/actions/runners/${changed}/labels`, { labels: ['other'] });
  for (const { task } of await Promise.all(polls)) expect(task).toBeUndefined();
});

test('runners that ask together get a job each, and no more of a matrix than may run at once', async () => {
  const { repo } = await setting();
  const matrix = (most: number) =>
    `on: push\njobs:\n  a: {runs-on: any, strategy: {max-parallel: ${most}, matrix: {n: [1, 2, 3, 4, 5, 6]}}, steps: ` +
    '[{run: x}]}\n';
  const asking = [];
  for (let at = 0; at < 6; at++) asking.push(await startRunner(w, repo, { name: fresh('r'), labels: ['any'] }));
  await pushWorkflow(w, repo, { [ciPath]: matrix(4) });
  const taken = (await Promise.all(asking.map((runner) => runner.fetch()))).filter((task) => task !== undefined);
  expect(new Set(taken.map(({ id }) => id)).size).toBe(4);
  expect(taken).toHaveLength(4);
});

test('a job whose runner has gone when it was to get it is offered to others at once', async () => {
  const { repo } = await setting();
  const [gone, late, other] = [
    await startRunner(w, repo, { name: fresh('r') }),
    await startRunner(w, repo, { name: fresh('r') }),
    await startRunner(w, repo, { name: fresh('r') }),
  ];
  await pushWorkflow(w, repo, { [ciPath]: ci });
  const { promise: isOver, resolve: release } = Promise.withResolvers<void>();
  const held = w.change(async (scope) => {
    await scope.tx.selectFrom('workflow_jobs').select('id').where('repository_id', '=', repo.id).forUpdate().execute();
    await isOver;
  });
  // The first one's turn lasts for longer than both of them wait.
  const asking = [gone, late].map(({ client: { fetchTask } }) => fetchTask({ tasksVersion: 0n }, { timeoutMs: 300 }));
  for (const asked of await Promise.allSettled(asking)) expect(asked).toMatchObject({ reason: { code: Code.DeadlineExceeded } });
  release();
  await held;
  await expect.poll(() => other.fetch()).toBeDefined();
});

test('a runner for a single job is removed with it, also when the job was given up, or when nobody has started it', async () => {
  const { repo, base } = await setting();
  await pushWorkflow(w, repo, { [ciPath]: ci });
  const runner = await startRunner(w, repo, { ephemeral: true });
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.tell(task, []);
  const before = w.clock.now;
  w.clock.now = addMinutes(before, 6);
  // A server that has just begun knows of no silence: the runner may have had nobody to tell.
  const restarted = await w.another();
  await w.change((scope) => enqueue(scope.tx, { name: 'workflow-runs.end-silent', attempts: 1 }, {}));
  await runDueJobs(restarted.worker);
  expect(await runnersOf(base)).toMatchObject([{ busy: true }]);
  await runJob('workflow-runs.end-silent');
  expect(await runnersOf(base)).toEqual([]);

  await pushWorkflow(w, repo, { [ciPath]: `${ci}# again\n` });
  const second = await startRunner(w, repo, { name: fresh('once'), ephemeral: true });
  const cancelled = await second.fetch();
  if (!cancelled) throw new Error('No job');
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  expect((await client.post(`${base}/actions/runs/${run.id}/force-cancel`)).status).toBe(202);
  expect(await runnersOf(base)).toHaveLength(1);
  await second.end(cancelled, 'cancelled');
  expect(await runnersOf(base)).toEqual([]);

  await startRunner(w, repo, { name: fresh('once'), ephemeral: true });
  await startRunner(w, repo, { name: 'stays' });
  w.clock.now = addMinutes(before, 20 * 60);
  await runJob('runners.remove-forgotten');
  expect(await runnersOf(base)).toHaveLength(2);
  w.clock.now = addMinutes(before, 25 * 60);
  await runJob('runners.remove-forgotten');
  expect(await runnersOf(base)).toMatchObject([{ name: 'stays' }]);
});

test('the title of a run names the address at which the server listens, while none is configured', async () => {
  const { repo, base } = await setting();
  runners.address = w.url;
  const title = `run-name: at \${{ github.server_url }}\n`;
  await pushWorkflow(w, repo, { [ciPath]: `${title}${ci}` });
  expect((await client.get(`${base}/actions/runs`)).body.workflow_runs[0].display_title).toBe(`at ${w.url}`);
});
