import { PassThrough, type Readable } from 'node:stream';
import { GitError } from './errors.ts';
import { gunzip } from './inflate.ts';
import { firstBytes } from './output-stream.ts';
import { flushPacket, packet } from './pkt-line.ts';
import type { GitProcess, StartOptions } from './process.ts';
import type { Repo } from './repo.ts';
import { startTransfer } from './run.ts';
import { repositoryExists } from './store.ts';

export const services = ['git-upload-pack', 'git-receive-pack'] as const;
export type Service = (typeof services)[number];

/** What an HTTP request says about its body and itself. `protocol` is the `Git-Protocol` header. */
export type ExchangeOptions = { protocol?: string | undefined; gzip?: boolean; signal?: AbortSignal };

const mostWants = 64 * 1024 * 1024;

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
  if (!(await repositoryExists(repo))) throw new GitError('not-found', 'The repository is not on disk');
  const { protocol, ...rest } = options;
  const env: Record<string, string> = protocol === undefined ? {} : { GIT_PROTOCOL: protocol };
  return startTransfer(repo, [service.slice('git-'.length), '--stateless-rpc', ...flags, repo.path], { ...rest, env });
}

/** The reply to `GET info/refs?service=…`: the refs (protocol 0 and 1) or the server's abilities (protocol 2). */
export async function advertiseRefs(repo: Repo, service: Service, options: ExchangeOptions = {}): Promise<Readable> {
  const wanted = protocolOf(options.protocol);
  // There is no protocol 2 for pushes: git answers in the old form, and its client expects the old opening then.
  const protocol = service === 'git-receive-pack' && wanted === 'version=2' ? undefined : wanted;
  const git = await startService(repo, service, ['--http-backend-info-refs'], { protocol, signal: options.signal });
  git.stdin.end();
  const output = await firstBytes(git, () => new GitError('failed', 'The refs could not be listed', git.stderr().trim()));
  if (protocol === 'version=2') return output;
  const opening = Buffer.concat([packet(`# service=${service}\n`), flushPacket]);
  return joined(opening, output);
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
  const request = options.gzip ? gunzip(body) : body;
  let size = 0;
  let complete = false;
  request.on('data', (chunk: Buffer) => {
    git.touch();
    size += chunk.length;
    if (size > mostWants) git.stop(new GitError('too-large', 'The request is too large'));
  });
  request.once('end', () => {
    complete = true;
  });
  request.once('error', (error) =>
    git.stop(error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error))),
  );
  request.once('close', () => {
    if (!complete) git.stop(new GitError('aborted', 'The request broke off'));
  });
  request.pipe(git.stdin);
  // A client may end its request after a first question and come again (stateless): git's exit code then says nothing.
  return firstBytes(git, () => new GitError('invalid', 'The request could not be answered', git.stderr().trim()));
}
