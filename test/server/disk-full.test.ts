import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '#git/process/run.ts';
import { openGitStore, repoOf } from '#git/store.ts';
import { isDiskFull } from '#lib/disk-full.ts';
import { commit } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';

const here = await world();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: unknown) => error,
  );

test('a full disk is told from other failures, whoever met it', async () => {
  const repo = repoOf(here.hearth.services.git, (await here.repo(await here.user())).id);
  const git = (...args: string[]) => failureOf(run(repo, args));
  const head = await commit(repo, { a: 'x' });
  expect(isDiskFull(await failureOf(writeFile('/dev/full', 'x')))).toBe(true);
  expect(isDiskFull(await git('archive', '--output=/dev/full', head))).toBe(true);
  expect(isDiskFull(await git('archive', 'nothing'))).toBe(false);
  expect(isDiskFull(await failureOf(sql`select 1 / 0`.execute(here.db)))).toBe(false);
});

test('while PostgreSQL has no space left, requests and pushes are refused with what is the matter', async () => {
  const ada = await here.user();
  const repo = await here.repo(ada);
  const token = await here.token(ada);
  const refuseRows = (table: string) =>
    sql`create trigger full_disk before insert on ${sql.ref(table)} execute function refuse_for_space()`.execute(here.db);
  await sql`create function refuse_for_space() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`.execute(here.db);
  onTestFinished(async () => void (await sql`drop function refuse_for_space() cascade`.execute(here.db)));
  for (const table of ['labels', 'ref_changes']) await refuseRows(table);

  const said = 'The server has no disk space left. Please tell its administrator.';
  const label = await fetch(`${here.url}/api/v3/repos/${ada.login}/${repo.name}/labels`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'bug', color: 'ff0000' }),
  });
  expect([label.status, await label.json()]).toEqual([503, expect.objectContaining({ message: said, status: '503' })]);

  const [zero, some] = ['0'.repeat(40), '1'.repeat(40)];
  const command = `${zero} ${some} refs/heads/main\0report-status`;
  const push = await fetch(`${here.url}/${ada.login}/${repo.name}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`,
  });
  expect([push.status, await push.text()]).toEqual([503, `${said}\n`]);
});

test('a store that is opened again writes nothing, so that commands work on a full disk', async () => {
  const { root } = here.hearth.services.git;
  const writtenAt = async () => (await stat(join(root, 'hooks/update'))).ctimeMs;
  const before = await writtenAt();
  await using store = await openGitStore({ root, env: process.env });
  expect(store.root).toBe(root);
  expect(await writtenAt()).toBe(before);
});
