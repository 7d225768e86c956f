import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { secretValueLimits } from './limits.ts';

/** A key that callers use to encrypt secrets, in base64. */
export const EncryptionKey = Type.Object({ key_id: Type.String(), key: Type.String() });
export type EncryptionKey = Static<typeof EncryptionKey>;

const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$';

/** The number of bytes that a sealed box adds to a secret, for a public key and an authentication code. */
const boxOverhead = 48;
const maxBase64 = Math.ceil((fixedValue(secretValueLimits.value) + boxOverhead) / 3) * 4;

/** The fields of a secret in requests: a sealed box in base64, and the id of its key. */
export const encryptedFields = {
  encrypted_value: Type.String({ pattern: base64, maxLength: maxBase64 }),
  key_id: Type.String({ minLength: 1, maxLength: 20 }),
};
