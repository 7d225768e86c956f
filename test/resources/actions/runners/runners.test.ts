import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { RunnerService } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { nextTask } from '#test/resources/actions/artifacts/setting.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const { user, org: makeOrg, repo: makeRepo, member, as, clock, statements, db } = here;
const [ada, bob] = [await user('ada'), await user('bob')];
const acme = await makeOrg(ada, 'acme');
await member(acme, bob);
const repo = await makeRepo(acme, { name: 'engine', by: ada });
const client = await as(ada);
const owners = [
  ['an organization', '/orgs/acme'],
  ['a repository', `/repos/acme/${repo.name}`],
] as const;

/** A program that speaks the protocol, as a runner or before it is one. */
const program = (own?: { uuid: string; token: string }) =>
  createClient(
    RunnerService,
    createConnectTransport({
      baseUrl: `${here.url}/api/actions`,
      httpVersion: '1.1',
      interceptors: [
        (next) => (request) => {
          if (own) request.header.set('x-runner-uuid', own.uuid);
          if (own) request.header.set('x-runner-token', own.token);
          return next(request);
        },
      ],
    }),
  );

async function register(base: string, labels: string[] = ['Linux-Big:host']) {
  const { body, status } = await client.post(`${base}/actions/runners/registration-token`);
  expect(status).toBe(201);
  const { runner } = await program().register({ token: body.token, name: fresh('r'), version: '1.0', labels });
  if (!runner) throw new Error('No runner');
  return runner;
}

test.each(owners)('a runner of %s is registered, known and deleted', async (_, base) => {
  const runner = await register(base);
  const path = `${base}/actions/runners/${runner.id}`;
  const { body } = await client.get(path);
  expect(body).toMatchObject({
    id: Number(runner.id),
    name: runner.name,
    os: 'linux',
    status: 'offline',
    busy: false,
    ephemeral: false,
    version: '1.0',
    labels: [
      { name: 'self-hosted', type: 'read-only' },
      { name: 'linux', type: 'read-only' },
      { name: 'linux-big', type: 'read-only' },
    ],
  });
  await program(runner).declare({ version: '1.1', labels: ['linux-big', 'arm'] });
  expect((await client.get(path)).body).toMatchObject({ status: 'online', version: '1.1' });
  const { body: list } = await client.get(`${base}/actions/runners?name=${runner.name.toUpperCase()}`);
  expect(list).toMatchObject({ total_count: 1, runners: [{ id: Number(runner.id) }] });
  clock.now = new Date(clock.now.getTime() + 61_000);
  expect((await client.get(path)).body.status).toBe('offline');
  expect((await client.delete(path)).status).toBe(204);
  await expect(program(runner).declare({ version: '1.2', labels: [] })).rejects.toThrow('not registered');
});

test.each(owners)('people give runners of %s labels, and take those alone', async (_, base) => {
  const runner = await register(base);
  const path = `${base}/actions/runners/${runner.id}/labels`;
  const custom = ({ body }: { body: { labels: { name: string; type: string }[] } }) =>
    body.labels.filter(({ type }) => type === 'custom').map(({ name }) => name);
  expect(custom(await client.post(path, { labels: ['GPU', 'fast', 'linux'] }))).toEqual(['gpu', 'fast']);
  expect(custom(await client.put(path, { labels: ['slow', 'gpu'] }))).toEqual(['slow', 'gpu']);
  expect(custom(await client.delete(`${path}/GPU`))).toEqual(['slow']);
  expect((await client.delete(`${path}/linux`)).status).toBe(404);
  expect(custom(await client.delete(path))).toEqual([]);
  expect((await client.get(path)).body).toMatchObject({ total_count: 3 });
});

test('a runner is not deleted while it runs a job', async () => {
  const own = await makeRepo(ada);
  await pushWorkflow(here, own);
  const runner = await startRunner(here, own);
  const task = await nextTask(runner);
  const path = `/repos/${ada.login}/${own.name}/actions/runners/${runner.id}`;
  expect(await client.delete(path)).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/^Runner .+ is running a job\.$/) },
  });
  expect((await client.get(path)).body).toMatchObject({ busy: true });
  await runner.end(task, 'success');
  expect((await client.delete(path)).status).toBe(204);
});

