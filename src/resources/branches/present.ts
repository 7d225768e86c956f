import { path } from '#endpoint/links.ts';
import type { Commit as Stored } from '#git/objects/parse-commit.ts';
import { shortNameOf } from '#git/refs/ref-name.ts';
import type { Ref } from '#git/refs/refs.ts';
import { commitLink, presentCommit, type RepositoryUrls, type UrlsContext } from '#resources/commits/index.ts';
import type { Branch, ShortBranch } from './schemas.ts';

function common({ url }: RepositoryUrls, name: string) {
  const self = path(`${url}/branches`, ...name.split('/'));
  return {
    name,
    protected: false,
    protection: { enabled: false, required_status_checks: { enforcement_level: 'off' as const, contexts: [], checks: [] } },
    protection_url: `${self}/protection`,
  };
}

/** A branch in a list. */
export function presentBranch(urls: RepositoryUrls, { name, oid }: Pick<Ref, 'name' | 'oid'>): ShortBranch {
  const { sha, url } = commitLink(urls, oid);
  return { ...common(urls, shortNameOf(name)), commit: { sha, url } };
}

/** A branch with its latest commit. */
export const presentFullBranch = async (context: UrlsContext, name: string, commit: Stored): Promise<Branch> => ({
  ...common(context.urls, name),
  commit: await presentCommit(context, commit),
  _links: {
    self: path(`${context.urls.url}/branches`, ...name.split('/')),
    html: path(`${context.urls.html}/tree`, ...name.split('/')),
  },
});
