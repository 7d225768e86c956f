import { type Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { GitError } from '../errors.ts';

const uncheckedBytes = 1024 * 1024;
const maxRatio = 100;

/** Decompresses a gzip request body. It fails with `too-large` beyond a ratio of 100, which no Git client reaches. */
export function gunzip(body: Readable): Readable {
  let packed = 0;
  let plain = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      packed += chunk.length;
      done(null, chunk);
    },
  });
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      plain += chunk.length;
      const isTooLarge = plain > uncheckedBytes && plain > packed * maxRatio;
      done(isTooLarge ? new GitError('too-large', 'The request unpacks to too much') : null, chunk);
    },
  });
  const unpack = createGunzip();
  const fail = (error: Error) =>
    check.destroy(error instanceof GitError ? error : new GitError('invalid', 'The request is not gzip', String(error)));
  const abort = (error: Error) => check.destroy(new GitError('aborted', 'The request broke off', String(error)));
  body.once('error', abort);
  body.once('close', () => !body.readableEnded && abort(new Error('closed')));
  unpack.once('error', fail);
  check.once('close', () => {
    count.destroy();
    unpack.destroy();
  });
  return body.pipe(count).pipe(unpack).pipe(check);
}
