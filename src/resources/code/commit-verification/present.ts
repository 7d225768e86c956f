import type { Commit, Tag } from '#git/objects/parse-commit.ts';
import { timestampOrNull } from '#lib/time.ts';
import type { Verification, VerificationReason } from './schemas.ts';

export const presentVerification = (
  { signature, payload }: Commit | Tag,
  reason: VerificationReason,
  verifiedAt: Date | undefined,
): Verification => ({
  verified: reason === 'valid',
  reason,
  signature: signature ?? null,
  payload: payload?.toString('utf8') ?? null,
  verified_at: timestampOrNull(verifiedAt ?? null),
});
