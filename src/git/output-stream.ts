import { Readable } from 'node:stream';
import { GitError } from './errors.ts';
import type { GitProcess } from './process.ts';

/**
 * A process's output as a stream, given once its first bytes are there or it has ended well. A process that fails before
 * is an error of the call (so that no reply has begun); one that fails later breaks the stream. Destroying the stream
 * ends the process.
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
  async function* all() {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      git.touch();
      yield next.value;
    }
    complete = true;
    await finish();
  }
  const stream = Readable.from(all(), { objectMode: false });
  stream.once('close', () => {
    if (!complete) git.stop(new GitError('aborted', 'The reader went away'));
  });
  return stream;
}
