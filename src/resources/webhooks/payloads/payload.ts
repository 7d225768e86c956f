import { findRepoById } from '#access/lookup.ts';
import { type Account, anonymous, type RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { EventKind } from '#events/catalogue.ts';
import type { Recorded } from '#events/subscription.ts';
import type { GitStore } from '#git/repo.ts';
import type { Id } from '#lib/id.ts';
import { loadAccounts, presentOrganization, presentUser } from '#resources/accounts/index.ts';
import { getSettings } from '#resources/organizations/index.ts';
import { presentRepositories } from '#resources/repositories/index.ts';
import type { EventName } from '#webhooks/event-names.ts';

/** One thing to tell, as the subscribers of one name hear it. */
export type Told = { name: EventName; action: string | null; body: Readonly<Record<string, unknown>> };

/** What payloads are made from: the present state, and the addresses that their readers can follow. */
export type PayloadContext = { db: Db; git: GitStore; links: Links };

type Presenting = Pick<PayloadContext, 'db' | 'links'>;

/** How a kind of event is told. `names` are those that `tell` may give, so that nothing is made when nobody listens. */
export type Teller<Kind extends EventKind> = {
  readonly names: readonly EventName[];
  /** Nothing, where what the event is about is gone by now. */
  tell(event: Recorded<Kind>, context: PayloadContext): Promise<readonly Told[]>;
};

export const teller = <Kind extends EventKind>(names: readonly EventName[], tell: Teller<Kind>['tell']): Teller<Kind> => ({
  names,
  tell,
});

/** Where an event happened, and by whom. */
export type Place = Pick<Recorded, 'owner' | 'repository' | 'actor'>;

/** A repository with its owner. */
export type OwnedRepository = RepositoryRow & { owner: Account };

/** The repository that an event is about, whatever its visibility: who hears of it was decided by whose hook it is. */
export const repositoryOf = async ({ db }: PayloadContext, event: Place): Promise<OwnedRepository | undefined> =>
  event.repository === undefined ? undefined : findRepoById(db, anonymous, event.repository);

/** A repository as payloads hold it: without what it would be to one viewer. */
export async function presentRepository({ db, links }: Presenting, row: RepositoryRow) {
  const [presented] = await presentRepositories({ db, links, viewer: anonymous }, [row]);
  return presented;
}

export async function loadAccount({ db }: PayloadContext, id: Id<'accounts'> | undefined): Promise<Account | undefined> {
  return id === undefined ? undefined : (await loadAccounts(db, [id])).get(id);
}

/** Who did it, and the organization in whose place it happened: parts of every payload. */
export async function commonOf(context: Presenting, event: Place): Promise<Record<string, unknown>> {
  const { db, links } = context;
  const accounts = await loadAccounts(db, event.actor === undefined ? [event.owner] : [event.owner, event.actor]);
  const owner = accounts.get(event.owner);
  const sender = (event.actor === undefined ? undefined : accounts.get(event.actor)) ?? owner;
  return {
    ...(owner?.kind === 'organization'
      ? { organization: presentOrganization(links, owner, (await getSettings(db, owner.id)).description) }
      : {}),
    ...(sender ? { sender: presentUser(links, sender) } : {}),
  };
}

/** Tells of a repository that is there; `more` is what stands beside it. */
export async function aboutRepository(
  context: PayloadContext,
  event: Place,
  more: (repository: OwnedRepository) => Promise<readonly Told[]> | readonly Told[],
): Promise<readonly Told[]> {
  const repository = await repositoryOf(context, event);
  if (!repository) return [];
  const presented = await presentRepository(context, repository);
  return (await more(repository)).map((told) => ({ ...told, body: { ...told.body, repository: presented } }));
}
