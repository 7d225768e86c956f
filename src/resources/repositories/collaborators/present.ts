import { permissionsOf, type Role, roleOfLevel } from '#access/roles.ts';
import type { Account } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { InvitationRow } from '#resources/identity/members/index.ts';
import { presentRepositories } from '#resources/repositories/repositories/index.ts';
import { loadInvitedRepositories } from './invitation-store.ts';
import { isExpired } from './invitations.ts';
import type { Collaborator, CollaboratorPermission, RepositoryInvitation } from './schemas.ts';
import type { AccountWithLevel } from './store.ts';

const presentCollaborator = (links: Links, account: Account, role: Role | undefined): Collaborator => ({
  ...presentUser(links, account),
  permissions: permissionsOf(role),
  role_name: role ?? 'none',
});

/** Presents a page of users, each with their role. */
export const presentCollaborators = (links: Links, rows: readonly AccountWithLevel[]): Collaborator[] =>
  rows.map(({ level, ...account }) => presentCollaborator(links, account, roleOfLevel(level)));

const basePermissions = { read: 'read', triage: 'read', write: 'write', maintain: 'write', admin: 'admin' } as const;

/** The permission of one user. */
export const presentPermission = (links: Links, account: Account, role: Role | undefined): CollaboratorPermission => ({
  permission: role === undefined ? 'none' : basePermissions[role],
  role_name: role ?? 'none',
  user: presentCollaborator(links, account, role),
});

/** Presents a page of invitations. Repositories and users are loaded once for all of them. */
export async function presentInvitations(scope: Scope, rows: readonly InvitationRow[]): Promise<RepositoryInvitation[]> {
  const { db, links, now } = scope;
  const found = await loadInvitedRepositories(db, gather(rows, 'repository_id'));
  const [repositories, accounts] = await Promise.all([
    presentRepositories(scope, found),
    loadAccounts(db, gather(rows, 'invitee_id', 'inviter_id')),
  ]);
  const byId = keyed(repositories, (repository) => repository.id);
  return rows.map((row) => {
    const repository = getOrThrow<number, (typeof repositories)[number]>(byId, row.repository_id);
    return {
      id: row.id,
      node_id: nodeId('RepositoryInvitation', row.id),
      repository,
      invitee: presentUserOrNull(links, accounts.get(row.invitee_id)),
      inviter: presentUserOrNull(links, getOptional(accounts, row.inviter_id)),
      permissions: row.role,
      created_at: timestamp(row.created_at),
      expired: isExpired(row, now),
      url: path(`${links.api}/user/repository_invitations`, row.id),
      html_url: `${repository.html_url}/invitations`,
    };
  });
}

export const presentInvitation = async (context: Scope, row: InvitationRow): Promise<RepositoryInvitation> =>
  firstOrNotFound(await presentInvitations(context, [row]));
