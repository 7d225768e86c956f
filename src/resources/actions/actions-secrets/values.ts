import type { Secrets } from '#lib/secrets.ts';
import { holderOfRow } from '#resources/actions/actions-configuration/index.ts';
import type { Holder, KeyUse } from '#resources/actions/encryption-keys/index.ts';
import type { JobSecret } from './store.ts';

/** The key that callers use to encrypt secrets for an owner. */
export const secretKey = (holder: Holder): KeyUse => ({ ...holder, purpose: 'actions' });

/** Binds a sealed value to its owner and name, which never change. */
const contextOf = ({ column, id }: Holder, name: string): string => `actions_secrets.value:${column}:${id}:${name}`;

/** Encrypts a value for storing. */
export const sealValue = (secrets: Secrets, holder: Holder, name: string, value: Buffer): Buffer =>
  secrets.seal(value, contextOf(holder, name));

/** Decrypts a stored value. */
export const openValue = (secrets: Secrets, { value, name, ...row }: JobSecret): string =>
  secrets.openText(value, contextOf(holderOfRow(row), name));
