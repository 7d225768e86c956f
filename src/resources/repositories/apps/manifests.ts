import { randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Account } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { getOrThrow } from '#lib/collections.ts';
import { invalid } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { checkPermissions } from '#resources/identity/tokens/index.ts';
import { insertAppHook } from '#webhook-delivery/app-hooks.ts';
import { secretContext } from '#webhook-delivery/secret-context.ts';
import { type AppKeys, checkEvents, createApp } from './rules.ts';
import { type AppRow, insertManifestCode, type ManifestCodeRow, removeManifestCode } from './store.ts';

const maxName = 34;
const url = Type.String({ pattern: '^https?://', maxLength: 2048 });

/** The manifest from which an app is created, as in the public API. */
const AppManifest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: maxName }),
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
type AppManifest = Static<typeof AppManifest>;

const codePrefix = 'hmc_';
/** How long a code can be exchanged, as in the public API. */
const codeMinutes = 60;

/** @throws Refusal that describes the problem with a manifest */
async function checkManifest(manifest: unknown): Promise<AppManifest> {
  const { Value } = await import('typebox/value');
  if (Value.Check(AppManifest, manifest)) return manifest;
  const [problem] = Value.Errors(AppManifest, manifest);
  throw invalid('Manifest', problem?.instancePath.slice(1) ?? '', 'invalid', problem?.message ?? 'is not a manifest');
}

/** A manifest that a site sends through a browser, which then returns to the site. */
export type SentManifest = AppManifest & { redirect_url: string };

/**
 * Reads a manifest that a site sends through a browser. The owner chooses the name later, so it may be missing or too long here.
 * @throws Refusal if no app could be created from it, or it has no redirect address
 */
export async function readManifest(text: string): Promise<SentManifest> {
  const sent = parseObject(text);
  const name = typeof sent.name === 'string' && sent.name !== '' ? sent.name.slice(0, maxName) : 'New app';
  const { redirect_url, ...manifest } = await checkManifest({ ...sent, name });
  if (redirect_url === undefined || !URL.canParse(redirect_url))
    throw invalid('Manifest', 'redirect_url', 'invalid', 'must be an address to which the browser is sent back');
  if (manifest.setup_url !== undefined && !URL.canParse(manifest.setup_url))
    throw invalid('Manifest', 'setup_url', 'invalid', 'must be an address to which the browser is sent after an installation');
  checkPermissions(manifest.default_permissions ?? {});
  checkEvents(manifest.default_events ?? []);
  return { ...manifest, redirect_url };
}

function parseObject(text: string): Record<string, unknown> {
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid('Manifest', '', 'invalid', 'The form must have a field manifest, which is a JSON object.');
  if (unstorable.test(JSON.stringify(parsed)))
    throw invalid('Manifest', '', 'invalid', 'The manifest contains invalid characters.');
  return { ...parsed };
}

/** NUL and halves of surrogate pairs, which PostgreSQL can't store. */
const unstorable = /\\u(?:0000|d[89a-f])/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Offer = { manifest: unknown; owner: Account; by: Account; now: Date };

/** Stores a manifest under a code, which can be exchanged once within an hour. */
export async function offerManifest(scope: WriteScope, { manifest, owner, by, now }: Offer): Promise<string> {
  const checked = await checkManifest(manifest);
  const code = newToken(codePrefix);
  await insertManifestCode(scope.tx, {
    hash: hashToken(code),
    owner_id: owner.id,
    created_by: by.id,
    manifest: JSON.stringify(checked),
    expires_at: addMinutes(now, codeMinutes),
  });
  return code;
}

type Converted = { app: AppRow; clientSecret: string; webhookSecret: string | null };

type Conversion = { keys: AppKeys; secrets: Secrets; baseUrl: string; now: Date };

/**
 * Exchanges a code for the app that its manifest describes. If the app can't be created, the transaction rolls back and the code
 * stays valid.
 */
export async function convertManifest(
  scope: WriteScope,
  code: ManifestCodeRow,
  { keys, secrets, baseUrl, now }: Conversion,
): Promise<Converted> {
  await removeManifestCode(scope.tx, code);
  const manifest = code.manifest as AppManifest; // offerManifest checked it
  const owner = getOrThrow(await loadAccounts(scope.tx, [code.owner_id]), code.owner_id);
  const { app, clientSecret } = await createApp(scope, {
    owner,
    kind: 'app',
    name: manifest.name,
    description: manifest.description,
    externalUrl: manifest.url,
    callbackUrls: manifest.callback_urls,
    setupUrl: manifest.setup_url,
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
  await insertAppHook(scope.tx, { app: app.id, url, active, contentType: 'json', secret, baseUrl, now });
  return { app, clientSecret, webhookSecret };
}
