import type { Account } from '#access/viewer.ts';
import { history } from '#test/resources/code/commits/setting.ts';
import { installApp } from '#test/support/apps.ts';
import { fresh, world } from '#test/support/world.ts';

/** An organization's repository with the branch `main`, its owner's client, and the address of the protection of `main`. */
export async function setting(kind: 'organization' | 'user' = 'organization') {
  const w = await world();
  const user = await w.user();
  const owner: Account = kind === 'user' ? user : await w.org(user);
  const made = await history(w, owner, 1);
  const client = await w.as(user);
  return { ...made, w, user, owner, client, base: `${made.path}/branches/main/protection` };
}

/** A user with a role in a repository. */
export async function collaborator(
  { w, repo }: Pick<Awaited<ReturnType<typeof setting>>, 'w' | 'repo'>,
  role: 'read' | 'write' | 'admin' = 'write',
): Promise<Account> {
  const user = await w.user();
  await w.collaborator(repo, user, role);
  return user;
}

/** A team of the organization with a role in a repository; its slug. */
export async function team(
  { client, owner, repo }: Pick<Awaited<ReturnType<typeof setting>>, 'client' | 'owner' | 'repo'>,
  permission: 'pull' | 'push' = 'push',
): Promise<string> {
  const { slug } = (await client.post(`/orgs/${owner.login}/teams`, { name: fresh('team'), privacy: 'closed' })).body;
  await client.put(`/orgs/${owner.login}/teams/${slug}/repos/${owner.login}/${repo.name}`, { permission });
  return slug;
}

/** An app that may write to the repositories of an account; its slug. */
export async function app(
  { w, owner }: Pick<Awaited<ReturnType<typeof setting>>, 'w' | 'owner'>,
  permissions: Record<string, string> = { contents: 'write' },
): Promise<{ slug: string; id: number }> {
  const { installation } = await installApp(w, { on: owner, permissions });
  const query = w.db.selectFrom('installations').innerJoin('apps', 'apps.id', 'installations.app_id').select(['slug', 'apps.id']);
  return query.where('installations.id', '=', installation).executeTakeFirstOrThrow();
}
