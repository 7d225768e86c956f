import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';

/** Why a signature is or isn't verified, in the public API's terms. */
export const verificationReasons = [
  'valid',
  'unsigned',
  'unknown_signature_type',
  'malformed_signature',
  'no_user',
  'unverified_email',
  'bad_email',
  'unknown_key',
  'not_signing_key',
  'expired_key',
  'invalid',
  'gpgverify_error',
  'gpgverify_unavailable',
] as const;
export type VerificationReason = (typeof verificationReasons)[number];

/** The signature of a commit or tag, and whether it is verified. */
export const Verification = Type.Object({
  verified: Type.Boolean(),
  reason: OneOf(verificationReasons),
  signature: Nullable(Type.String()),
  payload: Nullable(Type.String()),
  verified_at: Nullable(Timestamp),
});
export type Verification = Static<typeof Verification>;
