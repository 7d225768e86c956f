import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, withDefault } from '#lib/shape.ts';
import { SelectedIds } from '#resources/repositories/repository-selections/index.ts';

export const RunnerLabel = Type.Object({
  name: Type.String(),
  type: OneOf(['read-only', 'custom'], {
    description: 'Custom labels were given by people; the others a runner tells of itself',
  }),
});
export type RunnerLabel = Static<typeof RunnerLabel>;

export const Runner = Type.Object({
  id: Type.Integer(),
  runner_group_id: Type.Optional(Type.Integer()),
  name: Type.String(),
  os: Type.String(),
  status: OneOf(['online', 'offline']),
  busy: Type.Boolean(),
  ephemeral: Type.Boolean(),
  version: Type.String(),
  labels: Type.Array(RunnerLabel),
});
export type Runner = Static<typeof Runner>;

export const RunnerToken = Type.Object({ token: Type.String(), expires_at: Type.String({ format: 'date-time' }) });

const label = Type.String({ minLength: 1, maxLength: 256 });

/** The public API's limits. */
export const NewLabels = Type.Object({ labels: Type.Array(label, { minItems: 1, maxItems: 100 }) }, { title: 'RunnerLabel' });
export const AllLabels = Type.Object({ labels: Type.Array(label, { maxItems: 100 }) }, { title: 'RunnerLabel' });

/** The registration file doesn't support another folder. */
export const defaultWorkFolder = '_work';

export const NewJitRunner = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    runner_group_id: Type.Integer({ minimum: 1, maximum: maxId }),
    labels: Type.Array(label, { minItems: 1, maxItems: 100 }),
    work_folder: withDefault(Type.String({ maxLength: 255 }), defaultWorkFolder),
  },
  { title: 'Runner' },
);
export type NewJitRunner = Static<typeof NewJitRunner>;

export const JitRunner = Type.Object({
  runner: Runner,
  encoded_jit_config: Type.String({
    description: 'In base64: the registration file `.runner` of a program that speaks the protocol',
  }),
});

/** A downloadable runner program. Hearth has none, so the list is empty. */
export const RunnerDownload = Type.Object({
  os: Type.String(),
  architecture: Type.String(),
  download_url: Type.String(),
  filename: Type.String(),
});

export const RunnerGroup = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  visibility: OneOf(['all', 'private', 'selected']),
  default: Type.Boolean(),
  selected_repositories_url: Type.Optional(Type.String()),
  runners_url: Type.String(),
  hosted_runners_url: Type.String(),
  inherited: Type.Boolean(),
  allows_public_repositories: Type.Boolean(),
  workflow_restrictions_read_only: Type.Boolean(),
  restricted_to_workflows: Type.Boolean(),
  selected_workflows: Type.Array(Type.String()),
});
export type RunnerGroup = Static<typeof RunnerGroup>;

const visibility = OneOf(['all', 'private', 'selected'], {
  description: 'The repositories that the group is for. `private`: those that are not public',
});
const runnerIds = Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems: 1_000 });
const groupName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

/** The fields of a group apart from its name and its repositories. */
const groupFields = {
  allows_public_repositories: Type.Optional(Type.Boolean()),
  restricted_to_workflows: Type.Optional(Type.Boolean()),
  selected_workflows: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), {
      maxItems: 1_000,
      description: 'Where it is restricted to workflows: these, as `owner/repo/path@ref`',
    }),
  ),
  network_configuration_id: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
};

export const NewRunnerGroup = Type.Object(
  {
    name: groupName,
    visibility: withDefault(visibility, 'all'),
    selected_repository_ids: Type.Optional(SelectedIds),
    runners: Type.Optional(runnerIds),
    ...groupFields,
  },
  { title: 'RunnerGroup' },
);
export type NewRunnerGroup = Static<typeof NewRunnerGroup>;

export const RunnerGroupChange = Type.Object(
  { name: groupName, visibility: Type.Optional(visibility), ...groupFields },
  { title: 'RunnerGroup' },
);
export type RunnerGroupChange = Static<typeof RunnerGroupChange>;

export const GroupRunners = Type.Object({ runners: runnerIds }, { title: 'RunnerGroup' });
