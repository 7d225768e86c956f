import { sql } from 'kysely';
import { authorize, type CheckResult, mayRead, type Target } from '#access/authorize.ts';
import type { LimitLookup } from '#access/interaction-limits.ts';
import { findAccount, findOrg, findRedirectedRepo, findRepo, findRepoById } from '#access/lookup.ts';
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import { type AnyPathResource, resourcesOf, wordSchemasOf } from '#endpoint/path-resource.ts';
import { type IdRoots, idRootOf, rootWords, valueWords } from '#endpoint/path-words.ts';
import { Renamed } from '#endpoint/renamed.ts';
import type { Services } from '#endpoint/services.ts';
import { parseWord } from '#endpoint/validate.ts';
import { badRequest, forbidden, notFound, orNotFound, unauthenticated } from '#lib/refusal.ts';
import { hasCommitsBy } from '#search/index.ts';
import { neutralValue } from '#vocabulary/paths.ts';

/** Thrown for a former name of a repository: the request is redirected. */
export class Moved extends Error {
  readonly repo: Repo;
  constructor(repo: Repo) {
    super('Moved Permanently');
    this.repo = repo;
  }
}

/** Thrown where a path holds a former name of what stands below a repository: the request is redirected to this path. */
export class MovedBelow extends Error {
  readonly path: string;
  constructor(path: string) {
    super('Moved Permanently');
    this.path = path;
  }
}

type Rows = Readonly<Record<string, unknown>>;

type Authorized = {
  /** The rows of accounts and repositories that the path names. */
  roots: Rows;
  /** The parsed values of all words. */
  words: Rows;
};

type AuthorizeContext = {
  db: Db;
  endpoint: Endpoint;
  viewer: Viewer;
  params: Readonly<Record<string, string>>;
  now: Date;
  /** Where people reach the server, where that is known: commits tell accounts by addresses on its host. */
  links: Links | undefined;
  /** Collects the checks of the decision, for `hearth explain`. */
  trace?: CheckResult[];
};

/**
 * Looks up the accounts and repositories of a path, and decides about access.
 * @throws Refusal 401, 403 or 404; also 404 for a word that doesn't match its schema, or 400 where the endpoint says so
 * @throws Moved for a former name of a repository
 */
export async function authorizePath(context: AuthorizeContext): Promise<Authorized> {
  const { db, endpoint, viewer, params, trace } = context;
  const words: Record<string, unknown> = {};
  const malformed: string[] = [];
  for (const [word, schema] of wordSchemasOf(endpoint)) {
    const value = parseWord(schema, neutralValue(word, params[word] ?? ''));
    if (value === undefined && (endpoint.malformed !== 'refused' || Object.hasOwn(rootWords, word))) throw notFound();
    if (value === undefined) malformed.push(word);
    else words[word] = value;
  }
  const target = await findTarget(context);
  const decision = authorize(endpoint.access, viewer, target, { write: endpoint.method !== 'GET' }, trace);
  if (!decision.allowed) throw refusals[decision.refusal](decision.message);
  if (malformed.length > 0) throw badRequest(`${malformed.join(', ')} is not well-formed`);
  const roots = 'username' in words ? { ...target, user: await findAccountOrThrow(db, params.username) } : target;
  return { roots, words };
}

const refusals = { unauthenticated, forbidden, not_found: notFound };

type ResolveContext = AuthorizeContext & { services: Services };

export type Resolved = {
  /** The handler's `at`. */
  at: Rows;
  /** The rows of accounts and repositories alone. */
  roots: Rows;
  /** Reads the last resource of the path again in a transaction, with its row locked. */
  lock(tx: Tx): Promise<Rows>;
};

/** Decides about access to a path, and then finds its resources, each below its parent. @throws as `authorizePath` does */
export async function resolve(context: ResolveContext): Promise<Resolved> {
  const { endpoint } = context;
  const { roots, words } = await authorizePath(context);
  const resources = resourcesOf(endpoint);
  const values = Object.entries(words).filter(([word]) => Object.hasOwn(valueWords, word));
  let at: Rows = { ...Object.fromEntries(values), ...roots };
  for (const resource of resources)
    at = { ...at, [resource.name]: orNotFound(await findOrRedirect(context, resource, at, words)) };
  const last = resources.at(-1);
  return {
    at,
    roots,
    async lock(tx) {
      return last?.lock ? { ...at, [last.name]: orNotFound(await last.lock(tx, at)) } : at;
    },
  };
}

/** Finds a resource of the path. @throws MovedBelow for a former name of it */
async function findOrRedirect(context: ResolveContext, resource: AnyPathResource, at: Rows, words: Rows): Promise<unknown> {
  const { db, viewer, services, now, endpoint, params } = context;
  try {
    return await resource.find({ db, at, viewer, services, now }, words);
  } catch (error) {
    if (!(error instanceof Renamed)) throw error;
    const names: Readonly<Record<string, string>> = { ...params, [error.word]: error.newName };
    throw new MovedBelow(endpoint.path.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(names[word] ?? '')));
  }
}

/** What access is decided about: the repositories and organizations of the path. */
async function findTarget(context: AuthorizeContext): Promise<Target & { template?: Repo }> {
  const { db, endpoint, viewer, params } = context;
  const byId = idRootOf(endpoint.path);
  if (byId) return rootsById[byId](context);
  const has = (word: string): boolean => endpoint.path.includes(`{${word}}`);
  if (has('template_repo')) {
    const template = await findOrFollow(context, params.template_owner ?? '', params.template_repo ?? '');
    return { repo: template, template };
  }
  const target: Target = {};
  if (has('org')) {
    const org = await findOrg(db, viewer, params.org ?? '');
    if (!org) throw viewer.grant.kind === 'none' && endpoint.access.public !== true ? unauthenticated() : notFound();
    target.org = org;
  }
  if (has('repo')) target.repo = await findOrFollow(context, params.owner ?? '', params.repo ?? '');
  return target;
}

/** How roots are found by the ids of paths. Ids stay when names change, so that nothing is redirected. */
const rootsById: { readonly [Beginning in keyof IdRoots]: (context: AuthorizeContext) => Promise<Target> } = {
  '/repositories/{repository_id}': async (context) => {
    const { db, viewer, params } = context;
    return { repo: orNotFound(await findRepoById(db, viewer, Number(params.repository_id), limitLookup(context))) };
  },
};

/** Unknown and invisible repositories answer alike (document 1, rule 6; security decision 4). */
async function findOrFollow(context: AuthorizeContext, owner: string, name: string): Promise<Repo> {
  const { db, viewer } = context;
  const repo = await findRepo(db, viewer, owner, name, limitLookup(context));
  if (repo) return repo;
  const moved = await findRedirectedRepo(db, viewer, owner, name);
  if (!moved || !mayRead(moved, viewer.grant)) throw notFound();
  throw new Moved(moved);
}

/** How the limit of the repository is looked up, where the endpoint is an interaction. */
function limitLookup({ endpoint, viewer: { account }, now, links }: AuthorizeContext): LimitLookup | undefined {
  if (endpoint.access.interaction !== true) return undefined;
  const host = links && new URL(links.html).hostname;
  return { now, hasCommits: account ? hasCommitsBy(account, host) : sql<boolean>`false` };
}

async function findAccountOrThrow(db: Db, login: string | undefined): Promise<Account> {
  return orNotFound(await findAccount(db, login ?? ''));
}
