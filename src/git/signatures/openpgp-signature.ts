// Signatures of OpenPGP keys. GnuPG verifies them if it is installed.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { chunks } from '#lib/collections.ts';
import { hasUsualNumbers, tags } from '#lib/openpgp/key.ts';
import { dearmor, OpenPgpError, readPackets, writePacket } from '#lib/openpgp/packets.ts';
import { readSignature, signatureTypes } from '#lib/openpgp/signature.ts';
import { isGitError } from '../errors.ts';
import { run } from '../process/run.ts';
import type { GitStore } from '../repo.ts';
import { maxSignature } from './armor.ts';

export type OpenPgpSignature = {
  /** The id of the claimed signing key: 16 hexadecimal digits. */
  keyId: string;
  packet: Buffer;
};

const documents: readonly number[] = signatureTypes.documents;

/** Reads an armored signature of a document. Undefined if it isn't exactly one signature, or if its version is below 4. */
export function parseOpenPgpSignature(armored: string): OpenPgpSignature | undefined {
  if (armored.length > maxSignature) return undefined;
  try {
    const [packet, ...others] = readPackets(dearmor(armored, 'SIGNATURE'));
    if (packet?.tag !== tags.signature || others.length > 0) return undefined;
    const signature = readSignature(packet.body);
    if (!signature?.issuer || !documents.includes(signature.type)) return undefined;
    return { keyId: keyIdOf(signature.issuer), packet: writePacket(packet) };
  } catch (error) {
    if (error instanceof OpenPgpError) return undefined;
    throw error;
  }
}

/** The id of a key from its id or its fingerprint: the last digits for version 4, and the first for version 6. */
const keyIdOf = (issuer: string): string => (issuer.length === 64 ? issuer.slice(0, 16) : issuer.slice(-16));

/** A signature to verify with one key of an account. */
type OpenPgpCheck = {
  signature: OpenPgpSignature;
  payload: Buffer;
  /** `armored` is the whole key, `fingerprint` belongs to the claimed signing part, and `primary` to the whole key. */
  key: { armored: string; fingerprint: string; primary: string };
};

/** Why a signature isn't valid, in the public API's terms. */
type OpenPgpOutcome = 'valid' | 'invalid' | 'expired_key' | 'unknown_key' | 'gpgverify_error' | 'gpgverify_unavailable';

/**
 * Verifies signatures, each with its own key, in the order of `checks`. One `gpg` process verifies up to `checksPerProcess`
 * signatures, with only their keys. It doesn't throw: if `gpg` isn't installed or fails, the outcome says so.
 */
export async function verifyOpenPgp(store: GitStore, checks: readonly OpenPgpCheck[]): Promise<OpenPgpOutcome[]> {
  const outcomes = new Map<OpenPgpCheck, OpenPgpOutcome>();
  const tryRound = async (round: readonly OpenPgpCheck[]): Promise<boolean> => {
    const found = await runGpg(store, round);
    for (const [at, check] of round.entries()) if (found?.[at]) outcomes.set(check, found[at]);
    return found !== undefined;
  };
  for (const round of roundsOf(checks.filter((check) => !failed.has(nameOf(check))))) {
    if (await tryRound(round)) continue;
    // One of the keys may be at fault. It must not take the others along.
    for (const [, alone] of Map.groupBy(round, ({ key }) => key.primary))
      if (!(await tryRound(alone))) for (const check of alone) failed.set(nameOf(check), true);
  }
  return checks.map((check) => outcomes.get(check) ?? 'gpgverify_error');
}

/** What gpg failed at: it isn't tried again soon, whoever looks at the commits. */
const failed = new LRUCache<string, true>({ max: 10_000, ttl: 10 * 60_000 });

const nameOf = ({ signature, payload, key }: OpenPgpCheck): string =>
  createHash('sha256').update(key.armored).update(signature.packet).update(payload).digest('base64');

const checksPerProcess = 200;

/**
 * Divides checks into rounds, so that a round never has two different texts of the same key. Another user's copy of a key may
 * lack parts of the owner's copy, and gpg uses only one of them.
 */
function roundsOf(checks: readonly OpenPgpCheck[]): OpenPgpCheck[][] {
  const texts = new Map<string, string[]>();
  const byRound = Map.groupBy(checks, ({ key }) => {
    const known = texts.get(key.primary) ?? [];
    texts.set(key.primary, known);
    if (!known.includes(key.armored)) known.push(key.armored);
    return known.indexOf(key.armored);
  });
  return [...byRound.values()].flatMap((round) => chunks(round, checksPerProcess));
}

