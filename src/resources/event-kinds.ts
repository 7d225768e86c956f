// How families declare their kinds of events, the webhook events that these become, and which hooks receive those.
import type { Permission } from '#access/permissions.ts';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import type { EventName } from '#webhook-delivery/event-names.ts';

/** A webhook event that hooks subscribe to by its name, declared once, in the family whose events become it. */
export type WebhookEventType = {
  readonly name: EventName;
  /** The permission that an app's installation needs to receive it. `none`: every installation receives it. */
  readonly permission: Permission | 'none';
  /** Installations with this permission receive it whether they subscribed to it or not. */
  readonly unasked?: Permission;
  /** Which hooks receive it besides those of apps: hooks of organizations and repositories, of organizations only, or none. */
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

/**
 * What the payloads of a batch of events are built with, many at the same time: the scope of `everybody`, in which each thing is
 * loaded once. Its links have the address under which receivers reach this server.
 */
export type PayloadScope = Scope &
  Needs<'refRules'> & {
    /** The repository of an event. Visibility isn't checked: only hooks of the repository and its owner get the event. */
    findRepository(event: EventScope): Promise<OwnedRepository | undefined>;
    /** A repository as payloads show it: without a viewer's permissions. */
    presentRepository(row: RepositoryRow): Promise<object | undefined>;
  };

/** Turns a kind of event into webhook events. */
export type PayloadBuilder<Kind extends EventKind> = {
  /** All types that `build` may return. If no hook is subscribed to any of them, `build` isn't called. */
  readonly types: readonly WebhookEventType[];
  /** The webhook events; none if the event's subject was deleted meanwhile. */
  build(event: Recorded<Kind>, context: PayloadScope): Promise<readonly WebhookEvent[]>;
  /** The payload may be large, and reads the repository. It is built when no other is. */
  readonly isLarge?: true;
  /** The one app whose hook receives it; omitted where every subscribed hook does. */
  onlyFor?(event: Recorded<Kind>): Id<'apps'>;
};

/** Kinds of events, each with its payload builder, or `no webhook` where the public API has none. */
export type EventKinds<Kind extends EventKind> = { readonly [K in Kind]: PayloadBuilder<K> | 'no webhook' };

export const webhookEventType = (declared: WebhookEventType): WebhookEventType => declared;

/** Declares kinds of events of a family. Each kind of `EventData` belongs to one family, or `all.ts` doesn't compile. */
export const eventKinds = <Kind extends EventKind>(declared: EventKinds<Kind>): EventKinds<Kind> => declared;

export const payloadBuilder = <Kind extends EventKind>(
  types: readonly WebhookEventType[],
  build: PayloadBuilder<Kind>['build'],
  options: Pick<PayloadBuilder<Kind>, 'isLarge' | 'onlyFor'> = {},
): PayloadBuilder<Kind> => ({ types, build, ...options });

/** `changes` of a payload: each changed field with its former value. As in the public API, null is shown as an empty text. */
export const changesOf = (from: Readonly<Record<string, unknown>> = {}) => ({
  changes: Object.fromEntries(Object.entries(from).map(([name, value]) => [name, { from: value ?? '' }])),
});

/** Webhook events about a repository that still exists; `build` makes them, and each body gets the repository. */
export async function aboutRepository(
  context: PayloadScope,
  event: EventScope,
  build: (repository: OwnedRepository) => Promise<readonly WebhookEvent[]> | readonly WebhookEvent[],
): Promise<readonly WebhookEvent[]> {
  const repository = await context.findRepository(event);
  if (!repository) return [];
  const presented = await context.presentRepository(repository);
  return (await build(repository)).map((built) => ({ ...built, body: { ...built.body, repository: presented } }));
}
