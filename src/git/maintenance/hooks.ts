import { access, constants, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../errors.ts';

// Both scripts exchange lines over file descriptor 3 with the process that started `git receive-pack`; see push-inspection.ts.
// Hooks in a repository's folder never run.
const scripts = {
  'pre-receive': `#!/bin/sh
printf 'objects %s\\nalternates %s\\ninspect\\n' "$GIT_OBJECT_DIRECTORY" "$GIT_ALTERNATE_OBJECT_DIRECTORIES" >&3
read -r word <&3 && [ "$word" = go ]
`,
  update: `#!/bin/sh
printf 'ref %s\\n' "$1" >&3
read -r word <&3 && [ "$word" = go ]
`,
};

const folderOf = (root: string) => join(root, 'hooks');

/** Writes the hooks that inspect pushes, unless they exist. Several processes may do so concurrently. */
export async function installHooks(root: string): Promise<void> {
  if (await areInstalled(root)) return;
  await mkdir(folderOf(root), { recursive: true });
  const drafts = await mkdtemp(join(root, 'tmp', 'hooks-'));
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(join(drafts, name), text, { mode: 0o755 });
    await rename(join(drafts, name), join(folderOf(root), name));
  }
  await rm(drafts, { recursive: true });
}

/** Existing hooks aren't rewritten, so that commands such as `hearth doctor` also work on a full disk. */
async function areInstalled(root: string): Promise<boolean> {
  const found = await Promise.all(
    Object.entries(scripts).map(async ([name, text]) => {
      const file = join(folderOf(root), name);
      const { mode } = await stat(file);
      return (mode & 0o100) !== 0 && (await readFile(file, 'utf8')) === text;
    }),
  ).catch(() => [false]); // one doesn't exist
  return found.every(Boolean);
}

/** The hooks of one push. Disposal removes their folder. */
export type PushHooks = {
  readonly folder: string;
  /**
   * From now on, git calls the hook for each ref before it moves it. Before, and for most pushes always, this saves a process for
   * each ref.
   */
  askForEachRef(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Prepares the hooks of a push. @throws GitError if one isn't executable: git would skip it, and nothing would inspect the push
 */
export async function openPushHooks(root: string): Promise<PushHooks> {
  for (const name of Object.keys(scripts)) {
    await access(join(folderOf(root), name), constants.X_OK).catch((error: unknown) => {
      throw new GitError('failed', 'Pushes cannot be inspected: the hooks in the data folder cannot be run', String(error));
    });
  }
  const folder = await mkdtemp(join(root, 'tmp', 'hooks-'));
  const use = (name: keyof typeof scripts) => symlink(join(folderOf(root), name), join(folder, name));
  await use('pre-receive');
  return {
    folder,
    askForEachRef: () => use('update'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
