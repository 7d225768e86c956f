// The branches and tags whose history contains a commit.
import { isGitError } from '#git/errors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { listRefsWith } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { fixedValue } from '#lib/limits.ts';
import { diffLimits } from './limits.ts';

const most = fixedValue(diffLimits.containing);

type Containing = { names: string[]; is_complete: boolean };

/** The branches and tags with a commit, by their short names, up to a limit. None are named if git takes too long. */
export async function listContaining(
  gitRepository: GitRepository,
  oid: Oid,
): Promise<{ branches: Containing; tags: Containing }> {
  const namesBelow = async (prefix: string): Promise<Containing> => {
    try {
      const found = await listRefsWith(gitRepository, oid, { folder: prefix, limit: most + 1 });
      return { names: found.slice(0, most).map(({ name }) => name.slice(prefix.length + 1)), is_complete: found.length <= most };
    } catch (error) {
      if (isGitError(error, 'timeout')) return { names: [], is_complete: false };
      throw error;
    }
  };
  const [branches, tags] = await Promise.all([namesBelow('refs/heads'), namesBelow('refs/tags')]);
  return { branches, tags };
}
