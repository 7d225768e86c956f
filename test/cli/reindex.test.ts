import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { clientConfig } from '#database/connect.ts';
import { git } from '#test/git/support.ts';
import { hearthProcess, type Installation, installation, type Server, serve, temporaryFolder } from './support.ts';

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

/** Runs a command that writes files into the index until it comes to the last of them, and kills it there. */
async function killInTheMiddle({ data, env }: Installation, command: string): Promise<void> {
  const client = new pg.Client(clientConfig({ url: env.DATABASE_URL }));
  await client.connect();
  await client.query(`create function hold() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return new; end $$`);
  await client.query(`create trigger hold before insert on code_files for each row
    when (new.path = 'src/f${files - 1}.ts') execute function hold()`);
  await client.query('select pg_advisory_lock(1)');
  const running = hearthProcess([command, '--data', data], env);
  const held = `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database
      where datname = current_database()) and (classid, objid) = (0, 1) and not granted`;
  await expect.poll(async () => (await client.query(held)).rows.length).toBe(1);
  running.kill('SIGKILL');
  await once(running, 'exit');
  await client.query('select pg_advisory_unlock(1)');
  await client.query('drop trigger hold on code_files');
  await client.end();
}

test('a reindexing that is killed in the middle is finished by the next start, in every kind of search', async () => {
  const at = await installation();
  const token = 'an-operator-chose-this-one';
  const start = () => serve(at.data, ['--rate-limits', 'off', '--log', 'silent'], { ...at.env, HEARTH_ADMIN_TOKEN: token });
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
    await expect.poll(counts, { interval: 100 }).toEqual([files, 1, 2, 2, 0]);
  };

  const first = await start();
  await ask(first, '/user/repos', { name: 'engine' });
  const basic = Buffer.from(`x:${token}`).toString('base64');
  const push = ['-c', `http.extraHeader=Authorization: Basic ${basic}`, 'push', '--quiet'];
  await git(await manyFiles(), ...push, `${first.url}/hearth-admin/engine.git`, 'main');
  for (const title of ['A shared car', 'It is shared']) await ask(first, '/repos/hearth-admin/engine/issues', { title });
  await whole(first);

  await killInTheMiddle(at, 'reindex');
  expect(await total(first)).toBeLessThan(files);
  await first.end('SIGKILL');

  await whole(await start());
});
