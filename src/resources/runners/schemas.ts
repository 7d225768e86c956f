import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { OneOf, withDefault } from '#lib/shape.ts';

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

/** The public API's bounds. */
export const NewLabels = Type.Object({ labels: Type.Array(label, { minItems: 1, maxItems: 100 }) }, { title: 'RunnerLabel' });
export const AllLabels = Type.Object({ labels: Type.Array(label, { maxItems: 100 }) }, { title: 'RunnerLabel' });

export const NewJitRunner = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 64 }),
    runner_group_id: Type.Integer({ minimum: 1, maximum: maxId }),
    labels: Type.Array(label, { minItems: 1, maxItems: 100 }),
    work_folder: withDefault(Type.String({ maxLength: 255 }), '_work'),
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

/** What can be said of programs that speak the protocol: Hearth brings none, so that the list is empty. */
export const RunnerDownload = Type.Object({
  os: Type.String(),
  architecture: Type.String(),
  download_url: Type.String(),
  filename: Type.String(),
});
