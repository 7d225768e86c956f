import type { Endpoint } from '#endpoint/endpoint.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Subscriber } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import { namedSchemas } from '#openapi/schemas.ts';
import { deploymentEvaluators } from './actions/deployments/index.ts';
import { actionsFamilies } from './actions/families.ts';
import { storedFiles } from './actions/stored-files/family.ts';
import { workflowTriggers } from './actions/workflow-triggers/family.ts';
import { codeFamilies } from './code/families.ts';
import {
  gitEvaluators,
  type RuleEvaluators,
  secretEvaluators,
  signatureEvaluators,
  statusEvaluators,
} from './code/ref-rules/index.ts';
import { collaborationFamilies } from './collaboration/families.ts';
import { reviewEvaluators } from './collaboration/reviews/index.ts';
import { endpointsOf, type Family } from './family.ts';
import type { FollowUpKind, FollowUps } from './follow-ups.ts';
import { identityFamilies } from './identity/families.ts';
import { platformFamilies } from './platform/families.ts';
import { webhooks } from './platform/webhooks/family.ts';
import { repositoriesFamilies } from './repositories/families.ts';
import type { AddRoutes } from './route-parts.ts';
import { scanEvaluators } from './security/code-scanning/index.ts';
import { securityFamilies } from './security/families.ts';

/** The families of all products, lowest product first: a product may import only products above it. */
const families = [
  ...identityFamilies,
  ...repositoriesFamilies,
  ...codeFamilies,
  ...collaborationFamilies,
  ...securityFamilies,
  ...platformFamilies,
  ...actionsFamilies,
] as const;

const hooks = webhooks(families);
const triggers = workflowTriggers(families);
const files = storedFiles(families);

type KindsOf<One> = One extends Family<string, infer Events> ? keyof Events : never;
type UndeclaredKind = Exclude<EventKind, KindsOf<(typeof families)[number] | typeof hooks>>;

/**
 * All families, webhooks and the triggers of workflows last, since they deliver the events of the others. A kind of event that no family declares is a type
 * error here that names the kind.
 */
export const allFamilies: [UndeclaredKind] extends [never] ? readonly Family[] : UndeclaredKind = [
  ...families,
  files,
  hooks,
  triggers,
];

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = allFamilies.flatMap(endpointsOf);

/** What adds the routes outside of the API. */
export const allRoutes: readonly AddRoutes[] = allFamilies.flatMap(({ routes = [] }) => routes);

/** The schemas that have names in the description of the API. */
export const allSchemas = namedSchemas(allFamilies.flatMap(({ schemas = {}, endpoints = [] }) => [schemas, ...endpoints]));

/** Judges the rules on refs: each type has one evaluator, in the family that knows its facts. */
export const ruleEvaluators: RuleEvaluators = {
  ...gitEvaluators,
  ...statusEvaluators,
  ...reviewEvaluators,
  ...scanEvaluators,
  ...deploymentEvaluators,
  ...signatureEvaluators,
  ...secretEvaluators,
};

type FollowUpsOf<One> = One extends Family<string, infer _Events, infer Kind> ? Kind : never;
type UndeclaredFollowUp = Exclude<FollowUpKind, FollowUpsOf<(typeof families)[number]>>;

const followUpsOf = (all: readonly Family[]): FollowUps => Object.assign({}, ...all.map(({ followUps = {} }) => followUps));

/** Does what follows moves of refs. A kind that no family declares is a type error here that names the kind. */
export const allFollowUps: [UndeclaredFollowUp] extends [never] ? FollowUps : UndeclaredFollowUp = followUpsOf(families);

/** The subscriptions of all families: background work that events start. */
export const allSubscriptions: readonly Subscriber<JobContext>[] = allFamilies.flatMap(({ subscriptions = [] }) => subscriptions);

/** The jobs of all families: scheduled ones, and those that rules enqueue. */
export const allJobs: readonly Job<never, JobContext>[] = allFamilies.flatMap(({ jobs = [] }) => jobs);

/** The loops that a worker runs beside the job queue. */
export const allBackgroundLoops: readonly BackgroundLoop<Services>[] = allFamilies.flatMap(({ loops = [] }) => loops);
