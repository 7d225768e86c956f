import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { countCommits, type HistoryFilter, listCommits } from '#git/history/history.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { pathProblem } from '#git/objects/paths.ts';
import type { GitRepository } from '#git/repo.ts';
import { gather } from '#lib/collections.ts';
import type { Listed, Page } from '#lib/page.ts';
import { invalid } from '#lib/refusal.ts';
import { trimOf } from '#lib/trim.ts';
import { findUsersByLogin, loadVerifiedEmails } from '#resources/identity/accounts/index.ts';

/** The parameters that filter a list of commits. */
type CommitQuery = {
  path?: string | undefined;
  author?: string | undefined;
  committer?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** The history filter of a query; undefined if no commit can match. */
export async function filterOf(db: Db, query: CommitQuery): Promise<HistoryFilter | undefined> {
  const { path = '', author, committer } = query;
  const logins = [author, committer].filter((name) => name !== undefined && !name.includes('@')).map(String);
  const users = logins.length === 0 ? [] : await findUsersByLogin(db, logins);
  const emails = await loadVerifiedEmails(db, gather(users, 'id'));
  const authors = author === undefined ? undefined : emailPatternsOf(author, { users, emails });
  const committers = committer === undefined ? undefined : emailPatternsOf(committer, { users, emails });
  const file = trimOf(path, '/');
  if (authors?.length === 0 || committers?.length === 0 || (file !== '' && pathProblem(file))) return undefined;
  const since = dateOf('since', query.since);
  const until = dateOf('until', query.until);
  return {
    ...(file === '' ? {} : { path: file }),
    ...(authors ? { authors } : {}),
    ...(committers ? { committers } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  };
}

type People = { users: readonly Account[]; emails: ReadonlyMap<Account['id'], readonly string[]> };

/**
 * Patterns for the e-mail address of an author or committer: the given address, or the addresses of the account with this login.
 */
function emailPatternsOf(name: string, { users, emails }: People): string[] {
  if (name.includes('@')) return [`<${name}>`];
  const account = users.find(({ login }) => login.toLowerCase() === name.toLowerCase());
  if (!account) return [];
  return [...(emails.get(account.id) ?? []).map((email) => `<${email}>`), `<${account.id}+`];
}

function dateOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw invalid('Commit', field, 'invalid', `${field} is not a date`);
  return date;
}

/** Commits are counted up to this number, since counting more is slow. */
const maxCounted = 10_000;

/** A page of the history of a commit, newest first, and how many commits there are. */
export async function listHistory(
  gitRepository: GitRepository,
  { from, filter, page }: { from: Oid; filter: HistoryFilter; page: Page },
): Promise<Listed<Commit>> {
  const found = await listCommits(gitRepository, { ...filter, from, offset: page.offset, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  if (found.length <= page.limit && (found.length > 0 || page.offset === 0)) return { rows, total: page.offset + rows.length };
  const minTotal = page.offset + found.length;
  const total = await countCommits(gitRepository, { ...filter, from, maxCount: maxCounted }).catch((error: unknown) => {
    // Counting reads the whole history. If it times out, `Link` has the next page but not the last one.
    if (isGitError(error, 'timeout')) return minTotal;
    throw error;
  });
  return { rows, total: found.length === 0 ? total : Math.max(total, minTotal) };
}

/** The number of files shown of a commit or comparison, in all and on one page (the public API's limits). */
export const maxFiles = 3_000;
export const filesOnPage = 300;

/** The two sides of `base...head`, each with the owner of its repository if one is named. */
type Sides = { base: Side; head: Side };
export type Side = { owner?: string; revision: string };

/** Parses `base...head`; either may be `owner:revision`. */
export function parseBasehead(text: string): Sides | undefined {
  const at = text.indexOf('...');
  if (at <= 0 || at + 3 >= text.length) return undefined;
  return { base: sideOf(text.slice(0, at)), head: sideOf(text.slice(at + 3)) };
}

function sideOf(text: string): Side {
  const colon = text.indexOf(':');
  return colon < 0 ? { revision: text } : { owner: text.slice(0, colon), revision: text.slice(text.lastIndexOf(':') + 1) };
}
