import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Account } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import { getOrThrow } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { loadAccounts } from '#resources/accounts/index.ts';
import { insertAppHook } from '#webhook-delivery/app-hooks.ts';
import { secretContext } from '#webhook-delivery/secret-context.ts';
import { type AppKeys, createApp } from './rules.ts';
import { type AppRow, insertManifestCode, type ManifestCodeRow, removeManifestCode } from './store.ts';

const url = Type.String({ pattern: '^https?://', maxLength: 2048 });

/** The manifest from which an app is created, as in the public API. */
export const AppManifest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 34 }),
  url,
  description: Type.Optional(Type.String({ maxLength: 1024 })),
  hook_attributes: Type.Optional(Type.Object({ url, active: Type.Optional(Type.Boolean()) })),
  callback_urls: Type.Optional(Type.Array(url, { maxItems: 10 })),
  redirect_url: Type.Optional(url),
  setup_url: Type.Optional(url),
  public: Type.Optional(Type.Boolean()),
  default_events: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
  default_permissions: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 100 }), { maxProperties: 200 })),
});
export type AppManifest = Static<typeof AppManifest>;

const codePrefix = 'hmc_';
/** How long a code can be exchanged, as in the public API. */
const codeMinutes = 60;

/** Stores a manifest under a code, which can be exchanged once within an hour. */
export async function offerManifest(
  tx: Tx,
  { manifest, owner, by, now }: { manifest: unknown; owner: Account; by: Account; now: Date },
): Promise<string> {
  const { Value } = await import('typebox/value');
  if (!Value.Check(AppManifest, manifest)) {
    const [problem] = Value.Errors(AppManifest, manifest);
    throw invalid('Manifest', problem?.instancePath.slice(1) ?? '', 'invalid', problem?.message ?? 'is not a manifest');
  }
  const code = newToken(codePrefix);
  await insertManifestCode(tx, {
    hash: hashToken(code),
    owner_id: owner.id,
    created_by: by.id,
    manifest: JSON.stringify(manifest),
    expires_at: addMinutes(now, codeMinutes),
  });
  return code;
}

type Converted = { app: AppRow; clientSecret: string; webhookSecret: string | null };

type Conversion = { keys: AppKeys; secrets: Secrets; baseUrl: string; now: Date };

/** Exchanges a code for the app that its manifest describes. If the app can't be created, the transaction rolls back and the code stays valid. */
export async function convertManifest(
  tx: Tx,
  code: ManifestCodeRow,
  { keys, secrets, baseUrl, now }: Conversion,
): Promise<Converted> {
  await removeManifestCode(tx, code);
  const manifest = code.manifest as AppManifest; // offerManifest checked it
  const owner = getOrThrow(await loadAccounts(tx, [code.owner_id]), code.owner_id);
  const { app, clientSecret } = await createApp(tx, {
    owner,
    kind: 'app',
    name: manifest.name,
    description: manifest.description,
    externalUrl: manifest.url,
    callbackUrls: manifest.callback_urls,
    public: manifest.public,
    permissions: manifest.default_permissions,
    events: manifest.default_events,
    publicKey: keys.publicKey,
    now,
  });
  const { hook_attributes: hook } = manifest;
  if (!hook) return { app, clientSecret, webhookSecret: null };
  const webhookSecret = randomBytes(20).toString('hex');
  const secret = secrets.seal(webhookSecret, secretContext('secret', { app_id: app.id }));
  const { url, active = true } = hook;
  await insertAppHook(tx, { app: app.id, url, active, contentType: 'json', secret, baseUrl, now });
  return { app, clientSecret, webhookSecret };
}
