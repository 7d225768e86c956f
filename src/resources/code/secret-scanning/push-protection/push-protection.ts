// Secrets are kept from being pushed, where a repository wants that. Who knows better says so by the placeholder of the refusal.

import { randomBytes } from 'node:crypto';
import type { RepositoryAction } from '#access/action.ts';
import { accountCaller } from '#access/rate-limits.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { CommitFile } from '#git/history/commit-files.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { orNotFound } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { timestamp } from '#lib/time.ts';
import { listScannedPatterns, loadSettings } from '../custom-patterns/store.ts';
import { type FoundSecret, findSecrets, protectedSearch } from '../detection/find-secrets.ts';
import { digestOf } from '../rules.ts';
import type { Bypass, NewBypass } from '../schemas.ts';
import { findPlaceholderForUpdate, insertPlaceholders, listPlaceholders, listPushable, updatePlaceholder } from './store.ts';

/** A secret that may not be pushed, by its type, place and digest: itself, it is held by nothing. */
export type BlockedSecret = Omit<FoundSecret, 'secret' | 'custom'> & { readonly digest: Buffer };

/** So many secrets of a push are named. */
const maxBlocked = 50;

type Push = {
  db: Db;
  secrets: Secrets;
  reader: ObjectReader;
  now: Date;
  repository: Id<'repositories'>;
  /** Who has the repository. */
  owner: Id<'accounts'>;
  account: Id<'accounts'> | undefined;
};

/**
 * The secrets in files that somebody pushes and may not, up to 50. Secrets of which an alert tells already are in the repository
 * anyway, and what the actor has bypassed may be pushed.
 */
export async function findBlocked(push: Push, batches: AsyncIterable<readonly CommitFile[]>): Promise<BlockedSecret[]> {
  const { db, secrets, reader, now, repository, owner, account } = push;
  const [custom, settings] = await Promise.all([listScannedPatterns(db, { repository, owner }), loadSettings(db, owner)]);
  const protectedPatterns = custom.filter(({ push_protection }) => push_protection);
  // What a deploy key pushes counts for the owner of the repository.
  const search = protectedSearch(protectedPatterns, accountCaller(account ?? owner));
  const blocked = new Map<string, BlockedSecret>();
  for await (const files of batches) {
    const found = new Map<string, BlockedSecret>();
    for await (const one of findSecrets(reader, search, files)) {
      if (settings.get(one.type) === 'disabled') continue;
      const { secret: _secret, custom: _custom, ...location } = one;
      const digest = digestOf(secrets, one);
      const key = digest.toString('base64');
      if (!blocked.has(key) && !found.has(key)) found.set(key, { ...location, digest });
    }
    if (found.size === 0) continue;
    const digests = gather([...found.values()], 'digest');
    const pushable = await listPushable(db, { repository, digests, account, now });
    for (const digest of pushable) found.delete(digest.toString('base64'));
    for (const [key, one] of found) blocked.set(key, one);
    if (blocked.size >= maxBlocked) break;
  }
  return [...blocked.values()].slice(0, maxBlocked);
}

/** Stores at once what somebody may not push, and returns the placeholders by the digests in base64. */
export async function insertBlockedSecrets(
  db: Db,
  { repository, account, now }: { repository: Id<'repositories'>; account: Id<'accounts'>; now: Date },
  blocked: readonly Pick<BlockedSecret, 'type' | 'digest'>[],
): Promise<ReadonlyMap<string, string>> {
  if (blocked.length === 0) return new Map();
  const rows = blocked.map(({ type, digest }) => ({
    id: randomBytes(20).toString('base64url'),
    repository_id: repository,
    account_id: account,
    secret_type: type,
    digest,
    created_at: now,
  }));
  await insertPlaceholders(db, rows);
  const stored = await listPlaceholders(db, { repository, account, digests: gather(rows, 'digest') });
  return new Map(stored.map(({ id, digest }) => [digest.toString('base64'), id]));
}

/** A bypass holds for three hours, as in the public API. */
const bypassMs = 3 * 60 * 60 * 1000;

/**
 * Lets somebody push what they were kept from pushing. @throws Refusal 404 where the placeholder is none of theirs, or nothing is
 * protected
 */
export async function bypassProtection(
  scope: WriteScope,
  action: RepositoryAction,
  { reason, placeholder_id }: NewBypass,
): Promise<Bypass> {
  const { repo, by, now } = action;
  const account = by.account?.id;
  const isProtected = repo.secret_scanning && repo.secret_scanning_push_protection;
  const found =
    account === undefined || !isProtected
      ? undefined
      : await findPlaceholderForUpdate(scope.tx, repo.id, { account, id: placeholder_id });
  const { id, secret_type } = orNotFound(found);
  const expires = new Date(now.getTime() + bypassMs);
  await updatePlaceholder(scope.tx, id, { reason, bypassed_at: now, expires_at: expires });
  return { reason, expire_at: timestamp(expires), token_type: secret_type };
}
