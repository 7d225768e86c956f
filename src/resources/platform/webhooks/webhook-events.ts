import { type TObject, type TSchema, Type } from 'typebox';
import type { Load } from '#endpoint/loaders.ts';
import type { Needs, Scope } from '#endpoint/scope.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Recorded } from '#events/subscription.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { PayloadBuilder, WebhookEvent, WebhookEventType } from '#resources/event-kinds.ts';
import type { Family } from '#resources/family.ts';
import { commonParts, payloadContext } from './common-payload.ts';

/** What payloads are built from: a scope with the viewer `everybody`, with links that receivers can reach. */
type PayloadSources = Scope & Needs<'refRules'>;

/** Returns the webhook events that an event becomes. */
export type PayloadsOf = (event: Recorded) => Promise<readonly WebhookEvent[]>;

/** How the events of all families become webhook events. */
export type WebhookEvents = {
  /** The kinds that become webhook events. */
  readonly kinds: readonly EventKind[];
  /** The types of webhook events that an event may become. */
  typesOf(event: Recorded): readonly WebhookEventType[];
  /** The one app whose hook receives an event; undefined if every subscribed hook does. */
  onlyAppOf(event: Recorded): Id<'apps'> | undefined;
  /** Whether the payloads of an event may be large, so that they are built separately. */
  isLarge(event: Recorded): boolean;
  /**
   * The builder of payloads for a scope. It is shared by all callers and builds each payload once, except large ones. The bodies
   * are complete except for the parts that depend on the hook, for example its installation.
   */
  builderOf(given: PayloadSources): PayloadsOf;
  /** The schemas of the parts of payloads. By these schemas, payloads are translated into the public API's vocabulary. */
  readonly parts: TObject;
};

/** @throws Error if two families declare the same kind of event, or the same webhook event. */
export function webhookEventsOf(families: readonly Family[]): WebhookEvents {
  const builders = new Map<EventKind, PayloadBuilder<never>>();
  const builderByScope = new WeakMap<Load, PayloadsOf>();
  const types = new Map<string, WebhookEventType>();
  for (const [kind, builder] of families.flatMap(({ events = {} }) => Object.entries(events) as Entry[])) {
    if (builders.has(kind)) throw new Error(`Two families declare the event ${kind}`);
    if (builder === 'no webhook') continue;
    builders.set(kind, builder);
    for (const type of builder.types) {
      if ((types.get(type.name) ?? type) !== type) throw new Error(`Two families declare the webhook event ${type.name}`);
      types.set(type.name, type);
    }
  }
  return {
    kinds: [...builders.keys()],
    typesOf: ({ kind }) => builders.get(kind)?.types ?? [],
    onlyAppOf: (event) => builders.get(event.kind)?.onlyFor?.(event as never), // a builder of this event's kind
    isLarge: ({ kind }) => builders.get(kind)?.isLarge ?? false,
    builderOf(given) {
      const known = builderByScope.get(given.load);
      if (known) return known;
      const build = rememberedPayloads(openBuilder(builders, given), ({ kind }) => builders.get(kind)?.isLarge ?? false);
      builderByScope.set(given.load, build);
      return build;
    },
    parts: Type.Object(partsOf(families)),
  };
}

function openBuilder(builders: ReadonlyMap<EventKind, PayloadBuilder<never>>, given: PayloadSources): PayloadsOf {
  const context = payloadContext(given);
  return async (event) => {
    const built = (await builders.get(event.kind)?.build(event as never, context)) ?? []; // a builder of this event's kind
    if (built.length === 0) return [];
    const common = await commonParts(context, event);
    return built.map((one) => ({
      ...one,
      body: { ...(one.action === null ? {} : { action: one.action }), ...one.body, ...common },
    }));
  };
}

/** Builds each payload only once. Large ones are built again each time, so that a batch isn't completely in memory. */
function rememberedPayloads(build: PayloadsOf, isLarge: (event: Recorded) => boolean): PayloadsOf {
  const known = new Map<Recorded, ReturnType<PayloadsOf>>();
  return (event) => {
    if (isLarge(event)) return build(event);
    const building = known.get(event) ?? build(event);
    known.set(event, building);
    return building;
  };
}

/** The parts of payloads by name. If several families use the same name, for example `alert`, the part may be any of them. */
function partsOf(families: readonly Pick<Family, 'payloadParts'>[]): Record<string, TSchema> {
  const named = families.flatMap(({ payloadParts = {} }) => Object.entries(payloadParts));
  return Object.fromEntries(
    [...grouped(named, ([name]) => name)].map(([name, parts]) => {
      const schemas = parts.map(([, schema]) => schema);
      return [name, schemas.length === 1 && schemas[0] ? schemas[0] : Type.Union(schemas)];
    }),
  );
}

type Entry = [EventKind, PayloadBuilder<never> | 'no webhook'];
