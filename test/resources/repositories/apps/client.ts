import { createPrivateKey } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { Account } from '#access/viewer.ts';
import type { Id } from '#lib/id.ts';
import { type AppKeys, type AppRow, createApp, installApp, makeAppKeys } from '#resources/repositories/apps/index.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World } from '#test/support/world.ts';

type Maker = Pick<World, 'as' | 'change' | 'clock'>;

export type OwnApp = {
  app: AppRow;
  /** A client by which the app asks for itself. */
  client: Client;
  /** A client by which it does so with its client secret, for the endpoints about tokens. */
  bySecret: Client;
};

let keys: Promise<AppKeys> | undefined;
const appsOf = new WeakMap<Account, Promise<OwnApp>>();

/** The app of an account that speaks for itself; the first call makes it. */
export function ownAppOf(maker: Maker, owner: Account): Promise<OwnApp> {
  const made = appsOf.get(owner) ?? makeApp(maker, owner);
  appsOf.set(owner, made);
  return made;
}

async function makeApp({ as, change, clock }: Maker, owner: Account): Promise<OwnApp> {
  keys ??= makeAppKeys();
  const { publicKey, privateKey } = await keys;
  const about = { kind: 'app', name: fresh('app'), externalUrl: 'https://app.example' } as const;
  const { app, clientSecret } = await change((scope) => createApp(scope, { ...about, owner, publicKey, now: clock.now }));
  const at = Math.floor(clock.now.getTime() / 1000);
  const key = await importPKCS8(createPrivateKey(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(), 'RS256');
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(app.client_id)
    .setIssuedAt(at)
    .setExpirationTime(at + 540)
    .sign(key);
  const anybody = await as(undefined);
  const headers = { authorization: `Basic ${Buffer.from(`${app.client_id}:${clientSecret}`).toString('base64')}` };
  const bySecret: Client = {
    ...anybody,
    post: (path, body) => anybody.post(path, body, { headers }),
    delete: (path, body) => anybody.delete(path, body, { headers }),
  };
  return { app, client: await as(token), bySecret };
}

/** Installs the app of an account on somebody's account, who is made for that. */
export async function install(maker: Maker & Pick<World, 'user'>, owner: Account): Promise<Id<'installations'>> {
  const [{ app }, account] = [await ownAppOf(maker, owner), await maker.user()];
  const wanted = { app, account, repositories: 'all', by: owner, now: maker.clock.now } as const;
  return (await maker.change((scope) => installApp(scope, wanted))).id;
}
