import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { enqueue } from '#jobs/job.ts';
import { watchPrograms } from '#resources/actions/hosted-jobs/jobs.ts';
import { reconcileRunners } from '#resources/actions/hosted-runners/reconcile.ts';
import { processProvider } from '#runner-providers/process/provider.ts';
import { groupOf } from '#test/resources/actions/hosted-runners/setting.ts';
import { processesWith, sandboxes } from '#test/runner-providers/namespaces/support.ts';
import { actRunner, hasActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh, world } from '#test/support/world.ts';

const { folder, provider, problem, machine } = await sandboxes({ program: hasActRunner ? actRunner : undefined });
const catalogue = join(folder, 'catalogue.json');
await writeFile(
  catalogue,
  JSON.stringify({
    platforms: ['linux-x64'],
    machine_sizes: [{ id: 'small', cpu_cores: 1, memory_gb: 1, storage_gb: 1 }],
    images: { service: [{ id: 'ubuntu', platform: 'linux-x64', size_gb: 1, display_name: 'Ubuntu' }], partner: [] },
    limits: { maximum_runners: 10, public_ips: 10 },
  }),
);
const runners: { catalogue: string; provider: typeof provider; address?: string } = { catalogue, provider };
const here = await world({ runners });
runners.address = here.url;
const { user, org: makeOrg, repo: makeRepo, as, db, clock, settle, change } = here;
const ada = await user('ada');
const acme = await makeOrg(ada, 'acme');
const client = await as(ada);
const group = await groupOf(here, acme);

beforeEach((context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  if (problem !== undefined) context.skip(problem);
});

/** A hosted runner that is ready. */
async function hosted(more: object = {}) {
  const name = fresh('builder');
  const wanted = { name, image: { id: 'ubuntu', source: 'service' }, size: 'small', runner_group_id: group, ...more };
  const { status, body } = await client.post('/orgs/acme/actions/hosted-runners', wanted);
  expect(status).toBe(201);
  await settle();
  return { id: body.id as number, name };
}

/** Pushes a workflow with one job of these steps on a runner. */
async function push(name: string, ...steps: object[]) {
  const repo = await makeRepo(acme, { by: ada, visibility: 'private' });
  const jobs = { build: { 'runs-on': name, steps } };
  await commitFiles(here, repo, { '.github/workflows/ci.yml': JSON.stringify({ on: 'push', jobs }) });
  await settle();
  return {
    repo,
    /** Waits for the end of the job. */
    async end() {
      const row = db
        .selectFrom('workflow_jobs')
        .select(['id', 'status', 'conclusion', 'problem'])
        .where('repository_id', '=', repo.id);
      const state = async () => {
        await settle(); // what ended makes room for others
        return (await row.executeTakeFirstOrThrow()).status;
      };
      await expect.poll(state).toBe('completed');
      const { id, conclusion, problem } = await row.executeTakeFirstOrThrow();
      const log = await client.get(`/repos/acme/${repo.name}/actions/jobs/${id}/logs`);
      const text = log.status === 302 ? await (await fetch(String(log.headers.location))).text() : String(log.body);
      return { conclusion, problem, log: text };
    },
  };
}

/** A minute later, somebody looks after the programs and the machines. */
async function later(): Promise<void> {
  clock.now = new Date(clock.now.getTime() + 61_000);
  await change((scope) => enqueue(scope.tx, watchPrograms, {}));
  await change((scope) => enqueue(scope.tx, reconcileRunners, {}));
  await settle();
}

/** An expression of workflow files. */
const expression = (text: string): string => `\${{ ${text} }}`;

/** A server of this machine that isn't Hearth, a process, and files of Hearth's. */
const service = createServer((socket) => socket.end());
service.listen(0, '127.0.0.1');
await once(service, 'listening');
const victim = spawn('sleep', ['600']);
atEndOfFile(async () => {
  service.close();
  victim.kill('SIGKILL');
});
const dataFolder = dirname(here.hearth.services.git.root);
const secret = join(dataFolder, 'secret-key');
await writeFile(secret, 'the key of all secrets');

/** A test for whether something is reached, with Node. */
const connects = (to: string): string =>
  `node -e 'require("net").connect(${to}).on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`;
const postgres = `${here.hearth.database.clientConfig.host}/.s.PGSQL.5432`;

const processName = (await readFile('/proc/self/comm', 'utf8')).trim();

/** Commands that succeed where nothing is isolated. */
const attacks: Readonly<Record<string, string>> = {
  'reads the data folder': `cat ${secret}`,
  'lists the data folder': `ls ${dataFolder}`,
  'writes into the data folder': `touch ${dataFolder}/written`,
  'sees other runners': `ls ${folder}`,
  'reaches PostgreSQL': `test -S ${postgres}`,
  'connects to PostgreSQL': connects(JSON.stringify(postgres)),
  'reaches another service': connects(`${(service.address() as AddressInfo).port}, "127.0.0.1"`),
  'sees the server': `test "$(cat /proc/${process.pid}/comm)" = ${JSON.stringify(processName)}`,
  'kills a process of the server': `kill -9 ${victim.pid}`,
};
const attack = {
  run: Object.entries(attacks)
    .map(([name, command]) => `if (${command}) > /dev/null 2>&1; then echo "reached: ${name}."; fi`)
    .join('\n'),
};
const reachedIn = (log: string): string[] => [...log.matchAll(/reached: ([^.]+)\.$/gm)].map(([, name = '']) => name);

