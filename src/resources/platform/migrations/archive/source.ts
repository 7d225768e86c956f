import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { loadTeams, type TeamRow } from '#resources/identity/teams/index.ts';

/** What the objects of an archive are made from. `db` shows one moment. */
export type Source = {
  db: Db;
  html: string;
  /** Whose archive it is. */
  account: Account;
};

/** Collects whom an archive names: each is an object of it, once. */
export type People = {
  ids: Set<Id<'accounts'>>;
  load(ids: Iterable<Id<'accounts'> | null | undefined>): Promise<Map<Id<'accounts'>, Account>>;
};

export function peopleOf({ db, account }: Source): People {
  const ids = new Set(account.kind === 'organization' ? [] : [account.id]);
  return {
    ids,
    async load(wanted) {
      const accounts = await loadAccounts(db, wanted);
      for (const [id, { kind }] of accounts) if (kind !== 'organization') ids.add(id);
      return accounts;
    },
  };
}

/** Of the teams that are named, those that the archive has: those of an organization in its own. */
export const loadOwnTeams = async (
  { db, account }: Source,
  { owner }: { owner: Pick<Account, 'id'> },
  ids: Iterable<Id<'teams'> | null | undefined>,
): Promise<Map<Id<'teams'>, TeamRow>> =>
  account.kind === 'organization' && account.id === owner.id ? loadTeams(db, unique(ids)) : new Map();
