import { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitProcess } from './process.ts';
import { rateWatch } from './rate-watch.ts';

/** The output of a process in parts. If the process couldn't be started, its streams end early, and the reason is thrown. */
export async function* outputOf({ stdout, ended }: GitProcess): AsyncGenerator<Buffer> {
  try {
    yield* stdout as AsyncIterable<Buffer>;
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    throw (isCut && (await ended).cause) || error;
  }
}

/**
 * The output of a process as a stream. It resolves with the first bytes, or when the process has ended successfully. If the
 * process fails before that, this call throws, so that a reply can still have an error status. If it fails later, the stream is
 * destroyed. Destroying the stream ends the process. A reader that is too slow ends both.
 */
export async function firstBytes(git: GitProcess, refusal: (code: number | undefined) => GitError): Promise<Readable> {
  const chunks = outputOf(git);
  const first = await chunks.next();
  const finish = async () => {
    const { code, cause } = await git.ended;
    if (cause) throw cause;
    if (code !== 0) throw refusal(code);
  };
  if (first.done) {
    await finish();
    return Readable.from([]);
  }
  let complete = false;
  const reader = rateWatch(git.limits, git.stop);
  git.rates.push(reader.rate);
  async function* all() {
    try {
      for (let next = first; !next.done; next = await chunks.next()) {
        reader.waiting();
        yield next.value;
        reader.moved(next.value.length);
        git.touch();
      }
    } finally {
      reader.close();
    }
    complete = true;
    await finish();
  }
  const stream = Readable.from(all(), { objectMode: false });
  // The stream may fail before it has other listeners.
  stream.on('error', () => undefined);
  void git.ended.then(({ cause }) => cause && stream.destroy(cause));
  stream.once('close', () => {
    if (!complete) git.stop(new GitError('aborted', 'The reader went away'));
  });
  return stream;
}
