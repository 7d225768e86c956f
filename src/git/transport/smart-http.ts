import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError } from '../errors.ts';
import { gunzip } from '../objects/inflate.ts';
import { type ByteSource, byteSource } from '../process/byte-source.ts';
import { firstBytes } from '../process/output-stream.ts';
import type { GitProcess, StartOptions } from '../process/process.ts';
import { run, startTransfer } from '../process/run.ts';
import type { Repo } from '../repo.ts';
import { repositoryExists } from '../store.ts';
import { flushPacket, packet } from './pkt-line.ts';

export const services = ['git-upload-pack', 'git-receive-pack'] as const;
export type Service = (typeof services)[number];

/** What an HTTP request says about its body and itself. `protocol` is the `Git-Protocol` header. */
export type ExchangeOptions = { protocol?: string | undefined; gzip?: boolean; signal?: AbortSignal };

const maxWants = 64 * 1024 * 1024;

/** What the client asked for, when it is something that git understands: only these words reach its environment. */
export function protocolOf(header: string | undefined): 'version=1' | 'version=2' | undefined {
  const versions = header?.split(':').filter((word) => word === 'version=1' || word === 'version=2') ?? [];
  return versions.includes('version=2') ? 'version=2' : versions[0] === undefined ? undefined : 'version=1';
}

/** Starts one of the two services on a repository, as a process for one request. */
export async function startService(
  repo: Repo,
  service: Service,
  flags: string[],
  options: StartOptions & { protocol?: string | undefined },
): Promise<GitProcess> {
  const { protocol, ...rest } = options;
  const { args, env } = await serviceCall(repo, service, { flags, protocol });
  return startTransfer(repo, args, { ...rest, env });
}

async function serviceCall(
  repo: Repo,
  service: Service,
  { flags, protocol }: { flags: readonly string[]; protocol: string | undefined },
): Promise<{ args: string[]; env: Record<string, string> }> {
  if (!(await repositoryExists(repo))) throw new GitError('not-found', 'The repository is not on disk');
  const args = [service.slice('git-'.length), '--stateless-rpc', ...flags, repo.path];
  return { args, env: protocol === undefined ? {} : { GIT_PROTOCOL: protocol } };
}

/** The reply to `GET info/refs?service=…`: the refs (protocol 0 and 1) or the server's abilities (protocol 2). */
export async function advertiseRefs(repo: Repo, service: Service, options: ExchangeOptions = {}): Promise<Readable> {
  const wanted = protocolOf(options.protocol);
  // There is no protocol 2 for pushes: git answers in the old form, and its client expects the old opening then.
  const protocol = service === 'git-receive-pack' && wanted === 'version=2' ? undefined : wanted;
  const opening = protocol === 'version=2' ? Buffer.alloc(0) : Buffer.concat([packet(`# service=${service}\n`), flushPacket]);
  const short = await shortAdvertisement(repo, service, { protocol, signal: options.signal });
  if (short) return Readable.from([Buffer.concat([opening, short])], { objectMode: false });
  const git = await startService(repo, service, [listing], { protocol, signal: options.signal });
  git.stdin.end();
  const output = await firstBytes(git, () => new GitError('failed', 'The refs could not be listed', git.stderr().trim()));
  return joined(opening, output);
}

const listing = '--http-backend-info-refs';

/**
 * The refs, or the server's abilities, where they are no more than `git.advertisement`. They count as a short command, so that nobody
 * waits for clones to end before anything of a repository is known.
 */
async function shortAdvertisement(
  repo: Repo,
  service: Service,
  { protocol, signal }: { protocol: string | undefined; signal: AbortSignal | undefined },
): Promise<Buffer | undefined> {
  const { args, env } = await serviceCall(repo, service, { flags: [listing], protocol });
  const { stdout, truncated } = await run(repo, args, {
    env,
    signal,
    maxOutput: repo.store.limits.advertisement,
    truncate: true,
  });
  return truncated ? undefined : stdout;
}

function joined(opening: Buffer, rest: Readable): Readable {
  const stream = new PassThrough();
  stream.write(opening);
  rest.once('error', (error) => stream.destroy(error));
  stream.once('close', () => rest.destroy());
  return rest.pipe(stream);
}

/**
 * The reply to `POST git-upload-pack`: what a clone or fetch asked for. Rejects before a byte of reply when the request
 * isn't one. Destroying the stream, or the client going away, ends git.
 */
export async function uploadPack(repo: Repo, body: Readable, options: ExchangeOptions = {}): Promise<Readable> {
  const git = await startService(repo, 'git-upload-pack', [], { protocol: protocolOf(options.protocol), signal: options.signal });
  void ask(git, byteSource(options.gzip ? gunzip(body) : body, { most: maxWants, limits: repo.store.limits }));
  // A client may end its request after a first question and come again (stateless): git's exit code then says nothing.
  return firstBytes(git, () => new GitError('invalid', 'The request could not be answered', git.stderr().trim()));
}

/** Gives git the request. It may end before it has read everything: only a request that breaks off is a failure. */
async function ask(git: GitProcess, request: ByteSource): Promise<void> {
  async function* bytes() {
    try {
      for await (const chunk of request.rest()) {
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
