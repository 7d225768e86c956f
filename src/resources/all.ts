import type { Endpoint } from '#endpoint/endpoint.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { FamilyServices, Services } from '#endpoint/services.ts';
import type { EventKind } from '#events/kinds.ts';
import type { Subscriber } from '#events/subscription.ts';
import type { BackgroundLoop } from '#jobs/background-loop.ts';
import type { Job } from '#jobs/job.ts';
import { type LimitGroup, limitTable, type LimitOverrides as OverridesOf } from '#lib/limits.ts';
import { type Interpreter, joinInterpreters } from '#openapi/interpreters.ts';
import { namedSchemas } from '#openapi/schemas.ts';
import { actionsFamilies } from './actions/families.ts';
import { storedFiles } from './actions/stored-files/family.ts';
import { workflowTriggers } from './actions/workflow-triggers/family.ts';
import { codeFamilies } from './code/families.ts';
import type { RuleEvaluators } from './code/ref-rules/index.ts';
import { collaborationFamilies } from './collaboration/families.ts';
import { endpointsOf, type Family, limitsOf, pageEndpointsOf } from './family.ts';
import type { FollowUpKind, FollowUps } from './follow-ups.ts';
import { identityFamilies } from './identity/families.ts';
import { layerInterpreters, layerLimits, layerOwnFiles } from './layers.ts';
import { platformFamilies } from './platform/families.ts';
import { webhooks } from './platform/webhooks/family.ts';
import { repositoriesFamilies } from './repositories/families.ts';
import type { AddRoutes } from './route-parts.ts';
import { securityFamilies } from './security/families.ts';
import type { ServiceParts } from './service-parts.ts';

/** The products, lowest first: a product may import only products above it. */
const products = {
  identity: identityFamilies,
  repositories: repositoriesFamilies,
  code: codeFamilies,
  collaboration: collaborationFamilies,
  security: securityFamilies,
  platform: platformFamilies,
  actions: actionsFamilies,
} as const;

/** The families of all products. */
const families = [
  ...products.identity,
  ...products.repositories,
  ...products.code,
  ...products.collaboration,
  ...products.security,
  ...products.platform,
  ...products.actions,
] as const;

const hooks = webhooks(families);
const triggers = workflowTriggers(families);
const files = storedFiles(families);

type KindsOf<One> = One extends Family<string, infer Events> ? keyof Events : never;
type UndeclaredKind = Exclude<EventKind, KindsOf<(typeof families)[number] | typeof hooks>>;

/**
 * All families, webhooks and the triggers of workflows last, since they deliver the events of the others. A kind of event that no
 * family declares is a type error here that names the kind.
 */
export const allFamilies: [UndeclaredKind] extends [never] ? readonly Family[] : UndeclaredKind = [
  ...families,
  files,
  hooks,
  triggers,
];

/** Every endpoint, with the family that it belongs to. */
export const allEndpoints: readonly (Endpoint & { readonly family: string })[] = allFamilies.flatMap(endpointsOf);

/** The endpoints that pages alone read. */
export const allPageEndpoints: readonly (Endpoint & { readonly family: string })[] = allFamilies.flatMap(pageEndpointsOf);

/** What adds the routes outside of the API. */
export const allRoutes: readonly AddRoutes[] = allFamilies.flatMap(({ routes = [] }) => routes);

/** The schemas that have names in the description of the API. */
export const allSchemas = namedSchemas(allFamilies.flatMap(({ schemas = {}, endpoints = [] }) => [schemas, ...endpoints]));

/** The folder of each family, below `src/`. */
const folders = new Map<string, string>([
  ...Object.entries(products).flatMap(([product, members]) =>
    members.map(({ name }): [string, string] => [name, `resources/${product}/${name}`]),
  ),
  [files.name, `resources/actions/${files.name}`],
  [hooks.name, `resources/platform/${hooks.name}`],
  [triggers.name, `resources/actions/${triggers.name}`],
]);
/** The product that a family belongs to. */
export const productOf = ({ name }: Family): string => folders.get(name)?.split('/')[1] ?? '';

const inFolder = ({ name }: Family, file: string): string => `${folders.get(name)}/${file}`;

type GroupsOf<One> = One extends Family<string, infer _Events, infer Limits> ? Extract<Limits[keyof Limits], LimitGroup> : never;
type AnyGroup =
  | GroupsOf<(typeof families)[number] | typeof files | typeof hooks | typeof triggers>
  | (typeof layerLimits)[number];

/** Values in the place of those of the table, by group and name. */
export type LimitOverrides = OverridesOf<AnyGroup>;

/**
 * All limits, of which `docs/limits.md` is made. Code reads the values from `Services.resourceLimits`, so that tests can open a
 * server with small ones.
 */
export const allLimits = limitTable([...layerLimits, ...allFamilies.flatMap(limitsOf)]);

/** All that interprets texts and files of users, with the paths of its files below `src/`. */
export const allInterpreters: readonly Interpreter[] = joinInterpreters([
  ...layerInterpreters,
  ...allFamilies.flatMap((family) =>
    (family.interpreters ?? []).map((one) => ({ ...one, modules: one.modules.map((file) => inFolder(family, file)) })),
  ),
]);

/** Files that read JSON of the operator's or of this server's own making. */
export const ownFiles: readonly string[] = [
  ...layerOwnFiles,
  ...allFamilies.flatMap((family) => (family.operatorFiles ?? []).map((file) => inFolder(family, file))),
];

type AnyFamily = (typeof families)[number] | typeof files | typeof hooks | typeof triggers;

type RulesOf<One> =
  One extends Family<string, infer _Events, infer _Limits, infer _Makers, infer Evaluators> ? keyof Evaluators : never;
type RuleWithoutEvaluator = Exclude<keyof RuleEvaluators, RulesOf<AnyFamily>>;
const evaluators = Object.fromEntries(allFamilies.flatMap((family) => Object.entries(family.evaluators ?? {})));

/** Evaluates the rules on refs. A type of rule that no family evaluates is a type error here that names the type. */
export const ruleEvaluators: [RuleWithoutEvaluator] extends [never] ? RuleEvaluators : RuleWithoutEvaluator =
  evaluators as RuleEvaluators;

type MadeBy<One> = One extends Family<string, infer _Events, infer _Limits, infer Makers> ? keyof Makers : never;
type UnmadeService = Exclude<keyof FamilyServices, MadeBy<AnyFamily>>;
type MakeServices = (parts: ServiceParts) => Promise<FamilyServices>;
const makeAll: MakeServices = async (parts) => {
  const makers = allFamilies.flatMap(({ services = {} }) => Object.entries(services));
  return Object.fromEntries(await Promise.all(makers.map(async ([name, make]) => [name, await make(parts)])));
};

/** Makes the services of all families. One that no family makes is a type error here that names it. */
export const makeFamilyServices: [UnmadeService] extends [never] ? MakeServices : UnmadeService = makeAll;

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
