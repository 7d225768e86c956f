import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { openObjectFolder } from '#objects/folder.ts';
import { installation, serve, temporaryFolder } from '#test/cli/support.ts';
import { commitFiles } from '#test/support/commit.ts';
import { type World, world } from '#test/support/world.ts';
import { fillIssues, fillRelease, killWhileExporting, makeRepository } from './killing.ts';
import { download, exported, unpack } from './support.ts';

const run = promisify(execFile);
/** `bench/migrations/kills.ts` tries more. */
const rounds = 2;

test('after a kill in mid-export, the next server writes a whole archive, and no half one is served or left', async () => {
  const [{ data, env, run: hearth }, aside] = [await installation(), await temporaryFolder()];
  await hearth('user', 'create', 'ada');
  const { out } = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', '--scope', 'repo', '--quiet');
  await makeRepository(join(aside, 'work'), () => randomBytes(512 * 1024));
  await hearth('import', join(aside, 'work'), 'ada/engine');
  const database = openDatabase({ url: env.DATABASE_URL });
  onTestFinished(() => database.close());
  await fillIssues(database.db, 1_000);
  await fillRelease(database.db, openObjectFolder(join(data, 'objects')), 4, () => randomBytes(512 * 1024));

  const kills = await killWhileExporting(
    {
      db: database.db,
      archives: join(data, 'migrations'),
      aside,
      token: out.trim(),
      repository: 'ada/engine',
      async start() {
        const { url, end } = await serve(data, ['--rate-limits', 'off', '--log', 'silent'], env);
        return { url, kill: () => end('SIGKILL') };
      },
    },
    rounds,
  );

  expect(kills.problems).toEqual([]);
  expect(kills).toMatchObject({ inside: rounds, exported: kills.all - kills.failed });
});

const here: World = await world();
const archives = here.hearth.services.migrations;

/** Whether the folder of archives could be made a small file system of its own. */
async function mountSmall(size: string): Promise<boolean> {
  await mkdir(archives, { recursive: true });
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', archives]).then(
    () => true,
    () => false,
  );
  if (mounted) onTestFinished(async () => void (await run('umount', [archives])));
  return mounted;
}

test('a full disk makes a migration fail with its reason, frees its space, and hinders nothing else', async (context) => {
  if (!(await mountSmall('256k'))) context.skip('mounting a file system is not allowed here');
  const owner = await here.user();
  const [large, small] = [await here.repo(owner), await here.repo(owner)];
  await commitFiles(here, large, { 'a.bin': randomBytes(1024 * 1024).toString('base64') });
  await commitFiles(here, small, { 'a.txt': 'one' });
  const { blocks } = await statfs(archives);
  expect(await statfs(dirname(archives))).not.toMatchObject({ blocks });

  const failed = await exported(here, owner, { repositories: [`${owner.login}/${large.name}`] });
  const client = await here.as(owner);
  expect((await client.get(`/user/migrations/${failed}`)).body.state).toBe('failed');
  expect((await client.get(`/user/migrations/${failed}/archive`)).status).toBe(404);
  const row = await here.db
    .selectFrom('migrations')
    .select('failure')
    .where('id', '=', failed as never)
    .executeTakeFirstOrThrow();
  expect(row.failure).toMatch(/ENOSPC/);
  expect(await readdir(archives)).toEqual([]);
  expect((await statfs(archives)).bfree).toBe(blocks);

  const id = await exported(here, owner, { repositories: [`${owner.login}/${small.name}`] });
  expect((await client.get(`/user/migrations/${id}`)).body.state).toBe('exported');
  expect((await unpack(await download(here, owner, id))).names).toContain('issues_000001.json');
});
