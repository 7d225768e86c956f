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
import type { EventName } from '#webhook-delivery/event-names.ts';

/** One webhook event: the name that hooks subscribe to, the action, and the body of the payload. */
export type WebhookEvent = { name: EventName; action: string | null; body: Readonly<Record<string, unknown>> };

/** What payloads are made from. `links` hold the address under which receivers can reach this server. */
export type PayloadContext = { db: Db; git: GitStore; links: Links };

type Presenting = Pick<PayloadContext, 'db' | 'links'>;

/** Turns a kind of event into webhook events. `names` are all that `tell` may give, so that nothing is made when nobody listens for them. */
export type PayloadBuilder<Kind extends EventKind> = {
  readonly names: readonly EventName[];
  /** The webhook events; none where what the event is about was deleted meanwhile. */
  build(event: Recorded<Kind>, context: PayloadContext): Promise<readonly WebhookEvent[]>;
};

export const payloadBuilder = <Kind extends EventKind>(
  names: readonly EventName[],
  tell: PayloadBuilder<Kind>['build'],
): PayloadBuilder<Kind> => ({
  names,
  build: tell,
});

/** Tellers by the kinds of events that they are for. */
export type PayloadBuilders = { readonly [Kind in EventKind]?: PayloadBuilder<Kind> };

/** `changes` of a payload: each changed field with its former value. As in the public API, one that was null is an empty text. */
export const changesOf = (from: Readonly<Record<string, unknown>> = {}) => ({
  changes: Object.fromEntries(Object.entries(from).map(([name, value]) => [name, { from: value ?? '' }])),
});

/** The account and repository in which an event happened, and who caused it. */
export type EventScope = Pick<Recorded, 'owner' | 'repository' | 'actor'>;

/** A repository with its owner. */
export type OwnedRepository = RepositoryRow & { owner: Account };

/** The repository of an event. Visibility isn't checked: only hooks of the repository and its owner get the event. */
export const repositoryOf = async ({ db }: PayloadContext, event: EventScope): Promise<OwnedRepository | undefined> =>
  event.repository === undefined ? undefined : findRepoById(db, anonymous, event.repository);

/** A repository in payloads: without the permissions of a viewer, since there is none. */
export async function presentRepository({ db, links }: Presenting, row: RepositoryRow) {
  const [presented] = await presentRepositories({ db, links, viewer: anonymous }, [row]);
  return presented;
}

export async function loadAccount({ db }: PayloadContext, id: Id<'accounts'> | undefined): Promise<Account | undefined> {
  return id === undefined ? undefined : (await loadAccounts(db, [id])).get(id);
}

/** An organization in payloads. */
export const presentOrganizationOf = async ({ db, links }: Presenting, account: Account) =>
  presentOrganization(links, account, (await getSettings(db, account.id)).description);

/** The parts of every payload: `sender`, and `organization` where the event happened in one. */
export async function commonOf(context: Presenting, event: EventScope): Promise<Record<string, unknown>> {
  const { db, links } = context;
  const accounts = await loadAccounts(db, event.actor === undefined ? [event.owner] : [event.owner, event.actor]);
  const owner = accounts.get(event.owner);
  const sender = (event.actor === undefined ? undefined : accounts.get(event.actor)) ?? owner;
  return {
    ...(owner?.kind === 'organization' ? { organization: await presentOrganizationOf(context, owner) } : {}),
    ...(sender ? { sender: presentUser(links, sender) } : {}),
  };
}

/** A webhook event about a repository that still exists; `more` are the other parts of its body. */
export async function aboutRepository(
  context: PayloadContext,
  event: EventScope,
  more: (repository: OwnedRepository) => Promise<readonly WebhookEvent[]> | readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> {
  const repository = await repositoryOf(context, event);
  if (!repository) return [];
  const presented = await presentRepository(context, repository);
  return (await more(repository)).map((built) => ({ ...built, body: { ...built.body, repository: presented } }));
}
