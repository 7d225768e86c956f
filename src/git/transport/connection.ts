import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError } from '../errors.ts';
import { firstBytes } from '../process/output-stream.ts';
import type { GitProcess } from '../process/process.ts';
import type { GitRepository } from '../repo.ts';
import { checkFilters, MissingFilter } from './fetch-filter.ts';
import { type ReceiveOptions, receivePack } from './receive-pack.ts';
import { type ExchangeOptions, listRefs, maxWants, protocolOf, startService } from './smart-http.ts';

/** Git's services over a connection that stays open, such as SSH. Both take the client's input, and return the output for it. */

/**
 * Serves fetches. If no bytes move for `git.transferRateTime`, the fetch ends. It is unknown whether the client or git is slow,
 * but git sends progress every few seconds.
 */
export async function uploadPackOver(input: Readable, repo: GitRepository, options: ExchangeOptions): Promise<Readable> {
  const { protocol, signal, recheck } = options;
  const { transferRateTime: idle, transferContendedTime } = repo.store.limits;
  const git = await startService(repo, 'git-upload-pack', [], {
    protocol: protocolOf(protocol),
    signal,
    recheck,
    idle,
    connected: true,
  });
  git.rates.push(() => (git.idleTime() < transferContendedTime ? undefined : 0));
  void writeWants(git, checkFilters(repo, input));
  return firstBytes(git, () => new GitError('invalid', 'The request could not be answered', git.stderr().trim()));
}

/** Writes the client's request to git, which may end before the client does. */
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

/** Serves pushes: sends the refs, and continues like a push over HTTP. */
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