test('a hostile job reaches nothing of Hearth', async () => {
  const { name } = await hosted();
  const check = { run: 'echo "can write: $(touch "$HOME/x" && echo yes)"' };
  const { conclusion, log } = await (await push(name, check, attack)).end();
  expect(log).toContain('can write: yes');
  expect(reachedIn(log)).toEqual([]);
  expect(conclusion).toBe('success');
  expect(victim.signalCode).toBeNull();
  expect(existsSync(join(dataFolder, 'written'))).toBe(false);
});

test('a job works with the server: it gets its repository, and actions of others', async () => {
  const action = await makeRepo(acme, { name: 'hello', by: ada, visibility: 'public' });
  await commitFiles(here, action, {
    'action.yml': 'outputs: {said: {}}\nruns: {using: node20, main: main.js}\n',
    'main.js': "require('fs').appendFileSync(process.env.GITHUB_OUTPUT, 'said=hello\\n');\n",
  });
  const { name } = await hosted();
  const steps = [
    { id: 'hello', uses: 'acme/hello@main' },
    { run: `test "${expression('steps.hello.outputs.said')}" = hello` },
    {
      env: { TOKEN: expression('github.token') },
      run: `git clone -q "${here.url.replace('://', '://x:$TOKEN@')}/${expression('github.repository')}" here; ls here/.github/*`,
    },
  ];
  const { conclusion, log } = await (await push(name, ...steps)).end();
  expect(log).toContain('ci.yml');
  expect(conclusion).toBe('success');
});

test('each job begins anew, and leaves neither files nor processes', async () => {
  const { id, name } = await hosted({ maximum_runners: 2 });
  const leave = { run: 'echo x > "$HOME/left"; echo x > /tmp/left; setsid sleep 98771 > /dev/null 2>&1 &' };
  expect(await (await push(name, leave)).end()).toMatchObject({ conclusion: 'success' });
  await expect.poll(() => processesWith('sleep 98771')).toEqual([]);
  const look = { run: 'test ! -e "$HOME/left" && test ! -e /tmp/left' };
  expect(await (await push(name, look)).end()).toMatchObject({ conclusion: 'success' });
  await later();
  expect(await readdir(join(machine(id), 'programs'))).toEqual([]);
});

test('jobs that run at the same time don’t see each other', async () => {
  const { name } = await hosted({ maximum_runners: 2 });
  const first = await push(name, { run: 'echo mine > /tmp/first; while ! test -e /tmp/second; do sleep 0.2; done' });
  const second = await push(name, { run: 'echo mine > /tmp/second; sleep 2; ls /tmp; pgrep -f first || echo "nobody else"' });
  const { log } = await second.end();
  expect(log).toContain('nobody else');
  expect(log).not.toMatch(/^.*Z first$/m);
  const [run] = (await client.get(`/repos/acme/${first.repo.name}/actions/runs`)).body.workflow_runs;
  expect(run.status).toBe('in_progress');
  await client.post(`/repos/acme/${first.repo.name}/actions/runs/${run.id}/force-cancel`);
});

test.each([
  [
    'memory',
    'for i in 1 2 3; do node -e "const kept = Buffer.alloc(450 * 2 ** 20, 1); setTimeout(() => kept, 1e6)" & done; wait',
    /more memory/,
  ],
  ['disk', 'for i in 1 2 3; do head -c 400M /dev/zero > "$HOME/$i"; done; sleep 600', /more than the disk/],
])('a job that takes more %s than its machine size has fails, and says so', async (_, run, reason) => {
  const { id, name } = await hosted();
  const job = await push(name, { run });
  await expect.poll(async () => (await provider.programs()).filter((one) => one.runner === id && one.isRunning)).toEqual([]);
  await later();
  expect(await job.end()).toMatchObject({ conclusion: 'failure', problem: expect.stringMatching(reason) });
  expect(await readdir(join(machine(id), 'programs'))).toEqual([]);
});

test('a job publishes an image, and another runner begins with it', async () => {
  const { name } = await hosted({ image_gen: true });
  const make = { run: `echo tool > "$HOME/tool"; echo '{"image": "toolchain"}' > "$HEARTH_RUNNER_PUBLISH"` };
  expect(await (await push(name, make)).end()).toMatchObject({ conclusion: 'success' });
  await expect
    .poll(async () => {
      await later();
      return (await client.get('/orgs/acme/actions/hosted-runners/images/custom')).body.image_versions;
    })
    .toMatchObject([{ name: 'toolchain', latest_version: '1.0.0' }]);
  const [{ id: image }] = (await client.get('/orgs/acme/actions/hosted-runners/images/custom')).body.image_versions;
  const other = await hosted({ image: { id: String(image), source: 'custom' } });
  const use = { run: 'test "$(cat "$HOME/tool")" = tool && echo more >> "$HOME/tool"' };
  for (const _ of [1, 2]) expect(await (await push(other.name, use)).end()).toMatchObject({ conclusion: 'success' });
});

test('static addresses are refused, since there are none', async () => {
  const wanted = { name: fresh('static'), image: { id: 'ubuntu', source: 'service' }, size: 'small', runner_group_id: group };
  const { status } = await client.post('/orgs/acme/actions/hosted-runners', { ...wanted, enable_static_ip: true });
  expect(status).toBe(422);
});

// Last, since it changes the provider of the world.
test('the same job reaches everything with the provider process', async () => {
  const own = join(folder, 'process');
  await mkdir(own);
  const open = processProvider({ folder: own, path: process.env.PATH ?? '', program: actRunner });
  atEndOfFile(async () => {
    for (const { runner } of (await open.observe())?.runners ?? []) await open.remove(runner);
  });
  Object.assign(provider, open);
  const { name } = await hosted();
  const { log } = await (await push(name, attack)).end();
  expect(reachedIn(log)).toEqual(Object.keys(attacks));
  await expect.poll(() => victim.signalCode).toBe('SIGKILL');
});
