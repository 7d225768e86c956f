import { access, constants, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../errors.ts';

// Both scripts speak over file descriptor 3 with the process that started `git receive-pack`, and only with it: see
// push-inspection.ts. They are Hearth's own; hooks in a repository's folder never run.
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

/** Writes the hooks through which pushes are inspected, unless they are there. Several processes may do so at once. */
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

/** A command must work on a full disk too, above all the one that tells of it. */
async function areInstalled(root: string): Promise<boolean> {
  const found = await Promise.all(
    Object.entries(scripts).map(async ([name, text]) => {
      const file = join(folderOf(root), name);
      const { mode } = await stat(file);
      return (mode & 0o100) !== 0 && (await readFile(file, 'utf8')) === text;
    }),
  ).catch(() => [false]); // one isn't there
  return found.every(Boolean);
}

/** The folder of the hooks. git passes over a hook that it can't run, so this throws rather than let a push go uninspected. */
export async function runnableHooks(root: string): Promise<string> {
  for (const name of Object.keys(scripts)) {
    await access(join(folderOf(root), name), constants.X_OK).catch((error: unknown) => {
      throw new GitError('failed', 'Pushes cannot be inspected: the hooks in the data folder cannot be run', String(error));
    });
  }
  return folderOf(root);
}
