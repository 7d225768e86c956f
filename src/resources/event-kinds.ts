// What families declare of the events that happen in them: which webhook events they become, and who gets those.
import type { Permission } from '#access/permissions.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import type { GitStore } from '#git/repo.ts';
import type { EventName } from '#webhook-delivery/event-names.ts';

/** A webhook event that hooks subscribe to by its name, declared once, in the family whose events become it. */
export type WebhookEventType = {
  readonly name: EventName;
  /** What an app's installation must hold to get it. `none` where no permission tells more than this event does. */
  readonly permission: Permission | 'none';
  /** Who gets it besides apps: hooks of organizations and repositories, those of organizations alone, or no other hook. */
  readonly hooks: 'all' | 'organizations' | 'apps';
};

/** One webhook event: its type, the action, and the body of the payload. */
export type WebhookEvent = {
  readonly type: WebhookEventType;
  readonly action: string | null;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A repository with its owner. */
export type OwnedRepository = RepositoryRow & { owner: Account };

/** The account and repository in which an event happened, and who caused it. */
export type EventScope = Pick<Recorded, 'owner' | 'repository' | 'actor'>;

/** What payloads are made from. `links` hold the address under which receivers can reach this server. */
export type PayloadContext = {
  readonly db: Db;
  readonly git: GitStore;
  readonly links: Links;
  /** The repository of an event. Visibility isn't checked: only hooks of the repository and its owner get the event. */
  findRepository(event: EventScope): Promise<OwnedRepository | undefined>;
  /** A repository in payloads: without the permissions of a viewer, since there is none. */
  presentRepository(row: RepositoryRow): Promise<object | undefined>;
};

/** Turns a kind of event into webhook events. */
export type PayloadBuilder<Kind extends EventKind> = {
  /** All types that `build` may give, so that nothing is made when nobody is subscribed to them. */
  readonly types: readonly WebhookEventType[];
  /** The webhook events; none where what the event is about was deleted meanwhile. */
  build(event: Recorded<Kind>, context: PayloadContext): Promise<readonly WebhookEvent[]>;
};

/** Kinds of events, each with the webhook events that it becomes. The public API has none for those that say so. */
export type EventKinds<Kind extends EventKind> = { readonly [K in Kind]: PayloadBuilder<K> | 'no webhook' };

export const webhookEventType = (declared: WebhookEventType): WebhookEventType => declared;

/** Declares kinds of events of a family. Each kind of `EventData` belongs to one family, or `all.ts` doesn't compile. */
export const eventKinds = <Kind extends EventKind>(declared: EventKinds<Kind>): EventKinds<Kind> => declared;

export const payloadBuilder = <Kind extends EventKind>(
  types: readonly WebhookEventType[],
  build: PayloadBuilder<Kind>['build'],
): PayloadBuilder<Kind> => ({ types, build });

/** `changes` of a payload: each changed field with its former value. As in the public API, one that was null is an empty text. */
export const changesOf = (from: Readonly<Record<string, unknown>> = {}) => ({
  changes: Object.fromEntries(Object.entries(from).map(([name, value]) => [name, { from: value ?? '' }])),
});

/** Webhook events about a repository that still exists; `more` are the other parts of their bodies. */
export async function aboutRepository(
  context: PayloadContext,
  event: EventScope,
  more: (repository: OwnedRepository) => Promise<readonly WebhookEvent[]> | readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> {
  const repository = await context.findRepository(event);
  if (!repository) return [];
  const presented = await context.presentRepository(repository);
  return (await more(repository)).map((built) => ({ ...built, body: { ...built.body, repository: presented } }));
}
