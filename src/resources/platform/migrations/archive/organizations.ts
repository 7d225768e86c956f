import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { findMembership, listMembersAfter } from '#resources/identity/members/index.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';
import type { OrganizationRecord } from './format.ts';
import { batchesOf } from './pages.ts';

/**
 * An organization, and who its members are: all of them for itself and an owner. Others see themselves and those whose membership
 * is public.
 */
export async function organizationRecords(
  db: Db,
  html: string,
  account: Account,
  id: Id<'accounts'>,
): Promise<{ record: OrganizationRecord; members: Id<'accounts'>[] }> {
  const org = await findAccountById(db, id);
  if (!org) throw new Error(`There is no organization ${id}`);
  const { description } = await getSettings(db, id);
  const own = await findMembership(db, id, account.id);
  const all = account.id === id || (own?.role === 'owner' && own.state === 'active');
  const members: { id: Id<'accounts'>; login: string; role: 'owner' | 'member' }[] = [];
  const list = (after: number, limit: number) => listMembersAfter(db, id, after, limit);
  for await (const rows of batchesOf(0, list, (row) => row.id))
    members.push(...rows.filter((row) => all || row.public || row.id === account.id));
  return {
    record: {
      type: 'organization',
      url: path(html, org.login),
      login: org.login,
      name: org.name,
      description,
      website: org.blog === '' ? null : org.blog,
      location: org.location,
      members: members.map(({ login, role }) => ({ user: path(html, login), role: role === 'owner' ? 'admin' : 'member' })),
      created_at: timestamp(org.created_at),
    },
    members: members.map((member) => member.id),
  };
}
