// The keys that sign identity tokens. The whole server has one active key, created on first use.

import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'jose';
import { change, type Database } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addSeconds } from '#lib/time.ts';
import { findActiveKey, insertKey, type KeyRow, listPublicKeys, removeRetiredKeys, retireKey } from './store.ts';

export type KeyContext = { readonly secrets: Secrets; readonly now: Date };

/** Relying parties compare the algorithm with the discovery document; all of them support this one. */
export const algorithm = 'RS256';
const modulusLength = 2_048;
/** How many seconds a replaced key still verifies tokens. This is longer than the tokens' lifetime. */
const verifiesFor = 3_600;

const contextOf = (kid: string): string => `identity_keys.private_key:${kid}`;

const makePair = promisify(generateKeyPair);

async function newKey({ secrets, now }: KeyContext) {
  const { publicKey, privateKey } = await makePair('rsa', { modulusLength });
  const { calculateJwkThumbprint } = await import('jose');
  const jwk = publicKey.export({ format: 'jwk' }) as { kty: 'RSA'; n: string; e: string };
  const kid = await calculateJwkThumbprint(jwk);
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    public_key: JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' }),
    private_key: secrets.seal(bytes, contextOf(kid)),
    created_at: now,
  };
}

/** The key that signs, which the first call creates. */
export async function signingKey(
  { db }: Pick<Database, 'db'>,
  context: KeyContext,
): Promise<{ kid: string; privateKey: KeyObject }> {
  const { kid, private_key } = (await findActiveKey(db)) ?? (await makeKey({ db }, context));
  if (!private_key) throw new Error('The active key has no private half');
  const key = context.secrets.open(private_key, contextOf(kid));
  return { kid, privateKey: createPrivateKey({ key, format: 'der', type: 'pkcs8' }) };
}

async function makeKey({ db }: Pick<Database, 'db'>, context: KeyContext): Promise<KeyRow> {
  const key = await newKey(context);
  return change(db, async (tx) => {
    await insertKey(tx, key);
    const active = await findActiveKey(tx);
    if (!active) throw new Error('A key that was just made is gone');
    return active;
  });
}

/** The keys that verify tokens, as JSON web keys: the active one, and keys that were replaced within the last hour. */
export async function listVerifyingKeys({ db }: Pick<Database, 'db'>, context: KeyContext): Promise<JWK[]> {
  const since = addSeconds(context.now, -verifiesFor);
  const known = await listPublicKeys(db, since);
  const rows = known.length > 0 ? known : [await makeKey({ db }, context)];
  return rows.map(({ public_key }) => public_key as JWK); // as newKey wrote it
}

/** Replaces the key that signs. Tokens that it signed stay valid. @returns the id of the new key */
export async function rotateIdentityKey(scope: WriteScope, context: KeyContext): Promise<string> {
  const key = await newKey(context);
  await removeRetiredKeys(scope.tx, addSeconds(context.now, -verifiesFor));
  await retireKey(scope.tx, context.now);
  await insertKey(scope.tx, key);
  return key.kid;
}
