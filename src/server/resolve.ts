import { authorize, type CheckResult, mayRead, type Target } from '#access/authorize.ts';
import { findAccount, findOrg, findRedirectedRepo, findRepo } from '#access/lookup.ts';
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { pathWords, wordsOf } from '#endpoint/path-words.ts';
import { parseWord } from '#endpoint/validate.ts';
import { forbidden, notFound, unauthenticated } from '#lib/refusal.ts';
import { neutralValue } from '#vocabulary/paths.ts';

/** Thrown for a former name of a repository: the request is redirected. */
export class Moved extends Error {
  readonly repo: Repo;
  constructor(repo: Repo) {
    super('Moved Permanently');
    this.repo = repo;
  }
}

type Context = {
  db: Db;
  endpoint: Endpoint;
  viewer: Viewer;
  params: Readonly<Record<string, string>>;
  /** Collects the findings of the decision, for `hearth explain`. */
  trace?: CheckResult[];
};

/**
 * Turns the words of a path into rows and values, and judges access. A word that doesn't fit its schema makes a 404, as a path that
 * doesn't exist. Returns the handler's `at`, and its rows alone.
 */
export async function resolve({ db, endpoint, viewer, params, trace }: Context): Promise<{ at: object; rows: object }> {
  const words = wordsOf(endpoint.path);
  const at: Record<string, unknown> = {};
  for (const word of words) {
    const value = parseWord(pathWords[word], neutralValue(word, params[word] ?? ''));
    if (value === undefined) throw notFound();
    at[word] = value;
  }
  const target = await lookUp({ db, endpoint, viewer, params });
  const decision = authorize(endpoint.access, viewer, target, { write: endpoint.method !== 'GET' }, trace);
  if (!decision.allowed) throw refusals[decision.refusal](decision.message);
  const rows = 'username' in at ? { ...target, user: await findNamed(db, params.username) } : target;
  return { at: { ...at, ...rows }, rows };
}

const refusals = { unauthenticated, forbidden, not_found: notFound };

async function lookUp({ db, endpoint, viewer, params }: Context): Promise<Target & { template?: Repo }> {
  const has = (word: string): boolean => endpoint.path.includes(`{${word}}`);
  if (has('repo')) return { repo: await findOrFollow(db, viewer, params.owner ?? '', params.repo ?? '') };
  if (has('template_repo')) {
    const template = await findOrFollow(db, viewer, params.template_owner ?? '', params.template_repo ?? '');
    return { repo: template, template };
  }
  if (!has('org')) return {};
  const org = await findOrg(db, viewer, params.org ?? '');
  if (!org) throw viewer.grant.kind === 'none' && endpoint.access.public !== true ? unauthenticated() : notFound();
  return { org };
}

/** Unknown and invisible repositories answer alike (document 1, rule 6; security decision 4). */
async function findOrFollow(db: Db, viewer: Viewer, owner: string, name: string): Promise<Repo> {
  const repo = await findRepo(db, viewer, owner, name);
  if (repo) return repo;
  const moved = await findRedirectedRepo(db, viewer, owner, name);
  if (!moved || !mayRead(moved, viewer.grant)) throw notFound();
  throw new Moved(moved);
}

async function findNamed(db: Db, login: string | undefined): Promise<Account> {
  const account = await findAccount(db, login ?? '');
  if (!account) throw notFound();
  return account;
}