/**
 * Only these options, no agent, no network, and no trust in anything but the given keys. `--batch` isn't used, since it stops at
 * the first bad signature.
 */
const fixedOptions = [
  ...['--no-options', '--no-tty', '--quiet', '--no-autostart', '--no-auto-key-retrieve', '--no-auto-check-trustdb'],
  ...['--trust-model', 'always', '--lock-never', '--no-default-keyring', '--status-fd', '1'],
];

/** A shell's exit code if it doesn't find the program. */
const noSuchProgram = 127;

/** What gpg says of signatures; undefined where it fails, as when it takes too long. */
async function runGpg(store: GitStore, checks: readonly OpenPgpCheck[]): Promise<OpenPgpOutcome[] | undefined> {
  const all = (outcome: OpenPgpOutcome) => checks.map(() => outcome);
  const folder = await mkdtemp(join(store.root, 'tmp', 'gpg-'));
  try {
    const keyring = join(folder, 'keyring');
    await writeFile(keyring, Buffer.concat([...new Set(checks.map(({ key }) => key.armored))].map(keyPackets)));
    const names = checks.map((_, at) => join(folder, String(at)));
    for (const [at, check] of checks.entries()) await writeFile(names[at] ?? '', signedMessage(check));
    const args = [...fixedOptions, '--keyring', keyring, '--verify-files', ...names];
    const options = { program: 'gpg', env: { GNUPGHOME: folder, HOME: folder }, codes: [0, 1, 2, noSuchProgram] } as const;
    const { code, stdout } = await run({ store }, args, options);
    if (code === noSuchProgram) return all('gpgverify_unavailable');
    const statuses = statusesByFile(stdout.toString('utf8'));
    return checks.map(({ key }, at) => outcomeOf(statuses.get(names[at] ?? '') ?? [], key.fingerprint));
  } catch (error) {
    if (!isGitError(error)) throw error;
    return isGitError(error, 'aborted') ? all('gpgverify_error') : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const keyTags = [tags.publicKey, tags.publicSubkey, tags.userId, tags.userAttribute, tags.signature];

/** The packets of an armored key, in the format of a keyring; none of a key that would be used slowly, or is damaged. */
function keyPackets(armored: string): Buffer {
  try {
    const packets = readPackets(dearmor(armored)).filter(({ tag }) => keyTags.includes(tag));
    return Buffer.concat(packets.every(hasUsualNumbers) ? packets.map(writePacket) : []);
  } catch (error) {
    if (error instanceof OpenPgpError) return Buffer.alloc(0);
    throw error;
  }
}

const literalData = 11;
/** Binary data without a name and a date. */
const literalHead = Buffer.from([0x62, 0, 0, 0, 0, 0]);

/** A signature before the data that it signs: a complete OpenPGP message (RFC 9580, 10.3), so that one process can read many. */
const signedMessage = ({ signature, payload }: OpenPgpCheck): Buffer =>
  Buffer.concat([signature.packet, writePacket({ tag: literalData, body: Buffer.concat([literalHead, payload]) })]);

type Status = { word: string; rest: string[] };

/** gpg's status lines for each file. */
function statusesByFile(text: string): Map<string, Status[]> {
  const byFile = new Map<string, Status[]>();
  let current: Status[] = [];
  for (const line of text.split('\n')) {
    const [mark, word = '', ...rest] = line.split(' ');
    if (mark !== '[GNUPG:]') continue;
    if (word === 'FILE_START') {
      current = [];
      byFile.set(rest.slice(1).join(' '), current);
    } else current.push({ word, rest });
  }
  return byFile;
}

/** A signature is valid if it is the only good one, by the expected key. Any other status from gpg takes precedence. */
function outcomeOf(statuses: readonly Status[], fingerprint: string): OpenPgpOutcome {
  const has = (word: string) => statuses.some((status) => status.word === word);
  const valid = statuses.filter(({ word }) => word === 'VALIDSIG');
  if (has('BADSIG') || has('REVKEYSIG') || has('EXPSIG')) return 'invalid';
  if (has('EXPKEYSIG')) return 'expired_key';
  if (has('NO_PUBKEY')) return 'unknown_key';
  if (valid.length === 1 && valid[0]?.rest[0] === fingerprint && has('GOODSIG')) return 'valid';
  return has('NODATA') || has('ERRSIG') || valid.length > 0 ? 'invalid' : 'gpgverify_error';
}
