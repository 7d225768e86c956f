import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { releaseName } from '#lib/release.ts';
import { openSecrets } from '#lib/secrets.ts';
import { command, complaint, installation, temporaryFolder } from './support.ts';

const otherKey = Buffer.alloc(32, 9).toString('base64');

/** An installation with a user, the file of its key, and a backup of it. */
async function opened() {
  const { data, env, run } = await installation();
  expect((await run('user', 'create', 'ada')).code).toBe(0);
  const backup = join(await temporaryFolder(), 'backup');
  expect((await run('backup', backup)).code).toBe(0);
  return { data, env, run, backup, key: join(data, 'secret-key') };
}

/** Runs a statement in the database of an installation. */
async function statement(
  { DATABASE_URL }: { DATABASE_URL: string },
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult> {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

/**
 * Makes an installation one of a version that stored no fingerprint and marked no folder. Its only sealed value is an identity
 * key.
 */
async function outdated({ data, env, key }: { data: string; env: { DATABASE_URL: string }; key: string }): Promise<void> {
  const sealed = openSecrets(Buffer.from(await readFile(key, 'utf8'), 'base64')).seal(
    'a private key',
    'identity_keys.private_key:one',
  );
  const insert = `insert into identity_keys (kid, public_key, private_key, created_at) values ('one', '{}', $1, now())`;
  await statement(env, insert, [sealed]);
  await statement(env, `update installation set secret_key_fingerprint = null, marked_folders = '{}'`);
  for (const name of ['repositories', 'objects']) await rm(join(data, name, 'hearth-installation'));
}

test('an upgrade from a version without fingerprints compares the key with what is sealed, of whatever kind', async () => {
  const { data, env, run, key } = await opened();
  await outdated({ data, env, key });
  await rename(key, `${key}.kept`);
  expect(complaint(await run('doctor'))).toContain(`The secret key is missing: ${key} isn't there.`);
  expect(await readdir(data)).not.toContain('secret-key');
  await writeFile(key, otherKey);
  expect(complaint(await run('doctor'))).toContain('is not the one of this installation');
  await rename(`${key}.kept`, key);
  expect(await run('user', 'create', 'cleo')).toMatchObject({ code: 0 });
  await rm(key);
  expect(complaint(await run('doctor'))).toContain('The secret key is missing');
});

test('a restore of a backup without a fingerprint tries the key on what is sealed in it', async () => {
  const { data, env, run, key } = await opened();
  await outdated({ data, env, key });
  const backup = join(await temporaryFolder(), 'backup');
  expect((await run('backup', backup)).code).toBe(0);
  const file = join(backup, 'manifest.json');
  const { secret_key_fingerprint: _, ...manifest } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(manifest));

  const other = await installation();
  await writeFile(join(other.data, 'secret-key'), otherKey);
  expect(complaint(await other.run('restore', backup))).toMatch(/^The secret key is not the one of the backup: /);
  await writeFile(join(other.data, 'secret-key'), await readFile(key));
  expect(await other.run('restore', backup)).toMatchObject({ code: 0, err: expect.not.stringContaining('key') });
});

test.each([
  ['repositories', 'repositories', ''],
  ['objects', 'files', ' Are the files in a bucket (HEARTH_OBJECTS)?'],
])('an upgrade while the volume of %s is away is refused, and marks nothing', async (name, things, bucket) => {
  const { data, env, run, key } = await opened();
  expect((await run('repo', 'create', 'ada/engine')).code).toBe(0);
  const upload = `insert into code_scanning_uploads (repository_id, sarif_id, commit_sha, ref, object_key, digest, created_at)
    select id, 'a', '', '', '1/a', 'sha256:', now() from repositories`;
  await statement(env, upload);
  await mkdir(join(data, 'objects', '1'), { recursive: true });
  await writeFile(join(data, 'objects', '1', 'a'), '');
  await outdated({ data, env, key });
  const folder = join(data, name);
  await rename(folder, `${folder}.lost`);
  await mkdir(folder);
  const said = complaint(await run('doctor'));
  expect(said).toContain(`${folder} has none of the ${things} that the database knows. Is its volume mounted?${bucket} If this`);
  expect(await readdir(folder)).toEqual([]);
  expect((await statement(env, 'select marked_folders from installation')).rows).toEqual([{ marked_folders: [] }]);

  await rm(folder, { recursive: true });
  await rename(`${folder}.lost`, folder);
  expect(await run('user', 'create', 'cleo')).toMatchObject({ code: 0 });
});

test('a secret key that is missing or another one ends each start, says what to do, and changes nothing', async () => {
  const { data, run, key } = await opened();
  await rename(key, `${key}.kept`);
  const missing = `The secret key is missing: ${key} isn't there. Put the key back from where you keep it.`;
  for (const words of [['serve', '--port', '0'], ['doctor'], ['user', 'create', 'bea']])
    expect(complaint(await run(...words))).toContain(missing);
  expect(await readdir(data)).not.toContain('secret-key');
  await writeFile(key, otherKey);
  expect(complaint(await run('doctor'))).toMatch(/^The secret key in .* is not the one of this installation. Put the key back/);
  await rename(`${key}.kept`, key);
  expect(await run('user', 'create', 'cleo')).toMatchObject({ code: 0 });
});

test('where the key is lost, an operator may go on with another one', async () => {
  const { run, key } = await opened();
  await rm(key);
  const replaced = await run('secret-key', 'replace');
  expect([replaced.code, replaced.out]).toEqual([0, expect.stringMatching(/^The secret key is now sha256:[0-9a-f]{32}\./)]);
  expect(await run('user', 'create', 'cleo')).toMatchObject({ code: 0 });
});

test('a restore without the key of the backup is refused before it changes anything, unless the operator wants it', async () => {
  const { key, backup } = await opened();
  const without = await installation();
  const refused = complaint(await without.run('restore', backup));
  expect(refused).toMatch(/^There is no secret key in .*\/secret-key: the backup's secrets .* Nothing was restored$/);
  expect(await readdir(without.data)).toEqual([]);

  const other = await installation();
  await writeFile(join(other.data, 'secret-key'), otherKey);
  expect(complaint(await other.run('restore', backup))).toMatch(/^The secret key is not the one of the backup: /);
  expect((await other.run('restore', backup, '--other-key')).code).toBe(0);
  expect((await other.run('user', 'create', 'cleo')).code).toBe(0);

  const own = await installation();
  await writeFile(join(own.data, 'secret-key'), await readFile(key));
  expect(await own.run('restore', backup)).toMatchObject({ code: 0, err: expect.not.stringContaining('key') });
});

test.each(['repositories', 'objects'])('a folder of %s that is lost ends each start, and is not made anew', async (name) => {
  const { data, run } = await opened();
  const folder = join(data, name);
  await rename(folder, `${folder}.lost`);
  const said = complaint(await run('doctor'));
  expect(said).toMatch(
    new RegExp(`^${folder} has no file hearth-installation. Is its volume mounted\\? If this is the right folder, run: echo`),
  );
  expect(await readdir(data)).not.toContain(name);
  await rename(`${folder}.lost`, folder);
  expect(await run('user', 'create', 'cleo')).toMatchObject({ code: 0 });
});

test('a version and its commit are said, also by backups, and a backup of other tables by the migrations that differ', async () => {
  const said = /^0\.\d+\.\d+ \(commit ([0-9a-f]{12}|unknown)\)$/;
  const { out } = await command(['--version']);
  expect(out.trim()).toMatch(said);
  const { backup, key } = await opened();
  const file = join(backup, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  expect(releaseName(manifest)).toBe(out.trim());

  const other = await installation();
  await writeFile(join(other.data, 'secret-key'), await readFile(key));
  const commit = 'f'.repeat(40);
  const migrations = [...manifest.migrations.slice(0, -2), '9000-later'];
  await writeFile(file, JSON.stringify({ ...manifest, commit, migrations }));
  const refused = complaint(await other.run('restore', backup));
  const missing = manifest.migrations.slice(-2);
  expect(refused).toBe(
    `The backup was made by Hearth ${manifest.version} (commit ffffffffffff), and this is ${out.trim()}: the backup ` +
      'has the migration 9000-later, ' +
      `which this one has not; this one has 2 migrations (${missing[0]} to ${missing[1]}), which the backup has not. ` +
      'Restore it with that Hearth, then update',
  );
});
