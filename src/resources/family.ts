import type { TSchema } from 'typebox';
import type { Db } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { isEndpoint } from '#endpoint/endpoint.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import type { Subscriber } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import { isLimitGroup, type LimitGroup } from '#lib/limits.ts';
import type { Interpreter } from '#openapi/interpreters.ts';
import type { RuleEvaluators } from './code/ref-rules/index.ts';
import type { EventKinds } from './event-kinds.ts';
import type { FollowUpKind, FollowUps } from './follow-ups.ts';
import type { AddRoutes } from './route-parts.ts';
import type { ServiceMakers } from './service-parts.ts';

type Module = Readonly<Record<string, unknown>>;

/** The manifest of a family: what the server, the OpenAPI document, the workers and the webhooks are derived from. */
export type Family<
  Name extends string = string,
  Events extends Partial<EventKinds<never>> = Partial<EventKinds<never>>,
  Limits extends Module = Module,
  Makers extends ServiceMakers = ServiceMakers,
  Evaluators extends Partial<RuleEvaluators> = Partial<RuleEvaluators>,
  Following extends FollowUpKind = FollowUpKind,
> = {
  readonly name: Name;
  /** What changes in the world by its operations, in one sentence for people who don't know it. Needed if any of them writes. */
  readonly effect?: string;
  /** The page about it in `docs/`, if there is one. */
  readonly page?: string;
  /** The module of its limits: groups, which may be parts of groups of others. */
  readonly limits?: Limits;
  /** What it reads of texts and files of users. */
  readonly interpreters?: readonly Interpreter[];
  /** Its files that read JSON of the operator's own making. */
  readonly operatorFiles?: readonly string[];
  /** The module of its schemas: its exports with a capital letter have names in the description. */
  readonly schemas?: Module;
  /** The modules of its endpoints, whose other exports are ignored. */
  readonly endpoints?: readonly Module[];
  /**
   * The modules of endpoints that pages alone read: they run within the process by the same policies and schemas, and have no
   * address in the API.
   */
  readonly pageEndpoints?: readonly Module[];
  /** Adds its routes outside of the API. */
  readonly routes?: AddRoutes;
  /** The kinds of events that happen in it. */
  readonly events?: Events;
  /** Does what follows moves of refs. */
  readonly followUps?: Partial<FollowUps<Following>>;
  /** The parts of webhook payloads that it presents, by the names of their fields. Payloads are translated by these schemas. */
  readonly payloadParts?: Readonly<Record<string, TSchema>>;
  /** Makes the services that it adds to those of all. */
  readonly services?: Makers;
  /** Judges rules on refs, by their types. Each type has one evaluator, in the family that knows its facts. */
  readonly evaluators?: Evaluators;
  /** Background work that events start. */
  readonly subscriptions?: readonly Subscriber<JobContext>[];
  /** Other background work: scheduled, or enqueued by a rule. */
  readonly jobs?: readonly Job<never, JobContext>[];
  /**
   * Which of these objects of the object store, by their keys, are its own. What no family knows is removed. A family that takes
   * objects over from another comes after it, so that none is overlooked that changes hands.
   */
  readonly loadKnownObjects?: (db: Db, keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Loops that a worker runs beside the job queue. */
  readonly loops?: readonly BackgroundLoop<Services>[];
};

export const family = <
  const Name extends string,
  Events extends Partial<EventKinds<never>> = Record<never, never>,
  Limits extends Module = Record<never, never>,
  Makers extends ServiceMakers = Record<never, never>,
  Evaluators extends Partial<RuleEvaluators> = Record<never, never>,
  Following extends FollowUpKind = never,
>(
  declared: Family<Name, Events, Limits, Makers, Evaluators, Following>,
): Family<Name, Events, Limits, Makers, Evaluators, Following> => declared;

/** The groups of limits that a family declares. */
export const limitsOf = ({ limits = {} }: Family): LimitGroup[] => Object.values(limits).filter(isLimitGroup);

type OfFamily = Endpoint & { readonly family: string };

/** The endpoints of a family, in the order in which its modules export them. */
export const endpointsOf = ({ endpoints = [], name }: Family): OfFamily[] => endpointsIn(endpoints, name);

/** The endpoints of a family that pages alone read. */
export const pageEndpointsOf = ({ pageEndpoints = [], name }: Family): OfFamily[] => endpointsIn(pageEndpoints, name);

const endpointsIn = (modules: readonly Module[], family: string): OfFamily[] =>
  modules.flatMap((module) =>
    Object.values(module)
      .filter(isEndpoint)
      .map((endpoint) => ({ ...endpoint, family })),
  );
