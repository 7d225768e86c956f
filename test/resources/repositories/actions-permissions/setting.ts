import { expect } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';
import { fresh, type World } from '#test/support/world.ts';

/** An organization with a private and a public repository, and one of a user's own, with the client of who owns them all. */
export async function makeSetting(here: World) {
  const owner = await here.user();
  const org = await here.org(owner);
  const engine = await here.repo(org, { name: fresh('engine'), by: owner, visibility: 'private' });
  const wheel = await here.repo(org, { name: fresh('wheel'), by: owner });
  const own = await here.repo(owner, { name: fresh('own'), visibility: 'private' });
  const client = await here.as(owner);
  const pathOf = (repo: RepositoryRow) => `/repos/${repo === own ? owner.login : org.login}/${repo.name}/actions`;
  return {
    owner,
    org,
    engine,
    wheel,
    own,
    client,
    ofOrg: `/orgs/${org.login}/actions/permissions`,
    ofCaches: `/organizations/${org.login}/actions/cache`,
    /** The address of a repository's permissions, or of its caches. */
    of: (repo: RepositoryRow, what: 'permissions' | 'cache' = 'permissions') => `${pathOf(repo)}/${what}`,
    policy: (repo: RepositoryRow) => loadActionsPolicy(here.db, repo),
    /** Sets something, and demands the answer 204. */
    async put(path: string, body?: object) {
      const reply = await client.put(path, body);
      expect(reply.status, JSON.stringify(reply.body)).toBe(204);
    },
  };
}

export const settingsTables = [
  'actions_organization_settings',
  'actions_repository_settings',
  'repository_selections',
  'selected_repositories',
  'events',
];
