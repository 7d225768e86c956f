import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

export const imageSources = ['service', 'partner', 'custom'] as const;
export type ImageSource = (typeof imageSources)[number];

export const RunnerImage = Type.Object({
  id: Type.String(),
  platform: Type.String(),
  size_gb: Type.Integer(),
  display_name: Type.String(),
  source: OneOf(imageSources),
});
export type RunnerImage = Static<typeof RunnerImage>;

export const MachineSize = Type.Object({
  id: Type.String(),
  cpu_cores: Type.Integer(),
  memory_gb: Type.Integer(),
  storage_gb: Type.Integer(),
});
export type MachineSize = Static<typeof MachineSize>;

export const RunnerLimits = Type.Object({
  public_ips: Type.Object({ current_usage: Type.Integer(), maximum: Type.Integer() }),
});

export const runnerStates = ['Ready', 'Provisioning', 'Shutdown', 'Deleting', 'Stuck'] as const;

export const HostedRunner = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  runner_group_id: Type.Integer(),
  platform: Type.String(),
  image: Type.Object({
    id: Type.String(),
    size: Type.Integer(),
    display_name: Type.String(),
    source: OneOf(imageSources),
    version: Type.String(),
  }),
  machine_size_details: MachineSize,
  status: OneOf(runnerStates),
  maximum_runners: Type.Integer(),
  public_ip_enabled: Type.Boolean(),
  public_ips: Type.Array(Type.Object({ enabled: Type.Boolean(), prefix: Type.String(), length: Type.Integer() })),
  last_active_on: Nullable(Timestamp),
  image_gen: Type.Boolean(),
});
export type HostedRunner = Static<typeof HostedRunner>;

const name = Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._-]*$' });
const size = Type.String({ minLength: 1, maxLength: 100 });
const imageId = Type.String({ minLength: 1, maxLength: 100 });
const version = Nullable(Type.String({ maxLength: 100 }));
const group = Type.Integer({ minimum: 1, maximum: maxId });
const maximum = Type.Integer({ minimum: 1, maximum: 1_000_000 });

export const NewHostedRunner = Type.Object(
  {
    name,
    image: Type.Object({ id: imageId, source: OneOf(imageSources), version: Type.Optional(version) }),
    size,
    runner_group_id: group,
    maximum_runners: Type.Optional(maximum),
    enable_static_ip: withDefault(Type.Boolean(), false),
    image_gen: withDefault(Type.Boolean(), false),
  },
  { title: 'HostedRunner' },
);
export type NewHostedRunner = Static<typeof NewHostedRunner>;

export const HostedRunnerChange = Type.Object(
  {
    name: Type.Optional(name),
    runner_group_id: Type.Optional(group),
    maximum_runners: Type.Optional(maximum),
    enable_static_ip: Type.Optional(Type.Boolean()),
    size: Type.Optional(size),
    image_source: Type.Optional(OneOf(imageSources)),
    image_id: Type.Optional(imageId),
    image_version: Type.Optional(version),
    image_gen: Type.Optional(Type.Boolean()),
  },
  { title: 'HostedRunner' },
);
export type HostedRunnerChange = Static<typeof HostedRunnerChange>;

export const CustomImage = Type.Object({
  id: Type.Integer(),
  platform: Type.String(),
  name: Type.String(),
  source: OneOf(['custom']),
  versions_count: Type.Integer(),
  total_versions_size: Type.Integer(),
  latest_version: Type.String(),
  state: OneOf(['Ready']),
});
export type CustomImage = Static<typeof CustomImage>;

export const CustomImageVersion = Type.Object({
  version: Type.String(),
  size_gb: Type.Integer(),
  state: OneOf(['Ready']),
  state_details: Type.String(),
  created_on: Timestamp,
});
export type CustomImageVersion = Static<typeof CustomImageVersion>;
