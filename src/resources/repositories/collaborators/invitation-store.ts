import { sql } from 'kysely';
import { reachedBy } from '#access/sql.ts';
import type { RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { InvitationRow } from '#resources/identity/members/index.ts';

type InvitationId = Id<'repository_invitations'>;

export const listInvitations = (db: Db, repository: Id<'repositories'>, page: Page): Promise<Listed<InvitationRow>> =>
  list(db, db.selectFrom('repository_invitations').selectAll().where('repository_id', '=', repository).orderBy('id'), page);

export const findInvitation = (db: Db, repository: Id<'repositories'>, id: InvitationId): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('repository_invitations')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('id', '=', id)
    .executeTakeFirst();

/** Reads the invitation again and locks its row; undefined if it was accepted, declined or withdrawn. */
export const findInvitationForUpdate = (tx: Tx, { id }: Pick<InvitationRow, 'id'>): Promise<InvitationRow | undefined> =>
  tx.selectFrom('repository_invitations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const findInvitationOf = (
  db: Db,
  repository: Id<'repositories'>,
  invitee: Id<'accounts'>,
): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('repository_invitations')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('invitee_id', '=', invitee)
    .executeTakeFirst();

/**
 * The viewer's own invitations. A fine-grained token for another owner's repositories sees only invitations to repositories that
 * it reaches. Otherwise it could accept invitations to repositories that it wasn't made for.
 */
const ownInvitations = (db: Db, { account, grant }: SignedIn) => {
  const query = db.selectFrom('repository_invitations').selectAll().where('invitee_id', '=', account.id);
  if (grant.kind !== 'fine_grained_pat' || grant.ownerId === account.id) return query;
  return query.where(sql<boolean>`repository_id in (select r.id from repositories r where ${reachedBy(grant)})`);
};

export const listOwnInvitations = (db: Db, viewer: SignedIn, page: Page): Promise<Listed<InvitationRow>> =>
  list(db, ownInvitations(db, viewer).orderBy('id'), page);

export const findOwnInvitation = (db: Db, viewer: SignedIn, id: InvitationId): Promise<InvitationRow | undefined> =>
  ownInvitations(db, viewer).where('id', '=', id).executeTakeFirst();

/**
 * The repositories of invitations. Unlike elsewhere, they aren't limited to those that the viewer may read: the invitee must see
 * which private repository an invitation is for.
 */
export const loadInvitedRepositories = async (db: Db, ids: Iterable<Id<'repositories'>>): Promise<RepositoryRow[]> => {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : db.selectFrom('repositories').selectAll().where('id', 'in', wanted).execute();
};
