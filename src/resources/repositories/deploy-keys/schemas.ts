import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, withDefault } from '#lib/shape.ts';

export const DeployKey = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  url: Type.String(),
  title: Type.String(),
  verified: Type.Boolean(),
  created_at: Timestamp,
  read_only: Type.Boolean(),
  added_by: Nullable(Type.String()),
  last_used: Nullable(Timestamp),
  enabled: Type.Boolean(),
});
export type DeployKey = Static<typeof DeployKey>;

export const NewDeployKey = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: 255 })),
    key: Type.String({ minLength: 1, maxLength: 16_384 }),
    read_only: withDefault(Type.Boolean(), false),
  },
  { title: 'PublicKey' },
);
export type NewDeployKey = Static<typeof NewDeployKey>;
