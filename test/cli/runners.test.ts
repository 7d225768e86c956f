import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaint, hearth, serve, temporaryFolder } from './support.ts';

const asProcesses = { HEARTH_RUNNER_PROVIDER: 'process' };

test('a runner is set up at a server, and an image published from it beside the server', async () => {
  const data = await temporaryFolder();
  const at = ['--data', data, '--json'];
  await hearth(['user', 'create', 'ada', ...at]);
  await hearth(['org', 'create', 'acme', '--owner', 'ada', ...at]);
  const create = ['token', 'create', '--user', 'ada', '--quiet', '--kind', 'classic', '--scope', 'manage_runners:org'];
  const token = (await hearth([...create, '--data', data])).out.trim();
  const { url } = await serve(data, [], asProcesses);
  // biome-ignore lint/suspicious/noExplicitAny: an absent name is a failed expectation
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(`${url}/api/v3/orgs/acme/actions/hosted-runners${path}`, { method, headers, ...sent });
    return { status: reply.status, body: await reply.json().catch(() => undefined) };
  };

  const made = await call('POST', '', {
    name: 'maker',
    image: { id: 'ubuntu-24.04' },
    size: '4-core',
    runner_group_id: 1,
    image_gen: true,
  });
  expect(made.status).toBe(201);
  const runner = `/${made.body.id}`;
  await expect.poll(async () => (await call('GET', runner)).body.status).toBe('Ready');
  await writeFile(join(data, 'runners', 'machines', String(made.body.id), 'work', 'tool'), 'x');

  const published = await hearth(['image', 'publish', 'acme', 'toolchain', '--runner', 'maker', ...at], asProcesses);
  expect(JSON.parse(published.out)).toEqual({ image: 1, name: 'toolchain', version: '1.0.0', size_gb: 1 });
  const again = await hearth(
    ['image', 'publish', 'acme', 'toolchain', '--runner', 'maker', '--number', '1.0.0', ...at],
    asProcesses,
  );
  expect(complaint(again)).toBe('version is there already');
  expect(complaint(await hearth(['image', 'publish', 'acme', 'toolchain', '--runner', 'nobody', ...at]))).toBe(
    'There is no runner nobody in this organization',
  );
  expect((await call('GET', '/images/custom')).body.image_versions).toMatchObject([{ name: 'toolchain', versions_count: 1 }]);

  expect((await call('DELETE', runner)).status).toBe(202);
  await expect.poll(async () => (await call('GET', runner)).status).toBe(404);
});

test('a catalogue that can’t be used ends the start with one line', async () => {
  const data = await temporaryFolder();
  const file = join(data, 'catalogue.json');
  await writeFile(file, '{"platforms": []}');
  const refused = await hearth(['serve', '--port', '0', '--data', data, '--runner-catalogue', file]);
  expect(complaint(refused)).toMatch(/^The catalogue of runners .* can't be used: /);
});
