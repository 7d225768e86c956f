import { type Static, Type } from 'typebox';
import { OneOf } from '#lib/shape.ts';

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
