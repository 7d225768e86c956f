import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { hearthProcess, type Server, serve, temporaryFolder } from './support.ts';

const files = 2_000;
const semantic = 'issues?search_type=semantic&';

/** A working copy with many files, each of which holds the same word. */
async function manyFiles(): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await mkdir(join(folder, 'src'));
  for (let at = 0; at < files; at++)
    await writeFile(join(folder, `src/f${at}.ts`), `export const shared${at} = 'shared';\n${`line${at}();\n`.repeat(20)}`);
  await git(folder, 'add', '.');
  await git(folder, 'commit', '--quiet', '-m', 'Add the shared files');
  return folder;
}

test('a reindexing that is killed in the middle is finished by the next start, in every kind of search', {
  timeout: 90_000,
}, async () => {
  const data = await temporaryFolder();
  const token = 'an-operator-chose-this-one';
  const start = () => serve(data, ['--rate-limits', 'off', '--log', 'silent'], { HEARTH_ADMIN_TOKEN: token });
  const ask = (server: Server, path: string, body?: object) =>
    fetch(`${server.url}/api/v3${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
  const total = async (server: Server, kind = 'code?'): Promise<number> =>
    JSON.parse(await (await ask(server, `/search/${kind}q=shared`)).text()).total_count;
  const whole = async (server: Server) => {
    const counts = async () => [
      await total(server),
      await total(server, 'commits?'),
      await total(server, 'issues?'),
      await total(server, semantic),
      await total(server, 'repositories?'),
    ];
    await expect.poll(counts, { timeout: 40_000, interval: 100 }).toEqual([files, 1, 2, 2, 0]);
  };

  const first = await start();
  await ask(first, '/user/repos', { name: 'engine' });
  const basic = Buffer.from(`x:${token}`).toString('base64');
  const push = ['-c', `http.extraHeader=Authorization: Basic ${basic}`, 'push', '--quiet'];
  await git(await manyFiles(), ...push, `${first.url}/hearth-admin/engine.git`, 'main');
  for (const title of ['A shared car', 'It is shared']) await ask(first, '/repos/hearth-admin/engine/issues', { title });
  await whole(first);

  const reindexing = hearthProcess(['reindex', '--data', data]);
  while (reindexing.exitCode === null && (await total(first)) === files) await sleep(5);
  reindexing.kill('SIGKILL');
  await once(reindexing, 'exit');
  expect(await total(first)).toBeLessThan(files);
  await first.end('SIGKILL');

  await whole(await start());
});
