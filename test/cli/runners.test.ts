import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxes } from '#test/runner-providers/namespaces/support.ts';
import { command, complaint, hearth, installation, serve } from './support.ts';

test('a runner is set up at a server, and an image published from it beside the server', async () => {
  const { data, env, run } = await installation();
  await run('user', 'create', 'ada');
  await run('org', 'create', 'acme', '--owner', 'ada');
  const scope = ['--scope', 'manage_runners:org'];
  const token = (await run('token', 'create', '--user', 'ada', '--quiet', '--kind', 'classic', ...scope)).out.trim();
  const withProcesses = { ...env, HEARTH_RUNNER_PROVIDER: 'process' };
  const { url } = await serve(data, [], withProcesses);
  // biome-ignore lint/suspicious/noExplicitAny: an absent name is a failed expectation
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(`${url}/api/v3/orgs/acme/actions/hosted-runners${path}`, { method, headers, ...sent });
    return { status: reply.status, body: await reply.json().catch(() => undefined) };
  };

  const made = await call('POST', '', {
    name: 'maker',
    image: { id: 'ubuntu-24.04', source: 'service' },
    size: '4-core',
    runner_group_id: 1,
    image_gen: true,
  });
  expect(made.status).toBe(201);
  const runner = `/${made.body.id}`;
  await expect.poll(async () => (await call('GET', runner)).body.status).toBe('Ready');
  await writeFile(join(data, 'runners', 'machines', String(made.body.id), 'work', 'tool'), 'x');

  const publish = (...args: string[]) =>
    command(['image', 'publish', 'acme', 'toolchain', '--data', data, '--json', ...args], withProcesses);
  const published = await publish('--runner', 'maker');
  expect(JSON.parse(published.out)).toEqual({ image: 1, name: 'toolchain', version: '1.0.0', size_gb: 1 });
  expect(complaint(await publish('--runner', 'maker', '--number', '1.0.0'))).toBe('version is there already');
  expect(complaint(await publish('--runner', 'nobody'))).toBe('There is no runner nobody in this organization');
  expect((await call('GET', '/images/custom')).body.image_versions).toMatchObject([{ name: 'toolchain', versions_count: 1 }]);

  expect((await call('DELETE', runner)).status).toBe(202);
  await expect.poll(async () => (await call('GET', runner)).status).toBe(404);
});

test('a catalogue that can’t be used ends the start with one line', async () => {
  const { data, env } = await installation();
  const file = join(data, 'catalogue.json');
  await writeFile(file, '{"platforms": []}');
  const refused = await command(['serve', '--port', '0', '--data', data, '--runner-catalogue', file], env);
  expect(complaint(refused)).toMatch(/^The catalogue of runners .* can't be used: /);
});

test('a provider that can’t work ends the start with one line, and doctor says why', async () => {
  const { data, env, run } = await installation();
  const broken = { ...env, HEARTH_RUNNER_PROVIDER: 'namespaces', HEARTH_RUNNER_PROGRAM: '/nowhere/program' };
  const problem = "The runner provider namespaces can't be used: ";
  const refused = await hearth(['serve', '--port', '0', '--log', 'silent', '--data', data], broken);
  expect(complaint(refused)).toContain(problem);
  await run('user', 'create', 'ada');
  const visible = { ...broken, HEARTH_RUNNER_TOOLS: data };
  const { code, out } = await command(['doctor', '--data', data, '--json'], visible);
  const found = JSON.parse(out).find(({ check }: { check: string }) => check === 'runners');
  expect([code, found.ok, found.detail]).toEqual([1, false, expect.stringContaining(`${problem}jobs could read ${data}`)]);
});

/** What a server with a provider logs of it at its start. */
async function startLines(provider: string): Promise<{ level: number; msg: string }[]> {
  const { data, env } = await installation();
  const server = await serve(data, ['--log', 'info'], { ...env, HEARTH_RUNNER_PROVIDER: provider });
  const lines = server.log().split('\n');
  return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])).filter((line) => line.provider === provider);
}

test('the start says that the provider process isolates nothing', async () => {
  expect(await startLines('process')).toMatchObject([
    { level: 30, msg: 'process: a process and a folder for each runner' },
    { level: 40, msg: expect.stringContaining('the provider `process` isolates nothing') },
  ]);
});

test('the start says how the provider namespaces isolates', async (context) => {
  const { problem } = await sandboxes();
  if (problem !== undefined) context.skip(problem);
  expect(await startLines('namespaces')).toMatchObject([
    {
      level: 30,
      msg: expect.stringMatching(/^namespaces: jobs run as .+, with the network `internet`; .+; disks are measured$/),
    },
  ]);
});
