import type { Account, Org } from '#access/viewer.ts';
import { fresh, type World } from '#test/support/world.ts';

export type Setting = { owner: Account; member: Account; shown: Account; stranger: Account; org: Account; path: string };

/** An organization with an owner, a member who conceals it, a member who shows it, and somebody who isn't in it. */
export async function setting(w: World): Promise<Setting> {
  const owner = await w.user(fresh('owner'));
  const member = await w.user(fresh('member'));
  const shown = await w.user(fresh('shown'));
  const stranger = await w.user(fresh('stranger'));
  const org = await w.org(owner);
  await w.member(org, member);
  await w.member(org, shown);
  await w.db.updateTable('memberships').set({ public: true }).where('user_id', '=', shown.id).execute();
  return { owner, member, shown, stranger, org, path: `/orgs/${org.login}` };
}

export const logins = (reply: { body: { login: string }[] }): string[] => reply.body.map((user) => user.login);

/** An organization as its owner meets it, for rules that are called without a request. */
export const asOwned = (org: Account): Org => ({ ...org, role: 'owner', managesSecurity: false, reached: true, held: {} });
