// Which Hearth this is: the version of its package.json, and the commit that it was built of.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The version of this Hearth, from its package.json. Commits between two releases have the same one. */
export const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** The commit of this Hearth; undefined where nothing tells. */
export const commit: string | undefined = commitOf(root);

/** A version with its commit, for people: `0.2.0 (commit 0123456789ab)`. */
export const releaseName = (name: { version: string; commit?: string | undefined }): string =>
  `${name.version} (${name.commit === undefined ? 'commit unknown' : `commit ${name.commit.slice(0, 12)}`})`;

/** The name of this Hearth. */
export const release: string = releaseName({ version, commit });

/**
 * The commit of a folder: that of its Git repository, or the one that the build wrote into the file `COMMIT`, since an image or an archive
 * has no repository.
 */
export function commitOf(folder: string): string | undefined {
  return asCommit(commitOfCheckout(folder)) ?? asCommit(read(join(folder, 'COMMIT')));
}

function asCommit(text: string | undefined): string | undefined {
  return /^[0-9a-f]{40,64}$/.exec(text?.trim() ?? '')?.[0];
}

/** The commit that is checked out, read from Git's files, since a server starts without running Git for it. */
function commitOfCheckout(folder: string): string | undefined {
  // In a worktree, `.git` is a file that names the folder.
  const named = /^gitdir: (.+)$/m.exec(read(join(folder, '.git')) ?? '')?.[1];
  const git = named === undefined ? join(folder, '.git') : resolve(folder, named);
  const head = read(join(git, 'HEAD'));
  const ref = /^ref: (\S+)$/m.exec(head ?? '')?.[1];
  if (ref === undefined) return head;
  const common = resolve(git, read(join(git, 'commondir'))?.trim() ?? '.');
  const packed = read(join(common, 'packed-refs'))
    ?.split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return read(join(common, ref)) ?? packed?.split(' ', 1)[0];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
