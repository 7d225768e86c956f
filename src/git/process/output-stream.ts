import { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitProcess } from './process.ts';
import { rateWatch } from './rate-watch.ts';

/**
 * A process's output as a stream, given once its first bytes are there or it has ended well. A process that fails before
 * is an error of the call (so that no reply has begun); one that fails later breaks the stream. Destroying the stream
 * ends the process, and a limit that ends the process destroys the stream; so does a reader who is too slow.
 */
export async function firstBytes(git: GitProcess, refusal: (code: number | undefined) => GitError): Promise<Readable> {
  const chunks = git.stdout[Symbol.asyncIterator]();
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
  // The stream may break before anybody listens to it.
  stream.on('error', () => undefined);
  void git.ended.then(({ cause }) => cause && stream.destroy(cause));
  stream.once('close', () => {
    if (!complete) git.stop(new GitError('aborted', 'The reader went away'));
  });
  return stream;
}
