import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError, storageMessage } from '../errors.ts';
import { gunzip } from '../objects/inflate.ts';
import { byteSource } from '../process/byte-source.ts';
import { firstBytes } from '../process/output-stream.ts';
import type { GitProcess, StartOptions } from '../process/process.ts';
import { type Recheck, run, startTransfer } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';
import { repositoryExists } from '../store.ts';
import { checkFilters, MissingFilter } from './fetch-filter.ts';
import { flushPacket, packet } from './pkt-line.ts';

export const services = ['git-upload-pack', 'git-receive-pack'] as const;
export type Service = (typeof services)[number];

/** Options from an HTTP request. `protocol` is the `Git-Protocol` header, and `gzip` means that the body is compressed. */
export type ExchangeOptions = { protocol?: string | undefined; gzip?: boolean; signal?: AbortSignal; recheck?: Recheck };

/** The maximum number of bytes of a client's haves and wants. */
export const maxWants = 64 * 1024 * 1024;

/** The protocol version in a `Git-Protocol` header. Only these values are passed to git's environment. */
export function protocolOf(header: string | undefined): 'version=1' | 'version=2' | undefined {
  const versions = header?.split(':').filter((word) => word === 'version=1' || word === 'version=2') ?? [];
  return versions.includes('version=2') ? 'version=2' : versions[0] === undefined ? undefined : 'version=1';
}

/** How a service communicates: one of several HTTP requests, or everything over a connection that stays open. */
type Speaking = { flags: readonly string[]; protocol: string | undefined; connected?: boolean };

/** Starts the process of a service: for one request, or with `connected`, for a whole connection. */
export async function startService(
  repo: GitRepository,
  service: Service,
  flags: string[],
  options: StartOptions & { protocol?: string | undefined; connected?: boolean; recheck?: Recheck | undefined },
): Promise<GitProcess> {
  const { protocol, connected, ...rest } = options;
  const { args, env } = await serviceCall(repo, service, { flags, protocol, connected });
  return startTransfer(repo, args, { ...rest, env });
}

async function serviceCall(
  repo: GitRepository,
  service: Service,
  { flags, protocol, connected = false }: Speaking,
): Promise<{ args: string[]; env: Record<string, string> }> {
  if (!(await repositoryExists(repo))) throw new GitError('unavailable', storageMessage, `${repo.path} is missing`);
  const args = [service.slice('git-'.length), ...(connected ? [] : ['--stateless-rpc']), ...flags, repo.path];
  return { args, env: protocol === undefined ? {} : { GIT_PROTOCOL: protocol } };
}

/** The reply to `GET info/refs?service=…`: the refs (protocol 0 and 1) or the capabilities (protocol 2). */
export async function advertiseRefs(repo: GitRepository, service: Service, options: ExchangeOptions = {}): Promise<Readable> {
  const requested = protocolOf(options.protocol);
  // Pushes have no protocol 2. Git replies with protocol 0, for which clients expect the preamble.
  const protocol = service === 'git-receive-pack' && requested === 'version=2' ? undefined : requested;
  const preamble = protocol === 'version=2' ? Buffer.alloc(0) : Buffer.concat([packet(`# service=${service}\n`), flushPacket]);
  return prepend(preamble, await listRefs(repo, service, { protocol, signal: options.signal }));
}

/** The initial refs or capabilities of a service. */
export async function listRefs(
  repo: GitRepository,
  service: Service,
  { protocol, signal }: { protocol: string | undefined; signal: AbortSignal | undefined },
): Promise<Readable> {
  const small = await smallAdvertisement(repo, service, { protocol, signal });
  if (small) return Readable.from([small], { objectMode: false });
  const git = await startService(repo, service, [advertiseFlag], { protocol, signal });
  git.stdin.end();
  return firstBytes(git, () => new GitError('failed', 'The refs could not be listed', git.stderr().trim()));
}

const advertiseFlag = '--http-backend-info-refs';

/**
 * The advertisement, if it isn't larger than `git.advertisement`. It counts as a short command, so it doesn't wait for a slot
 * among clones.
 */
async function smallAdvertisement(
  repo: GitRepository,
  service: Service,
  { protocol, signal }: { protocol: string | undefined; signal: AbortSignal | undefined },
): Promise<Buffer | undefined> {
  const { args, env } = await serviceCall(repo, service, { flags: [advertiseFlag], protocol });
  const { stdout, truncated } = await run(repo, args, {
    env,
    signal,
    maxOutput: repo.store.limits.advertisement,
    truncate: true,
  });
  return truncated ? undefined : stdout;
}

function prepend(preamble: Buffer, rest: Readable): Readable {
  const stream = new PassThrough();
  stream.write(preamble);
  rest.once('error', (error) => stream.destroy(error));
  stream.once('close', () => rest.destroy());
  return rest.pipe(stream);
}

/**
 * Handles `POST git-upload-pack` (clone and fetch). Destroying the returned stream, or a disconnect of the client, ends git.
 * @throws GitError `invalid` before the reply begins, for an invalid request
 */
export async function uploadPack(repo: GitRepository, body: Readable, options: ExchangeOptions = {}): Promise<Readable> {
  const { signal, recheck } = options;
  const git = await startService(repo, 'git-upload-pack', [], { protocol: protocolOf(options.protocol), signal, recheck });
  const request = byteSource(options.gzip ? gunzip(body) : body, { maxBytes: maxWants, limits: repo.store.limits });
  git.rates.push(request.rate);
  void writeRequest(git, checkFilters(repo, request.rest()));
  // The protocol is stateless: a client may end a request after negotiation only, and git's exit code means nothing then.
  const answer = firstBytes(git, () => new GitError('invalid', 'The request could not be answered', git.stderr().trim()));
  return answer.catch((error) => {
    if (!(error instanceof MissingFilter)) throw error;
    return Readable.from([packet(`ERR ${error.message}\n`)], { objectMode: false });
  });
}

/** Writes the request to git. Git may end before it has read all of it. Only an incomplete request is a failure. */
async function writeRequest(git: GitProcess, request: AsyncIterable<Buffer>): Promise<void> {
  async function* bytes() {
    try {
      for await (const chunk of request) {
        git.touch();
        yield chunk;
      }
    } catch (error) {
      git.stop(error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error)));
      throw error;
    }
  }
  await pipeline(bytes(), git.stdin).catch(() => undefined);
}
