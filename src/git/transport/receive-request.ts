import { GitError } from '../errors.ts';
import { isOid, type Oid, zeroOid } from '../objects/oid.ts';
import type { ByteSource } from '../process/byte-source.ts';
import type { GitLimits } from '../repo.ts';
import { flushPacket, packet } from './pkt-line.ts';

/** One ref update of a push. `from` is null for a new ref, and `to` for a deleted one. */
export type PushCommand = { ref: string; from: Oid | null; to: Oid | null };

/** The part of a push request before the pack. */
export type PushRequest = {
  commands: PushCommand[];
  capabilities: string[];
  shallow: Oid[];
  /** Why the whole push is refused: it exceeds a limit. Further commands were read and dropped. */
  overflow?: string;
};

type HeadLimits = Pick<GitLimits, 'pushRefs' | 'pushRefBytes'>;

/**
 * Reads a push request up to the pack; undefined for the empty request that clients use as a probe. @throws GitError `invalid`
 */
export async function readPushRequest(source: ByteSource, limits: HeadLimits): Promise<PushRequest | undefined> {
  const request: PushRequest = { commands: [], capabilities: [], shallow: [] };
  const seen = new Set<string>();
  let bytes = 0;
  for (;;) {
    const next = await source.nextPacket();
    if (next.kind === 'flush') break;
    if (next.kind !== 'data') throw notPush();
    bytes += next.data.length;
    request.overflow ??= overflowOf(request, bytes, limits);
    if (request.overflow) continue;
    readLine(request, next.data);
    const ref = request.commands.at(-1)?.ref;
    if (request.commands.length === seen.size || ref === undefined) continue;
    if (seen.has(ref)) throw new GitError('invalid', 'The push names a ref twice');
    seen.add(ref);
  }
  if (request.commands.length + request.shallow.length === 0) return undefined;
  checkObjectFormat(request);
  if (request.capabilities.includes('push-options')) request.overflow ??= await skipPushOptions(source, bytes, limits);
  return request;
}

/**
 * Reads the options of `git push -o`. They have no effect, like unknown options in the public API. Returns the exceeded limit.
 */
async function skipPushOptions(source: ByteSource, before: number, limits: HeadLimits): Promise<string | undefined> {
  let bytes = before;
  for (;;) {
    const next = await source.nextPacket();
    if (next.kind === 'flush') return bytes > limits.pushRefBytes ? tooManyBytes(limits) : undefined;
    if (next.kind !== 'data') throw notPush();
    bytes += next.data.length;
  }
}

const tooManyBytes = ({ pushRefBytes }: HeadLimits): string =>
  `more than ${pushRefBytes} bytes of refs in one push (the limit git.pushRefBytes); push them in parts`;

function overflowOf({ commands, shallow }: PushRequest, bytes: number, limits: HeadLimits): string | undefined {
  if (commands.length + shallow.length >= limits.pushRefs)
    return `more than ${limits.pushRefs} refs in one push (the limit git.pushRefs); push them in parts`;
  return bytes > limits.pushRefBytes ? tooManyBytes(limits) : undefined;
}

const notPush = () => new GitError('invalid', 'The request is not a push');

/** Refuses object formats other than SHA-1, which is the default. */
function checkObjectFormat({ capabilities }: PushRequest): void {
  const objectFormat = capabilities.find((word) => word.startsWith('object-format='));
  if (objectFormat !== undefined && objectFormat !== 'object-format=sha1')
    throw new GitError(
      'invalid',
      'Repositories here name their objects by SHA-1: an object format of another kind cannot be pushed',
    );
}

function readLine(request: PushRequest, data: Buffer): void {
  const nul = data.indexOf(0);
  const line = data.toString('utf8', 0, nul < 0 ? data.length : nul).replace(/\n$/, '');
  if (nul >= 0) {
    if (request.capabilities.length > 0) throw notPush();
    request.capabilities = data
      .toString('utf8', nul + 1)
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
  }
  if (line.startsWith('shallow ')) {
    request.shallow.push(oidIn(line.slice('shallow '.length)));
    return;
  }
  const [from, to, ref] = [line.slice(0, 40), line.slice(41, 81), line.slice(82)];
  if (line[40] !== ' ' || line[81] !== ' ' || ref === '' || ref.includes('\n')) throw notPush();
  const orNull = (oid: string) => (oidIn(oid) === zeroOid ? null : oid);
  request.commands.push({ ref, from: orNull(from), to: orNull(to) });
}

function oidIn(text: string): Oid {
  if (!isOid(text)) throw notPush();
  return text;
}

/** The capabilities that are passed on to git. Others would change the format of the request. */
const supportedCapabilities = new Set([
  'report-status',
  'report-status-v2',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'delete-refs',
]);

/**
 * Encodes a push request for git with these commands. It always requests a report, for parsing. `atomic`: all refs are updated,
 * or none.
 */
export function formatPushRequest({ commands, capabilities, shallow, atomic }: PushRequest & { atomic?: boolean }): Buffer {
  const requested = new Set(capabilities.filter((word) => supportedCapabilities.has(word)));
  if (!reportOf(capabilities)) requested.add('report-status');
  if (atomic) requested.add('atomic');
  const lines = commands.map(({ ref, from, to }, index) =>
    packet(`${from ?? zeroOid} ${to ?? zeroOid} ${ref}${index === 0 ? `\0 ${[...requested].join(' ')}` : ''}`),
  );
  return Buffer.concat([...shallow.map((oid) => packet(`shallow ${oid}`)), ...lines, flushPacket]);
}

/** The report format that the client requested, if any. */
export function reportOf(capabilities: readonly string[]): 'report-status-v2' | 'report-status' | undefined {
  if (capabilities.includes('report-status-v2')) return 'report-status-v2';
  return capabilities.includes('report-status') ? 'report-status' : undefined;
}
