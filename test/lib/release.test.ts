import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commitOf, releaseName } from '#lib/release.ts';

const commit = '0123456789abcdef0123456789abcdef01234567';

/** A folder with these files. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-release-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

test.each([
  ['a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` }],
  ['a packed branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': `# pack-refs\n${commit} refs/heads/main\n` }],
  ['a commit alone', { '.git/HEAD': `${commit}\n` }],
  [
    'a worktree',
    {
      '.git': 'gitdir: main/.git/worktrees/other\n',
      'main/.git/worktrees/other/HEAD': 'ref: refs/heads/other\n',
      'main/.git/worktrees/other/commondir': '../..\n',
      'main/.git/refs/heads/other': `${commit}\n`,
    },
  ],
  ['an image, by the file of its build', { COMMIT: commit }],
])('the commit of %s is known', async (_what, files) => {
  expect(commitOf(await folderWith(files))).toBe(commit);
});

test('the commit of a folder that tells nothing is unknown, and that is said', async () => {
  expect(commitOf(await folderWith({}))).toBeUndefined();
  expect(commitOf(await folderWith({ COMMIT: '' }))).toBeUndefined();
  expect(commitOf(await folderWith({ COMMIT: 'main' }))).toBeUndefined();
  expect(releaseName({ version: '0.2.0', commit })).toBe('0.2.0 (commit 0123456789ab)');
  expect(releaseName({ version: '0.2.0' })).toBe('0.2.0 (commit unknown)');
});
