import { findRepoById } from '#access/lookup.ts';
import { type Account, anonymous, type RepositoryRow } from '#access/viewer.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import type { EventScope, OwnedRepository, PayloadScope } from '#resources/event-kinds.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { presentOrganizationOf } from '#resources/identity/organizations/index.ts';
import { presentRepositories } from '#resources/repositories/repositories/index.ts';

/** The values for some keys. Each is computed by a separate call. */
async function findEach<Key, Value>(
  keys: readonly Key[],
  find: (key: Key) => Promise<Value | undefined>,
): Promise<Map<Key, Value>> {
  const found = await Promise.all(keys.map(async (key) => [key, await find(key)] as const));
  return new Map(found.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

const findRepositories = ({ db }: Scope, ids: readonly Id<'repositories'>[]): Promise<Map<Id<'repositories'>, OwnedRepository>> =>
  findEach(ids, (id) => findRepoById(db, anonymous, id));

const presentedRepositories = async (scope: Scope, rows: readonly RepositoryRow[]) => {
  const presented = await presentRepositories(scope, rows);
  return new Map<RepositoryRow, object>(rows.flatMap((row, at) => (presented[at] ? [[row, presented[at]]] : [])));
};

const accountsOf = ({ db }: Scope, ids: readonly Id<'accounts'>[]) => loadAccounts(db, ids);

const presentedOrganizations = (scope: Scope, accounts: readonly Account[]) =>
  findEach(accounts, (account) => presentOrganizationOf(scope, account));

/** A repository in payloads, without a viewer's permissions. */
export const presentRepository = ({ load }: Scope, row: RepositoryRow): Promise<object | undefined> =>
  load(presentedRepositories, row);

/** The scope of payloads with everything else that families' builders need, for the events of one batch. */
export const payloadContext = (scope: Scope & Needs<'refRules'>): PayloadScope => ({
  ...scope,
  findRepository: async ({ repository }) => (repository === undefined ? undefined : scope.load(findRepositories, repository)),
  presentRepository: (row) => presentRepository(scope, row),
});

/** The parts of every payload: `sender`, and `organization` if the event happened in one. */
export async function commonParts(scope: Scope, event: EventScope): Promise<Record<string, unknown>> {
  const { links, load } = scope;
  const [owner, actor] = await Promise.all([
    load(accountsOf, event.owner),
    event.actor === undefined ? undefined : load(accountsOf, event.actor),
  ]);
  const sender = actor ?? owner;
  return {
    ...(owner?.kind === 'organization' || owner?.kind === 'deleted'
      ? { organization: await load(presentedOrganizations, owner) }
      : {}),
    ...(sender ? { sender: presentUser(links, sender) } : {}),
  };
}
