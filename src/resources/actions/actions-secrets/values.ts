import type { Secrets } from '#lib/secrets.ts';
import { holderOfRow } from '#resources/actions/actions-configuration/index.ts';
import type { Holder, KeyUse } from '#resources/actions/encryption-keys/index.ts';
import type { SecretStore } from './secret-store.ts';
import type { JobSecret } from './store.ts';

type Name = SecretStore['name'];

/** The key that callers use to encrypt secrets for an owner. */
export const secretKey = (store: Name, holder: Holder): KeyUse => ({ ...holder, purpose: store });

/** Where a secret is stored: its store, owner and name, which never change. */
type Location = { readonly store: Name; readonly holder: Holder; readonly name: string };

/** Binds a sealed value to its location. The text lacks the store of workflows, because existing values were sealed so. */
const contextOf = ({ store, holder: { column, id }, name }: Location): string =>
  `actions_secrets.value:${store === 'actions' ? '' : `${store}:`}${column}:${id}:${name}`;

/** Encrypts a value for storing. */
export const sealValue = (secrets: Secrets, location: Location, value: Buffer): Buffer =>
  secrets.seal(value, contextOf(location));

/** Decrypts a stored value. */
export const openValue = (secrets: Secrets, { value, name, store, ...row }: JobSecret): string =>
  secrets.openText(value, contextOf({ store, holder: holderOfRow(row), name }));
