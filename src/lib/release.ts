// The release of this Hearth: the version from its package.json, and the commit that it was built from.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The version of this Hearth, from its package.json. All commits between two releases have the same version. */
export const version: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;

/** The commit of this Hearth; undefined if unknown. */
export const commit: string | undefined = commitOf(root);

/** A version with its commit, for people: `0.2.0 (commit 0123456789ab)`. */
export const releaseName = (name: { version: string; commit?: string | undefined }): string =>
  `${name.version} (${name.commit === undefined ? 'commit unknown' : `commit ${name.commit.slice(0, 12)}`})`;

/** The release name of this Hearth. */
export const release: string = releaseName({ version, commit });

/**
 * The commit of a folder: from its Git repository, or from the file `COMMIT` that the build wrote, since an image or an archive
 * has no repository.
 */
export function commitOf(folder: string): string | undefined {
  return asCommit(commitOfCheckout(folder)) ?? asCommit(read(join(folder, 'COMMIT')));
}

function asCommit(text: string | undefined): string | undefined {
  return /^[0-9a-f]{40,64}$/.exec(text?.trim() ?? '')?.[0];
}

/** The commit that is checked out. It is read from Git's files, since a server should start without running Git for it. */
function commitOfCheckout(folder: string): string | undefined {
  // In a worktree, `.git` is a file that contains the folder's path.
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
