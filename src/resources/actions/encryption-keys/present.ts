import { keyIdOf } from './keys.ts';
import type { EncryptionKey } from './schemas.ts';
import type { KeyRow } from './store.ts';

export const presentKey = (key: KeyRow): EncryptionKey => ({ key_id: keyIdOf(key), key: key.public_key.toString('base64') });
