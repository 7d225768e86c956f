import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataFolder } from '#cli/data-folder.ts';
import { openGitStore } from '#git/store.ts';
import { scratch } from '#test/git/support.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('other accounts of the machine read nothing in the data folder', async () => {
  const { path, repositories } = await openDataFolder(join(await scratch(), 'above', 'data'));
  await using store = await openGitStore({ root: repositories, env: process.env });
  // PostgreSQL passes through as an account of its own where Hearth runs as root.
  expect(await modeOf(path)).toBe(process.getuid?.() === 0 ? 0o711 : 0o700);
  expect(await modeOf(store.root)).toBe(0o700);
});

test('a folder of repositories that was open is closed at the next start', async () => {
  const root = join(await scratch(), 'repositories');
  await mkdir(root);
  await chmod(root, 0o755);
  await using store = await openGitStore({ root, env: process.env });
  expect(await modeOf(store.root)).toBe(0o700);
});
