import type { ByteSource } from './byte-source.ts';
import { GitError } from './errors.ts';
import { exceeded } from './exceeded.ts';
import { isOid, type Oid, zeroOid } from './oid.ts';
import { flushPacket, packet } from './pkt-line.ts';
import type { GitLimits } from './repo.ts';

/** What a push wants of one ref: `from` and `to` are null where it doesn't exist before or after. */
export type PushCommand = { ref: string; from: Oid | null; to: Oid | null };

/** The head of a push, as it stands before the pack. */
export type PushRequest = { commands: PushCommand[]; capabilities: string[]; shallow: Oid[] };

const mostCommands = 20_000;

/** Reads the commands at the head of a push and not a byte more; undefined for the empty request with which git probes. */
export async function readPushRequest(source: ByteSource, limits: GitLimits): Promise<PushRequest | undefined> {
  const request: PushRequest = { commands: [], capabilities: [], shallow: [] };
  const seen = new Set<string>();
  let bytes = 0;
  for (;;) {
    const next = await source.nextPacket();
    if (next.kind === 'flush') return request.commands.length + request.shallow.length === 0 ? undefined : request;
    if (next.kind !== 'data') throw new GitError('invalid', 'The request is not a push');
    bytes += next.data.length;
    if (bytes > limits.pushHead) throw exceeded(limits, 'pushHead', { message: 'The push names too much' });
    readLine(request, next.data);
    const ref = request.commands.at(-1)?.ref;
    if (request.commands.length > seen.size && ref !== undefined) {
      if (seen.has(ref)) throw new GitError('invalid', 'The push names a ref twice');
      seen.add(ref);
    }
    if (seen.size + request.shallow.length > mostCommands) throw new GitError('too-large', 'The push names too many refs');
  }
}

function readLine(request: PushRequest, data: Buffer): void {
  const nul = data.indexOf(0);
  const line = data.toString('utf8', 0, nul < 0 ? data.length : nul).replace(/\n$/, '');
  if (nul >= 0) {
    if (request.capabilities.length > 0) throw new GitError('invalid', 'The request is not a push');
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
  if (line[40] !== ' ' || line[81] !== ' ' || ref === '' || ref.includes('\n'))
    throw new GitError('invalid', 'The request is not a push');
  const orNull = (oid: string) => (oidIn(oid) === zeroOid ? null : oid);
  request.commands.push({ ref, from: orNull(from), to: orNull(to) });
}

function oidIn(text: string): Oid {
  if (!isOid(text)) throw new GitError('invalid', 'The request is not a push');
  return text;
}

/** The head of a push again, with these commands only; git is always asked to report, whatever the client wanted. */
export function formatPushRequest({ commands, capabilities, shallow }: PushRequest): Buffer {
  const asked = reportOf(capabilities) ? capabilities : [...capabilities, 'report-status'];
  const lines = commands.map(({ ref, from, to }, index) =>
    packet(`${from ?? zeroOid} ${to ?? zeroOid} ${ref}${index === 0 ? `\0 ${asked.join(' ')}` : ''}`),
  );
  return Buffer.concat([...shallow.map((oid) => packet(`shallow ${oid}`)), ...lines, flushPacket]);
}

/** Which form of report the client wants, if any. */
export function reportOf(capabilities: readonly string[]): 'report-status-v2' | 'report-status' | undefined {
  if (capabilities.includes('report-status-v2')) return 'report-status-v2';
  return capabilities.includes('report-status') ? 'report-status' : undefined;
}
