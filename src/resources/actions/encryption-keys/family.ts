import { family } from '#resources/family.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

/** Keys that callers use to encrypt secrets. The families of those secrets use them. */
export const encryptionKeys = family({ name: 'encryption-keys', limits, schemas });
