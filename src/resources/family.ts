import type { TSchema } from 'typebox';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { isEndpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { AnySubscription } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import type { EventKinds } from './event-kinds.ts';

type Module = Readonly<Record<string, unknown>>;

/** Everything that a family of endpoints consists of: what the server, the description, the worker and the webhooks are made from. */
export type Family<Name extends string = string, Events extends Partial<EventKinds<never>> = Partial<EventKinds<never>>> = {
  readonly name: Name;
  /** The module of its schemas: its exports with a capital letter have names in the description. */
  readonly schemas?: Module;
  /** The modules of its endpoints, whose other exports are ignored. */
  readonly endpoints?: readonly Module[];
  /** The kinds of events that happen in it. */
  readonly events?: Events;
  /** The parts of payloads that it presents, by the names of their fields. They are translated by these schemas. */
  readonly payloadParts?: Readonly<Record<string, TSchema>>;
  /** What is done in the background because something happened. */
  readonly subscriptions?: readonly AnySubscription<Services>[];
  /** Background work beside that: by the clock, or asked for by a rule. */
  readonly jobs?: readonly Job<never, Services>[];
  /** What workers do beside the queue. */
  readonly loops?: readonly BackgroundLoop<Services>[];
};

export const family = <const Name extends string, Events extends Partial<EventKinds<never>> = Record<never, never>>(
  declared: Family<Name, Events>,
): Family<Name, Events> => declared;

/** The endpoints of a family, in the order in which its modules export them. */
export const endpointsOf = ({ endpoints = [], name }: Family): (Endpoint & { readonly family: string })[] =>
  endpoints.flatMap((module) =>
    Object.values(module)
      .filter(isEndpoint)
      .map((endpoint) => ({ ...endpoint, family: name })),
  );
