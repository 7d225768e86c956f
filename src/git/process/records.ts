import { periodicYield } from '#lib/turns.ts';
import { GitError } from '../errors.ts';
import type { GitRepository } from '../repo.ts';
import { outputOf } from './output-stream.ts';
import { type StartOptions, startGit } from './process.ts';
import { failure, type RunOptions } from './run.ts';

type RecordOptions = Pick<StartOptions, 'kind' | 'config' | 'timeout'> & {
  /** The byte that ends a record: 0, or 10 for lines. */
  separator: 0 | 10;
  input?: string;
  codes?: RunOptions['codes'];
};

/** In bytes. Only maliciously nested folders have longer paths. */
const maxRecord = 1024 * 1024;

/**
 * Runs a git command and yields its records in batches as they arrive. Git ends when the consumer stops reading, so unread output
 * takes no time.
 */
export async function* readRecords(
  repo: GitRepository,
  args: readonly string[],
  options: RecordOptions,
): AsyncGenerator<Buffer[]> {
  const { commands, transfers, caller } = repo.store;
  const release = await (options.kind === 'transfer' ? transfers : commands).acquire(caller);
  let complete = false;
  try {
    const git = startGit(repo, args, options);
    try {
      git.stdin.end(options.input);
      const yieldTurn = periodicYield();
      let pending: Buffer = Buffer.alloc(0);
      for await (const chunk of outputOf(git)) {
        const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
        const { records, rest } = split(bytes, options.separator);
        if (rest.length > maxRecord) throw new GitError('too-large', 'A name is too long to be read');
        pending = rest;
        if (records.length > 0) yield records;
        // The consumer of a large listing computes for each chunk, and git may already have the next one.
        await yieldTurn();
      }
      const { code, cause } = await git.ended;
      complete = true;
      if (cause) throw cause;
      if (code === undefined || !(options.codes ?? [0]).includes(code)) throw failure(args, git.stderr());
    } finally {
      if (!complete) git.stop(new GitError('aborted', 'The rest is not wanted'));
      await git.ended;
    }
  } finally {
    release();
  }
}

function split(bytes: Buffer, separator: number): { records: Buffer[]; rest: Buffer } {
  const records: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, start)) {
    records.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { records, rest: bytes.subarray(start) };
}
