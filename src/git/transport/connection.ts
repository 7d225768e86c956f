import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError } from '../errors.ts';
import { firstBytes } from '../process/output-stream.ts';
import type { GitProcess } from '../process/process.ts';
import type { GitRepository } from '../repo.ts';
import { checkFilters, MissingFilter } from './fetch-filter.ts';
import { type ReceiveOptions, receivePack } from './receive-pack.ts';
import { type ExchangeOptions, listRefs, maxWants, protocolOf, startService } from './smart-http.ts';

/** Git's services over a connection that stays open, as that of SSH. Both get what the client says, and return what it is told. */

/**
 * Fetches. Where no bytes move for `git.transferRateTime`, it is ended: it can't be told whether the client or git is waited for, and git
 * says every few seconds that it works.
 */
export async function uploadPackOver(input: Readable, repo: GitRepository, options: ExchangeOptions): Promise<Readable> {
  const { protocol, signal } = options;
  const { transferRateTime: idle, transferContendedTime } = repo.store.limits;
  const git = await startService(repo, 'git-upload-pack', [], {
    protocol: protocolOf(protocol),
    signal,
    idle,
    connected: true,
  });
  git.rates.push(() => (git.idleTime() < transferContendedTime ? undefined : 0));
  void writeWants(git, checkFilters(repo, input));
  return firstBytes(git, () => new GitError('invalid', 'The request could not be answered', git.stderr().trim()));
}

/** Writes what the client wants to git, which may end before the client does. */
async function writeWants(git: GitProcess, input: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  async function* counted(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxWants) git.stop(new GitError('too-large', 'The request is too large'));
      git.touch();
      yield chunk;
    }
  }
  await pipeline(input, counted, git.stdin).catch((error) => {
    if (error instanceof MissingFilter) git.stop(error);
  });
}

/** Pushes: tells the refs, and goes on as a push over HTTP. */
export async function receivePackOver(input: Readable, repo: GitRepository, options: ReceiveOptions): Promise<Readable> {
  const { signal } = options;
  // Pushes have no protocol 2.
  const protocol = protocolOf(options.protocol) === 'version=1' ? 'version=1' : undefined;
  const refs = await listRefs(repo, 'git-receive-pack', { protocol, signal });
  async function* describe() {
    yield* refs;
    yield* await receivePack(repo, input, { ...options, connected: true });
  }
  return Readable.from(describe(), { objectMode: false });
}
