import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { isGitError } from '#git/errors.ts';
import { countCommits, type HistoryFilter, listCommits } from '#git/history/history.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { pathProblem } from '#git/objects/paths.ts';
import type { Repo as Disk } from '#git/repo.ts';
import type { Listed, Page } from '#lib/page.ts';
import { invalid } from '#lib/refusal.ts';
import { findUsersByLogin } from '#resources/accounts/index.ts';

/** What a list of commits is narrowed by, in the words of the query. */
export type CommitRequest = {
  path?: string | undefined;
  author?: string | undefined;
  committer?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/** The history filter that a query means; undefined when nothing can match it. */
export async function filterOf(db: Db, asked: CommitRequest): Promise<HistoryFilter | undefined> {
  const { path = '', author, committer } = asked;
  const people = [author, committer].filter((name) => name !== undefined && !name.includes('@')).map(String);
  const users = people.length === 0 ? [] : await findUsersByLogin(db, people);
  const authors = author === undefined ? undefined : signsOf(author, users);
  const committers = committer === undefined ? undefined : signsOf(committer, users);
  const file = path.replace(/^\/+|\/+$/g, '');
  if (authors?.length === 0 || committers?.length === 0 || (file !== '' && pathProblem(file))) return undefined;
  const since = dateOf('since', asked.since);
  const until = dateOf('until', asked.until);
  return {
    ...(file === '' ? {} : { path: file }),
    ...(authors ? { authors } : {}),
    ...(committers ? { committers } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  };
}

/** The e-mail addresses by which commits are found as somebody's: the given one, or those of the account of that login. */
function signsOf(name: string, users: readonly Account[]): string[] {
  if (name.includes('@')) return [`<${name}>`];
  const account = users.find(({ login }) => login.toLowerCase() === name.toLowerCase());
  if (!account) return [];
  return [...(account.email === null ? [] : [`<${account.email}>`]), `<${account.id}+`];
}

function dateOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw invalid('Commit', field, 'invalid', `${field} is not a date`);
  return date;
}

/** Commits are counted up to this number: beyond it, counting costs much and tells little. */
const maxCounted = 10_000;

/** A page of the history behind a commit, newest first, and how many commits there are. */
export async function listHistory(
  disk: Disk,
  { from, filter, page }: { from: Oid; filter: HistoryFilter; page: Page },
): Promise<Listed<Commit>> {
  const found = await listCommits(disk, { ...filter, from, offset: page.offset, limit: page.limit + 1 });
  const rows = found.slice(0, page.limit);
  if (found.length <= page.limit && (found.length > 0 || page.offset === 0)) return { rows, total: page.offset + rows.length };
  const least = page.offset + found.length;
  const total = await countCommits(disk, { ...filter, from, most: maxCounted }).catch((error: unknown) => {
    // Counting reads the whole history. Where that takes too long, `Link` leads to the next page and not to the last.
    if (isGitError(error, 'timeout')) return least;
    throw error;
  });
  return { rows, total: found.length === 0 ? total : Math.max(total, least) };
}

/** Files of one commit or comparison that can be seen at all, and on one page (the public API's bounds). */
export const maxFiles = 3_000;
export const filesOnPage = 300;

/** The two sides of `base...head`, each with the account that it is in where one is named. */
export type Sides = { base: Side; head: Side };
export type Side = { owner?: string; revision: string };

/** Reads `base...head`; either may be `owner:revision`. */
export function parseBasehead(text: string): Sides | undefined {
  const at = text.indexOf('...');
  if (at <= 0 || at + 3 >= text.length) return undefined;
  return { base: sideOf(text.slice(0, at)), head: sideOf(text.slice(at + 3)) };
}

function sideOf(text: string): Side {
  const colon = text.indexOf(':');
  return colon < 0 ? { revision: text } : { owner: text.slice(0, colon), revision: text.slice(text.lastIndexOf(':') + 1) };
}
