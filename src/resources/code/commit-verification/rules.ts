import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit, Tag } from '#git/objects/parse-commit.ts';
import type { GitStore } from '#git/repo.ts';
import { signatureKind } from '#git/signatures/armor.ts';
import { type OpenPgpSignature, parseOpenPgpSignature, verifyOpenPgp } from '#git/signatures/openpgp-signature.ts';
import { isSignatureOf, parseSshSignature, type SshSignature } from '#git/signatures/ssh-signature.ts';
import { pairs } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { periodicYield } from '#lib/turns.ts';
import { loadAccountsByEmail } from '#resources/identity/accounts/index.ts';
import { presentVerification } from './present.ts';
import type { Verification, VerificationReason } from './schemas.ts';
import {
  insertVerified,
  loadOwnerships,
  loadSigningParts,
  loadVerified,
  type ObjectName,
  type Ownership,
  objectKey,
  partKey,
  type SigningPart,
} from './store.ts';

/** `host` is this server's host, which noreply addresses contain. Without it, they belong to nobody. */
type VerificationContext = { db: Db; git: GitStore; host: string | undefined; now: Date };

/** A commit or tag of a repository. */
type Signable = { repository: Id<'repositories'>; object: Commit | Tag };

/**
 * Verifies the signatures of commits and tags, and returns the results in their order. Newly verified objects are stored, and
 * stay verified whatever happens to the key. It takes one statement if all were verified before, and none if nothing is signed.
 */
export async function verify(context: VerificationContext, signables: readonly Signable[]): Promise<Verification[]> {
  const results = await verifyAll(context, signables);
  const verified = results.flatMap(({ name, isNew, signer }) => (isNew && signer ? [{ ...name, account: signer }] : []));
  if (verified.length > 0) await insertVerified(context.db, verified, context.now);
  return results.map(({ verification }) => verification);
}

/**
 * Verifies commits that may still be refused, such as those of a push whose objects are in quarantine. It stores nothing. The
 * caller has read the commits with `ObjectReader.getCommits` of the repository with the new objects.
 */
export async function verifyCommits(
  context: VerificationContext,
  repository: Id<'repositories'>,
  commits: readonly Commit[],
): Promise<Map<Oid, Verification>> {
  const signables = commits.map((object) => ({ repository, object }));
  return new Map((await verifyAll(context, signables)).map(({ name, verification }) => [name.oid, verification]));
}

type VerificationResult = {
  name: ObjectName;
  verification: Verification;
  /** Verified now, and not stored yet. */
  isNew: boolean;
  signer: Id<'accounts'> | undefined;
};

async function verifyAll(context: VerificationContext, signables: readonly Signable[]): Promise<VerificationResult[]> {
  const named = signables.map((signable) => ({
    ...signable,
    name: { repository: signable.repository, oid: signable.object.oid },
  }));
  const signed = named.filter(({ object }) => object.signature !== undefined);
  const before =
    signed.length === 0
      ? new Map<string, Date>()
      : await loadVerified(
          context.db,
          signed.map(({ name }) => name),
        );
  const open = signed.filter(({ name }) => !before.has(objectKey(name)));
  const found = new Map(
    pairs(
      open,
      await verifySignatures(
        context,
        open.map(({ object }) => object),
      ),
    ),
  );
  return named.map((one) => {
    const { name, object } = one;
    const verifiedAt = before.get(objectKey(name));
    const { reason, signer } = verifiedAt ? { reason: 'valid' as const, signer: undefined } : (found.get(one) ?? unsigned);
    const isNew = !verifiedAt && reason === 'valid';
    return { name, signer, isNew, verification: presentVerification(object, reason, isNew ? context.now : verifiedAt) };
  });
}

type Result = { reason: VerificationReason; signer: Id<'accounts'> | undefined };

const unsigned: Result = { reason: 'unsigned', signer: undefined };

type Parsed =
  | { kind: 'ssh'; signature: SshSignature; key: string }
  | { kind: 'openpgp'; signature: OpenPgpSignature; key: string };

/** Parses a signature, or returns the reason why it can't be parsed. */
function parse(text: string): Parsed | 'unknown_signature_type' | 'malformed_signature' {
  const kind = signatureKind(text);
  if (!kind) return 'unknown_signature_type';
  if (kind === 'ssh') {
    const signature = parseSshSignature(text);
    return signature ? { kind, signature, key: signature.fingerprint } : 'malformed_signature';
  }
  const signature = parseOpenPgpSignature(text);
  return signature ? { kind, signature, key: signature.keyId } : 'malformed_signature';
}

/** The address that the signer must own: the committer's of a commit, the tagger's of a tag. */
const emailOf = (object: Commit | Tag): string =>
  ('tree' in object ? object.committer.email : (object.tagger?.email ?? '')).toLowerCase();

