import type { Repo } from '#access/viewer.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import type { Branch as GitBranch, Ref } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { loadProtections, type ProtectionRow, protectionUrl } from '#resources/code/branch-protection/index.ts';
import { commitLink, presentCommit, type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import type { Branch, BranchProtection, ShortBranch } from './schemas.ts';

/** The protection of a branch: whether it has one, the checks that it requires, and from whom. */
function presentProtection(protection: ProtectionRow | undefined): BranchProtection {
  const checks = protection?.status_checks?.checks.map(({ context, app_id }) => ({ context, app_id })) ?? [];
  const level = protection?.enforce_admins ? 'everyone' : 'non_admins';
  return {
    enabled: protection !== undefined,
    required_status_checks: {
      enforcement_level: checks.length === 0 ? 'off' : level,
      contexts: checks.map(({ context }) => context),
      checks,
    },
  };
}

const common = ({ url }: RepositoryUrls, name: string, protection: ProtectionRow | undefined) => ({
  name,
  protected: protection !== undefined,
  protection: presentProtection(protection),
  protection_url: protectionUrl(url, name),
});

/** Branches in a list. */
export function presentBranches(
  urls: RepositoryUrls,
  refs: readonly Pick<Ref, 'name' | 'oid'>[],
  protections: ReadonlyMap<string, ProtectionRow>,
): ShortBranch[] {
  return refs.map(({ name, oid }) => {
    const { sha, url } = commitLink(urls, oid);
    const short = shortNameOf(name);
    return { ...common(urls, short, protections.get(short)), commit: { sha, url } };
  });
}

type Shown = Pick<GitBranch, 'short' | 'oid'>;

/** A branch with its latest commit. It loads the commit and the protection. */
export async function showBranch(scope: Scope, repo: Repo, { short, oid }: Shown): Promise<Branch> {
  const urls = repositoryUrlsOf(scope.links, repo);
  await using reader = await openObjects(repoOf(scope.git, repo.id));
  const [commit, protections] = await Promise.all([reader.getCommit(oid), loadProtections(scope.db, repo.id, [short])]);
  return {
    ...common(urls, short, protections.get(short)),
    commit: await presentCommit(scope, urls, commit),
    _links: {
      self: path(`${urls.url}/branches`, ...short.split('/')),
      html: path(`${urls.html}/tree`, ...short.split('/')),
    },
  };
}
