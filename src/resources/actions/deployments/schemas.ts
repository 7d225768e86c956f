import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { App } from '#resources/repositories/apps/index.ts';
import { deploymentLimits } from './limits.ts';

const object = Type.Record(Type.String(), Type.Unknown());
const Payload = Type.Union([object, Type.String()]);

/** A request to deploy a commit into an environment. */
export const Deployment = Type.Object({
  url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  sha: Type.String(),
  ref: Type.String(),
  task: Type.String(),
  payload: Payload,
  original_environment: Type.String(),
  environment: Type.String(),
  description: Nullable(Type.String()),
  creator: Nullable(User),
  created_at: Timestamp,
  updated_at: Timestamp,
  statuses_url: Type.String(),
  repository_url: Type.String(),
  transient_environment: Type.Boolean(),
  production_environment: Type.Boolean(),
  performed_via_service_app: Nullable(App),
});
export type Deployment = Static<typeof Deployment>;

/** A commit was merged, and nothing was deployed. */
export const MergedForDeployment = Type.Object({ message: Type.String() });

const maxContexts = fixedValue(deploymentLimits.contexts);
const word = Type.String({ minLength: 1, maxLength: 255 });
/** The rules limit the size of objects. */
const NewPayload = Type.Union([object, Type.String({ maxLength: fixedValue(deploymentLimits.payload) })]);

export const NewDeployment = Type.Object(
  {
    ref: Type.String({ minLength: 1, maxLength: 1_024 }),
    task: withDefault(word, 'deploy'),
    auto_merge: withDefault(Type.Boolean(), true),
    required_contexts: Type.Optional(Nullable(Type.Array(word, { maxItems: maxContexts }))),
    payload: withDefault(NewPayload, ''),
    environment: withDefault(Type.String({ maxLength: 255 }), 'production'),
    description: withDefault(Nullable(Type.String({ maxLength: 1_024 })), ''),
    transient_environment: withDefault(Type.Boolean(), false),
    production_environment: Type.Optional(Type.Boolean()),
  },
  { title: 'Deployment' },
);
export type NewDeployment = Static<typeof NewDeployment>;

const states = ['error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success'] as const;

/** A deployment with its present state, and where its log is. */
export const DeploymentWithState = Type.Object({
  ...Deployment.properties,
  state: Nullable(OneOf(states)),
  log_url: Type.String(),
});

/** The state of a deployment. */
export const DeploymentStatus = Type.Object({
  url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  state: OneOf(states),
  creator: Nullable(User),
  description: Type.String(),
  environment: Type.String(),
  target_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  deployment_url: Type.String(),
  repository_url: Type.String(),
  environment_url: Type.String(),
  log_url: Type.String(),
  performed_via_service_app: Nullable(App),
});
export type DeploymentStatus = Static<typeof DeploymentStatus>;

const address = withDefault(Type.String({ maxLength: 2_048 }), '');

export const NewDeploymentStatus = Type.Object(
  {
    state: OneOf(states),
    target_url: address,
    log_url: address,
    description: withDefault(Type.String({ maxLength: 140 }), ''),
    environment: Type.Optional(Type.String({ maxLength: 255 })),
    environment_url: address,
    auto_inactive: withDefault(Type.Boolean(), true),
  },
  { title: 'DeploymentStatus' },
);
export type NewDeploymentStatus = Static<typeof NewDeploymentStatus>;

const filter = Type.Optional(Type.String({ maxLength: 1_024 }));

/** `none` means no filter, as documented by the public API. */
export const DeploymentFilter = Type.Object({ sha: filter, ref: filter, task: filter, environment: filter });
export type DeploymentFilter = Static<typeof DeploymentFilter>;