test('a token registers for an hour, and never for another owner or purpose', async () => {
  const { body } = await client.post('/orgs/acme/actions/runners/registration-token');
  const { body: removal } = await client.post('/orgs/acme/actions/runners/remove-token');
  const tries = (token: string) => program().register({ token, name: fresh('r'), version: '1', labels: [] });
  await expect(tries(removal.token)).rejects.toThrow('not known');
  await expect(tries('hearth_runner_nonsense')).rejects.toThrow('not known');
  expect((await tries(body.token)).runner).toBeDefined();
  clock.now = new Date(clock.now.getTime() + 60 * 60_000);
  await expect(tries(body.token)).rejects.toThrow('not known');
});

test('names of an owner are different, in any case', async () => {
  const { name } = await register('/orgs/acme');
  const { body } = await client.post('/orgs/acme/actions/runners/registration-token');
  await expect(program().register({ token: body.token, name: name.toUpperCase(), version: '1', labels: [] })).rejects.toThrow(
    'exists already',
  );
  await expect(program().register({ token: body.token, name: ' ', version: '1', labels: [] })).rejects.toThrow(
    '1 to 64 characters',
  );
  await expect(
    program().register({ token: body.token, name: fresh('r'), version: '1', labels: ['x'.repeat(300)] }),
  ).rejects.toThrow('up to 256 characters');
});

test('a just-in-time runner is one with its configuration', async () => {
  const group = await db
    .selectFrom('runner_groups')
    .select('id')
    .where('organization_id', '=', acme.id)
    .executeTakeFirstOrThrow();
  const wanted = { name: fresh('jit'), runner_group_id: group.id, labels: ['once'] };
  const { body, status } = await client.post('/orgs/acme/actions/runners/generate-jitconfig', wanted);
  expect(status).toBe(201);
  expect(body.runner).toMatchObject({ name: wanted.name, ephemeral: true, runner_group_id: group.id });
  const registration = JSON.parse(Buffer.from(body.encoded_jit_config, 'base64').toString());
  expect(registration).toMatchObject({ name: wanted.name, address: here.url, labels: ['once'], ephemeral: true });
  expect((await program(registration).declare({ version: '2', labels: ['once'] })).runner?.name).toBe(wanted.name);
  expect((await client.post('/orgs/acme/actions/runners/generate-jitconfig', wanted)).status).toBe(409);
  const other = { ...wanted, name: fresh('jit'), runner_group_id: 999_999 };
  expect((await client.post('/orgs/acme/actions/runners/generate-jitconfig', other)).status).toBe(422);
  const elsewhere = { ...wanted, name: fresh('jit'), work_folder: 'elsewhere' };
  const refused = await client.post('/orgs/acme/actions/runners/generate-jitconfig', elsewhere);
  expect([refused.status, refused.body.errors]).toEqual([422, [expect.stringContaining('work_folder')]]);
});

test('a just-in-time runner of a repository is registered by its configuration', async () => {
  const at = `/repos/acme/${repo.name}/actions/runners`;
  const wanted = { name: fresh('jit'), runner_group_id: 1, labels: ['once'] };
  const { body, status } = await client.post(`${at}/generate-jitconfig`, wanted);
  expect(status).toBe(201);
  const registration = JSON.parse(Buffer.from(body.encoded_jit_config, 'base64').toString());
  expect((await program(registration).declare({ version: '2', labels: ['once'] })).runner?.name).toBe(wanted.name);
  const { runners } = (await client.get(at)).body;
  expect(runners).toContainEqual(expect.objectContaining({ name: wanted.name, ephemeral: true }));
});

test('a list costs the same for one runner and for many, and members see none', async () => {
  const path = `/repos/acme/${repo.name}/actions/runners`;
  const few = await statements(ada, path);
  for (let at = 0; at < 5; at++) await register(`/repos/acme/${repo.name}`);
  expect(await statements(ada, path)).toBe(few);
  expect((await (await as(bob)).get('/orgs/acme/actions/runners')).status).toBe(404);
  expect((await client.get('/orgs/acme/actions/runners/downloads')).body).toEqual([]);
});
