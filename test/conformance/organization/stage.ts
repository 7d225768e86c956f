import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import { oauthApp } from '#test/support/apps.ts';
import { receiver } from '#test/support/receiver.ts';
import type { World } from '#test/support/world.ts';

/** An organization with its people, and an OAuth app that creates its webhooks. */
export type Stage = {
  here: World;
  org: Account;
  owner: Account;
  /** A member who administers every repository, and has no other role. */
  member: Account;
  outsider: Account;
  /** A private repository of the organization, and people who only have this role in it. */
  repo: RepositoryRow;
  inRepo: Record<'read' | 'triage' | 'write' | 'maintain' | 'admin', Account>;
  elsewhere: Account;
  app: Id<'apps'>;
  /** The address for webhook deliveries. */
  url: string;
};

export async function makeStage(here: World): Promise<Stage> {
  const [owner, member, outsider] = [await here.user(), await here.user(), await here.user()];
  const [org, elsewhere] = [await here.org(owner), await here.org(owner)];
  await here.member(org, member);
  const client = await here.as(owner);
  const { body } = await client.get(`/orgs/${org.login}/organization-roles`);
  for (const { id } of body.roles) {
    const given = await client.put(`/orgs/${org.login}/organization-roles/users/${member.login}/${id}`);
    if (given.status !== 204) throw new Error(given.text);
  }
  const repo = await here.repo(org, { visibility: 'private', by: owner });
  const withRole = async (role: keyof Stage['inRepo']): Promise<Account> => {
    const user = await here.user();
    await here.collaborator(repo, user, role);
    return user;
  };
  const inRepo = {
    read: await withRole('read'),
    triage: await withRole('triage'),
    write: await withRole('write'),
    maintain: await withRole('maintain'),
    admin: await withRole('admin'),
  };
  const [app, { url }] = [await oauthApp(here, owner), await receiver()];
  return { here, org, owner, member, outsider, repo, inRepo, elsewhere, app, url };
}