async function verifySignatures(
  { db, git, host, now }: VerificationContext,
  objects: readonly (Commit | Tag)[],
): Promise<Result[]> {
  if (objects.length === 0) return [];
  const parsed = objects.map((object) => ({ object, email: emailOf(object), parsed: parse(object.signature ?? '') }));
  // Without a host, a name that no server has.
  const accounts = await loadAccountsByEmail(
    db,
    parsed.map(({ email }) => email),
    host ?? 'invalid',
  );
  const readable = parsed.flatMap(({ object, email, parsed: one }) =>
    typeof one === 'string' ? [] : [{ object, email, ...one, account: accounts.get(email)?.id }],
  );
  const ownerships = new Map(
    pairs(
      readable.map(({ object }) => object),
      readable.length === 0 ? [] : await loadOwnerships(db, readable),
    ),
  );
  const owned = readable.flatMap((one) =>
    one.account !== undefined && ownerships.get(one.object)?.own ? [{ ...one, account: one.account }] : [],
  );
  const reasons = await verifyOwned({ db, git, now }, owned);
  return parsed.map(({ object, email, parsed: one }) => {
    if (typeof one === 'string') return { reason: one, signer: undefined };
    const account = accounts.get(email);
    return { reason: reasons.get(object) ?? reasonOf(account, ownerships.get(object)), signer: account?.id };
  });
}

/** The reason why a signature isn't verified if its key doesn't belong to the account with the address. */
function reasonOf(account: Account | undefined, ownership: Ownership | undefined): VerificationReason {
  // Only the holder of the key learns that the address is unverified, so that nothing about other people's addresses leaks.
  if (ownership?.stated) return 'unverified_email';
  if (!account) return 'no_user';
  return ownership?.known ? 'bad_email' : 'unknown_key';
}

type Owned = Parsed & { object: Commit | Tag; email: string; account: Id<'accounts'> };

const isOpenPgp = (one: Owned): one is Extract<Owned, { kind: 'openpgp' }> => one.kind === 'openpgp';

/** Verifies signatures whose keys belong to the accounts with their addresses. */
async function verifyOwned(
  { db, git, now }: Omit<VerificationContext, 'host'>,
  owned: readonly Owned[],
): Promise<Map<Commit | Tag, VerificationReason>> {
  const reasons = new Map<Commit | Tag, VerificationReason>();
  const yieldIfNeeded = periodicYield();
  for (const { kind, signature, object } of owned) {
    if (kind !== 'ssh' || !object.payload) continue;
    reasons.set(object, isRememberedSignature(signature, object.payload) ? 'valid' : 'invalid');
    await yieldIfNeeded();
  }
  const openPgp = owned.filter(isOpenPgp);
  if (openPgp.length === 0) return reasons;
  const parts = await loadSigningParts(
    db,
    openPgp.map(({ account, key: keyId }) => ({ account, keyId })),
  );
  const checks = openPgp.flatMap(({ object, email, account, key, signature }) => {
    const part = parts.get(partKey(account, key));
    const obstacle = part ? obstacleOf(part, email, now) : 'unknown_key';
    if (obstacle) reasons.set(object, obstacle);
    return obstacle || !part || !object.payload ? [] : [{ object, signature, payload: object.payload, part }];
  });
  for (const [object, reason] of await verifyOpenPgpSignatures(git, checks)) reasons.set(object, reason);
  return reasons;
}

/** Why a key can't verify signatures with this address; undefined where it can. */
function obstacleOf(
  { can_sign, revoked, expires_at, emails }: SigningPart,
  email: string,
  now: Date,
): VerificationReason | undefined {
  if (!can_sign) return 'not_signing_key';
  if (revoked) return 'invalid';
  if (expires_at && expires_at <= now) return 'expired_key';
  return emails.some((own) => own.toLowerCase() === email) ? undefined : 'bad_email';
}

/** Results by signed bytes, kept while the bytes are in memory, as recently read objects are (decision 25). */
const sshResults = new WeakMap<Buffer, boolean>();
const openPgpResults = new WeakMap<Buffer, { armored: string; reason: VerificationReason }>();

function isRememberedSignature(signature: SshSignature, payload: Buffer): boolean {
  const known = sshResults.get(payload);
  if (known !== undefined) return known;
  const result = isSignatureOf(signature, payload);
  sshResults.set(payload, result);
  return result;
}

type OpenPgpCheck = { object: Commit | Tag; signature: OpenPgpSignature; payload: Buffer; part: SigningPart };

async function verifyOpenPgpSignatures(
  git: GitStore,
  all: readonly OpenPgpCheck[],
): Promise<[Commit | Tag, VerificationReason][]> {
  const knownOf = ({ payload, part }: OpenPgpCheck) => {
    const known = openPgpResults.get(payload);
    return known?.armored === part.armored ? known.reason : undefined;
  };
  const unknown = all.filter((one) => knownOf(one) === undefined);
  const outcomes = await verifyOpenPgp(
    git,
    unknown.map(({ signature, payload, part: { armored, fingerprint, primary_fingerprint: primary } }) => ({
      signature,
      payload,
      key: { armored, fingerprint, primary },
    })),
  );
  for (const [{ payload, part }, reason] of pairs(unknown, outcomes))
    if (reason !== 'gpgverify_error' && reason !== 'gpgverify_unavailable')
      openPgpResults.set(payload, { armored: part.armored, reason });
  const found = new Map(pairs(unknown, outcomes));
  return all.map((one) => [one.object, found.get(one) ?? knownOf(one) ?? 'gpgverify_error']);
}
