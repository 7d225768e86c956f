import { findRepoById } from '#access/lookup.ts';
import { type Account, anonymous, type RepositoryRow } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import type { Services } from '#endpoint/services.ts';
import { batchLoader } from '#lib/batch-loader.ts';
import type { Id } from '#lib/id.ts';
import { loadAccounts, presentUser } from '#resources/accounts/index.ts';
import type { EventScope, OwnedRepository, PayloadContext, PayloadLoader } from '#resources/event-kinds.ts';
import { presentOrganizationOf } from '#resources/organizations/index.ts';
import { presentRepositories } from '#resources/repositories/index.ts';

type LoadingContext = Context & Pick<PayloadContext, 'load'>;

/** A context in which what several payloads show is loaded once. */
export function loadingContext<Given extends Context>(context: Given): Given & LoadingContext {
  const loaders = new Map<unknown, (key: unknown) => Promise<unknown>>();
  return {
    ...context,
    load<Key, Value>(loader: PayloadLoader<Key, Value>, key: Key) {
      const known = loaders.get(loader) ?? batchLoader<unknown, unknown>((keys) => loader(context, keys as Key[]));
      loaders.set(loader, known);
      return known(key) as Promise<Value | undefined>; // what this loader loads
    },
  };
}

/** The values of some keys, each found by a call of its own. */
async function findEach<Key, Value>(
  keys: readonly Key[],
  find: (key: Key) => Promise<Value | undefined>,
): Promise<Map<Key, Value>> {
  const found = await Promise.all(keys.map(async (key) => [key, await find(key)] as const));
  return new Map(found.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

const findRepositories = (
  { db }: Context,
  ids: readonly Id<'repositories'>[],
): Promise<Map<Id<'repositories'>, OwnedRepository>> => findEach(ids, (id) => findRepoById(db, anonymous, id));

const presentedRepositories = async ({ db, links }: Context, rows: readonly RepositoryRow[]) => {
  const presented = await presentRepositories({ db, links, viewer: anonymous }, rows);
  return new Map<RepositoryRow, object>(rows.flatMap((row, at) => (presented[at] ? [[row, presented[at]]] : [])));
};

const accountsOf = ({ db }: Context, ids: readonly Id<'accounts'>[]) => loadAccounts(db, ids);

const presentedOrganizations = (context: Context, accounts: readonly Account[]) =>
  findEach(accounts, (account) => presentOrganizationOf(context, account));

/** A repository as payloads show it: without a viewer's permissions. */
export const presentRepository = ({ load }: LoadingContext, row: RepositoryRow): Promise<object | undefined> =>
  load(presentedRepositories, row);

/** The context of the families' payload builders, for the events of one batch. */
export function payloadContext(given: Context & Pick<Services, 'git' | 'refRules'>): PayloadContext {
  const context = loadingContext(given);
  return {
    ...context,
    findRepository: async ({ repository }) => (repository === undefined ? undefined : context.load(findRepositories, repository)),
    presentRepository: (row) => presentRepository(context, row),
  };
}

/** The parts of every payload: `sender`, and `organization` where the event happened in one. */
export async function commonParts(context: LoadingContext, event: EventScope): Promise<Record<string, unknown>> {
  const { links, load } = context;
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
