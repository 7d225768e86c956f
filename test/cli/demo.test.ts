import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { temporaryFolder } from './support.ts';

const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');

/** A clone without its history, as machines that run checks have them. */
async function shallowClone(): Promise<string> {
  const [source, clone] = [await temporaryFolder(), join(await temporaryFolder(), 'shallow')];
  await git(source, 'init', '--quiet');
  for (const text of ['the first', 'the second']) {
    await writeFile(join(source, 'file.md'), `${text}\n`);
    await git(source, 'add', '.');
    await git(source, 'commit', '--quiet', '-m', text);
  }
  await git(source, 'clone', '--quiet', '--depth', '1', `file://${source}`, clone);
  return clone;
}

test('the demo leaves nothing behind, though its reader goes away, and takes a shallow clone', async () => {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [entry, 'demo', await shallowClone()], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.once('data', () => child.stderr.destroy());
  const [first] = await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect(String(first)).toMatch(/^\n# A public repository/);
  expect([code, await readdir(folder)]).toEqual([0, []]);
});
