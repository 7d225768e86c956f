import { readFile } from 'node:fs/promises';
import type { Db } from '#database/connect.ts';
import { keyed } from '#lib/collections.ts';
import { findUsersByLogin } from '#resources/identity/accounts/index.ts';
import type { People } from '#resources/platform/repository-imports/index.ts';
import { sourceToken } from './setting-values.ts';
import { UsageError } from './usage-error.ts';

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads the token from a file. Errors contain neither the file's text nor the token. */
export async function tokenIn(path: string): Promise<string> {
  const text = (await textOf(path)).trim();
  try {
    return sourceToken(text);
  } catch (error) {
    throw new UsageError(`The text of ${path} ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Reads the account mapping from a file: a line `theirs=ours` for each account. Empty lines and lines that begin with `#` are
 * skipped.
 */
export async function peopleIn(db: Db, path: string): Promise<People> {
  const logins = new Map<string, string>();
  for (const [at, text] of (await textOf(path)).split('\n').entries()) {
    const line = text.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, theirs, ours] = /^([^=\s]+)\s*=\s*([^=\s]+)$/.exec(line) ?? [];
    if (theirs === undefined || ours === undefined)
      throw new UsageError(`Line ${at + 1} of ${path} is not of the form theirs=ours`);
    if (logins.has(theirs.toLowerCase())) throw new UsageError(`Line ${at + 1} of ${path} names ${theirs} again`);
    logins.set(theirs.toLowerCase(), ours.toLowerCase());
  }
  const users = keyed(await findUsersByLogin(db, [...logins.values()]), ({ login }) => login.toLowerCase());
  return new Map(
    [...logins].map(([theirs, ours]) => {
      const user = users.get(ours);
      if (!user) throw new UsageError(`${path} names ${ours}, but there is no such user`);
      return [theirs, user];
    }),
  );
}
