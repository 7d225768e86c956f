import { type Static, type TProperties, Type } from 'typebox';
import { each, Nullable, Timestamp } from '#lib/shape.ts';

const GpgKeyEmail = Type.Object({ email: Type.String(), verified: Type.Boolean() });

const part = <Parent extends TProperties>(parent: Parent) => ({
  id: Type.Integer(),
  ...parent,
  key_id: Type.String(),
  public_key: Type.String(),
  emails: Type.Array(GpgKeyEmail),
  ...each(['can_sign', 'can_encrypt_comms', 'can_encrypt_storage', 'can_certify'], Type.Boolean()),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  revoked: Type.Boolean(),
  raw_key: Nullable(Type.String()),
});

/** A subkey, which has no subkeys and addresses itself. */
export const GpgSubkey = Type.Object({
  ...part({ primary_key_id: Type.Integer() }),
  subkeys: Type.Array(Type.Unknown()),
});
export type GpgSubkey = Static<typeof GpgSubkey>;

export const GpgKey = Type.Object({
  ...part({ name: Nullable(Type.String()), primary_key_id: Type.Null() }),
  subkeys: Type.Array(GpgSubkey),
});
export type GpgKey = Static<typeof GpgKey>;

export const NewGpgKey = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 255 })),
    armored_public_key: Type.String({ minLength: 1, maxLength: 65_536 }),
  },
  { title: 'GpgKey' },
);
export type NewGpgKey = Static<typeof NewGpgKey>;

export const SshSigningKey = Type.Object({
  key: Type.String(),
  id: Type.Integer(),
  title: Type.String(),
  created_at: Timestamp,
});
export type SshSigningKey = Static<typeof SshSigningKey>;

export const NewSshSigningKey = Type.Object(
  { title: Type.Optional(Type.String({ maxLength: 255 })), key: Type.String({ minLength: 1, maxLength: 16_384 }) },
  { title: 'SshSigningKey' },
);
export type NewSshSigningKey = Static<typeof NewSshSigningKey>;
