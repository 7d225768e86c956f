import { type Expression, sql } from 'kysely';
import { authorize, type CheckResult, mayRead, type Target } from '#access/authorize.ts';
import { findLimit } from '#access/interaction-limits.ts';
import {
  findAccount,
  findAccountById,
  findOrg,
  findRedirectedRepo,
  orgByIdQuery,
  orgByTeamQuery,
  orgQuery,
  repoByIdQuery,
  repoQuery,
  rootId,
} from '#access/lookup.ts';
import { findRow, joined, mapped, type RowQuery, tableRow } from '#access/row-query.ts';
import type { Account, Org, Repo, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { type Endpoint, isAboutPulls } from '#endpoint/endpoint.ts';
import type { Links } from '#endpoint/links.ts';
import { type AnyPathResource, resourcesOf, wordSchemasOf } from '#endpoint/path-resource.ts';
import { type IdRoots, idRootOf, idRoots, rootWords, userById, valueWords, wordsOf } from '#endpoint/path-words.ts';
import { Renamed } from '#endpoint/renamed.ts';
import type { PathRoots, Scope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { parseWord } from '#endpoint/validate.ts';
import { badRequest, forbidden, notFound, orNotFound, type Refusal, unauthenticated } from '#lib/refusal.ts';
import { mayModifySome } from '#resources/code/pushes/index.ts';
import { checkHasPulls } from '#resources/collaboration/issues/index.ts';
import { namedRepositories } from '#resources/repositories/repositories/index.ts';
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

/** Thrown if a path contains a former name of something below a repository: the request is redirected to this path. */
export class MovedBelow extends Error {
  readonly path: string;
  constructor(path: string) {
    super('Moved Permanently');
    this.path = path;
  }
}

type Rows = Readonly<Record<string, unknown>>;
type Roots = Rows & { readonly repo?: Repo };

/** The words of a request's path. */
export type RequestPath = {
  /** The words as they appear in the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The parsed values of the words that match their schemas. */
  readonly values: Rows;
  /** The words that don't match. */
  readonly malformed: readonly string[];
};

export function readPath(endpoint: Endpoint, params: Readonly<Record<string, string>>): RequestPath {
  const values: Record<string, unknown> = {};
  const malformed: string[] = [];
  for (const [word, schema] of wordSchemasOf(endpoint)) {
    const value = parseWord(schema, neutralValue(word, params[word] ?? ''));
    if (value === undefined) malformed.push(word);
    else values[word] = value;
  }
  return { params, values, malformed };
}

/** The result of the first statement for a path: its repository or organization, and the resource below it. */
export type FirstFound = { readonly repo?: Repo; readonly template?: Repo; readonly org?: Org; readonly resource?: unknown };

type QueryContext = {
  db: Db;
  endpoint: Endpoint;
  path: RequestPath;
  now: Date;
  /** The public address of the server, if it is known. Commits identify accounts by addresses on its host. */
  links: Links | undefined;
};

type AuthorizeContext = QueryContext & {
  viewer: Viewer;
  /** The roots of earlier paths in the same scope. */
  known?: PathRoots;
  /** The rows for the path that were read together with the viewer's credential. */
  along?: { readonly row: FirstFound | undefined } | undefined;
  /** Collects the checks of the decision, for `hearth explain`. */
  trace?: CheckResult[];
};

/**
 * The query for a path: its repository or organization, and the first resource below it. Undefined if the path has no such root,
 * or two.
 */
export function firstQuery(context: QueryContext, viewer: Viewer): RowQuery<FirstFound> | undefined {
  const { db, endpoint, path, now } = context;
  if (path.malformed.length > 0) return undefined;
  const [first] = resourcesOf(endpoint);
  const { org, owner = '', repo, template_repo } = path.params;
  const below = (above: 'org' | 'repo' | 'template' | undefined, at: Rows): RowQuery<unknown> | undefined =>
    first?.query && first.below === above ? resourceQuery(first.query({ db, at, viewer, now }, path.values)) : undefined;
  const byId = idRootOf(endpoint.path);
  if (byId) {
    const kind = idRoots[byId];
    return withResource(rootsById[byId](context, viewer), below(kind, { [kind]: { id: rootId } }));
  }
  if (template_repo !== undefined || (org !== undefined && repo !== undefined)) return undefined;
  if (org !== undefined) {
    const root = mapped(orgQuery(db, viewer, org), (row) => ({ org: row }));
    return withResource(root, below('org', { org: { id: rootId } }));
  }
  if (repo !== undefined) {
    const root = mapped(repoQuery(db, viewer, owner, repo, limitLookup(context)), (row) => ({ repo: row }));
    return withResource(root, below('repo', { repo: { id: rootId } }));
  }
  const resource = below(undefined, {});
  return resource && mapped(resource, (row) => ({ resource: row }));
}

const withResource = (root: RowQuery<FirstFound>, resource: RowQuery<unknown> | undefined): RowQuery<FirstFound> =>
  resource ? mapped(joined(root, resource), (found) => ({ ...found.above, resource: found.below })) : root;

type Authorized = {
  /** The rows of the accounts and repositories in the path. */
  roots: Roots;
  /** The first resource below them, if the same statement read it. */
  first?: { readonly resource?: unknown };
};

/**
 * Looks up the accounts and repositories of a path, and decides about access.
 * @throws Refusal 401, 403 or 404; also 404 for a word that doesn't match its schema, or 400 if the endpoint declares that
 * @throws Moved for a former name of a repository
 */
export async function authorizePath(context: AuthorizeContext): Promise<Authorized> {
  const { db, endpoint, viewer, path, trace } = context;
  const { malformed } = path;
  if (malformed.some((word) => endpoint.malformed !== 'refused' || isRootWord(endpoint, word))) throw notFound();
  const known = knownRoot(context);
  const query = context.along || known ? undefined : firstQuery(context, viewer);
  const asked = context.along ?? known ?? (query && { row: await findRow(db, query) });
  const target = await withLimit(context, await findTarget(context, asked));
  rememberRoot(context, target);
  const decision = authorize(endpoint.access, viewer, target, { write: endpoint.method !== 'GET' }, trace);
  if (!decision.allowed && !(decision.refusal === 'forbidden' && (await mayModifyHeads(context, target))))
    throw refusals[decision.refusal](decision.message);
  if (malformed.length > 0) throw badRequest(`${malformed.join(', ')} is not well-formed`);
  const user = await findNamedAccount(context);
  const roots = user ? { ...target, user } : target;
  return { roots, ...(asked?.row && 'resource' in asked.row ? { first: asked.row } : {}) };
}

/** The words that name the only root of a path, as one text; undefined if it has none, or two. */
function rootKeyOf({ endpoint, path: { params } }: QueryContext): string | undefined {
  const byId = idRootOf(endpoint.path);
  if (byId) return params.repo === undefined ? `${byId} ${params[wordsOf(byId)[0] ?? '']}` : undefined;
  const { org, owner, repo, template_repo } = params;
  if (template_repo !== undefined || (org === undefined) === (repo === undefined)) return undefined;
  return (repo === undefined ? `org ${org}` : `repo ${owner}/${repo}`).toLowerCase();
}

/** The root of the path, if an earlier path of the scope had the same root with all the data that this path needs. */
function knownRoot(context: AuthorizeContext): { readonly row: FirstFound } | undefined {
  const key = context.known && rootKeyOf(context);
  const root = key === undefined ? undefined : context.known?.get(key);
  if (!root || (limitLookup(context) && !root.hasLimit)) return undefined;
  const { hasLimit: _, ...row } = root;
  return { row };
}

function rememberRoot(context: AuthorizeContext, { repo, org, template }: Target & { template?: Repo }): void {
  const key = context.known && rootKeyOf(context);
  if (key === undefined || (!repo && !org)) return;
  const root = { ...(repo ? { repo } : {}), ...(org ? { org } : {}), ...(template ? { template } : {}) };
  const hasLimit = limitLookup(context) !== undefined || context.known?.get(key)?.hasLimit === true;
  context.known?.set(key, { ...root, hasLimit });
}

/** Whether a path word names something that access is decided about. */
const isRootWord = ({ path }: Endpoint, word: string): boolean =>
  Object.hasOwn(rootWords, word) || wordsOf(idRootOf(path) ?? '').includes(word);

/**
 * Whether the caller, who may not write to the repository, may move the head of some pull request in it, if the endpoint allows
 * that.
 */
async function mayModifyHeads({ db, endpoint, viewer, trace }: AuthorizeContext, { repo }: Target): Promise<boolean> {
  if (endpoint.access.heads === undefined || !repo) return false;
  const passed = await mayModifySome(db, viewer, repo);
  trace?.push({ check: 'modifiable head', passed, because: 'an open pull request lets others move its head here' });
  return passed;
}

const refusals = { unauthenticated, forbidden, not_found: notFound };

type ResolveContext = AuthorizeContext & { services: Services };

export type Resolved = {
  /** The handler's `at`. */
  at: Rows;
  /** Only the rows of accounts and repositories. */
  roots: Roots;
  /** Reads the last resource of the path again in a transaction, and locks its row. */
  lock(tx: Tx): Promise<Rows>;
};

/** Decides about access to a path, and then finds its resources, each below its parent. @throws like `authorizePath` */
export async function resolve(context: ResolveContext): Promise<Resolved> {
  const { endpoint, path } = context;
  const { roots, first } = await authorizePath(context);
  if (roots.repo && isAboutPulls(endpoint)) checkHasPulls(roots.repo);
  const resources = resourcesOf(endpoint);
  const values = Object.entries(path.values).filter(([word]) => Object.hasOwn(valueWords, word));
  let at: Rows = { ...Object.fromEntries(values), ...roots };
  for (const [position, resource] of resources.entries()) {
    const found = first && position === 0 ? first.resource : await findResource(context, resource, at);
    resource.require?.(at, found);
    at = { ...at, [resource.name]: orNotFound(found) };
  }
  const last = resources.at(-1);
  return {
    at,
    roots,
    async lock(tx) {
      return last?.lock ? { ...at, [last.name]: orNotFound(await last.lock(tx, at)) } : at;
    },
  };
}

/** Primes the loaders of a scope with the rows of the path, so that they aren't loaded again. */
export function primePath({ load }: Scope, endpoint: Endpoint, at: Rows): void {
  for (const repo of [at.repo, at.template] as (Repo | undefined)[]) if (repo) load.prime(namedRepositories, [[repo.id, repo]]);
  for (const { name, loader } of resourcesOf(endpoint)) {
    const row = at[name] as { id: unknown };
    if (loader) load.prime<unknown, unknown>(loader, [[row.id, row]]);
  }
}

/** Primes the loaders of a change with the locked row of the path. */
export function primeLocked({ load }: Scope, endpoint: Endpoint, at: Rows): void {
  const last = resourcesOf(endpoint).at(-1);
  if (!last?.lock || !last.loader) return;
  const row = at[last.name] as { id: unknown };
  load.prime<unknown, unknown>(last.loader, [[row.id, row]]);
}

/** Finds a resource of the path. @throws MovedBelow for its former name */
async function findResource(context: ResolveContext, resource: AnyPathResource, at: Rows): Promise<unknown> {
  const { db, viewer, services, now, endpoint, path } = context;
  if (resource.query) return findRow(db, resourceQuery(resource.query({ db, at, viewer, now }, path.values)));
  try {
    return await resource.find({ db, at, viewer, services, now }, path.values);
  } catch (error) {
    if (!(error instanceof Renamed)) throw error;
    const names: Readonly<Record<string, string>> = { ...path.params, [error.word]: error.newName };
    throw new MovedBelow(endpoint.path.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(names[word] ?? '')));
  }
}

const resourceQuery = (select: Expression<unknown>): RowQuery<unknown> => tableRow(sql`${select}`);

/**
 * The target of the access decision: the repositories and organizations of the path. `asked` has the only one, if the first
 * statement looked it up.
 */
async function findTarget(
  context: AuthorizeContext,
  asked: { readonly row: FirstFound | undefined } | undefined,
): Promise<Target & { template?: Repo }> {
  const { db, endpoint, viewer, path } = context;
  const { org, owner = '', repo, template_owner = '', template_repo } = path.params;
  const byId = idRootOf(endpoint.path);
  if (byId) {
    const found = asked ? asked.row : await findRow(db, rootsById[byId](context, viewer));
    if (!found) throw idRoots[byId] === 'org' ? unknownRoot(context) : notFound();
    const { resource: _resource, ...root } = found;
    return repo === undefined ? root : { ...root, repo: await findOrFollow(context, owner, repo) };
  }
  if (template_repo !== undefined) {
    const template = await findOrFollow(context, template_owner, template_repo);
    return { repo: template, template };
  }
  const target: Target = {};
  if (org !== undefined) {
    const found = asked ? asked.row?.org : await findOrg(db, viewer, org);
    if (!found) throw unknownRoot(context);
    target.org = found;
  }
  if (repo !== undefined) target.repo = asked?.row?.repo ?? (await findOrFollow(context, owner, repo, asked));
  return target;
}

/** If nothing is public, anonymous viewers are asked to sign in. */
const unknownRoot = ({ viewer, endpoint }: AuthorizeContext): Refusal =>
  viewer.grant.kind === 'none' && endpoint.access.public !== true ? unauthenticated() : notFound();

/** The lookups of roots by id. Ids don't change with names, so nothing is redirected. */
const rootsById: { readonly [Beginning in keyof IdRoots]: (context: QueryContext, viewer: Viewer) => RowQuery<FirstFound> } = {
  '/repositories/{repository_id}': (context, viewer) =>
    mapped(repoByIdQuery(context.db, viewer, Number(context.path.params.repository_id), limitLookup(context)), (row) => ({
      repo: row,
    })),
  '/repositories/{template_id}': ({ db, path }, viewer) =>
    mapped(repoByIdQuery(db, viewer, Number(path.params.template_id)), (row) => ({ repo: row, template: row })),
  '/organizations/{organization_id}': ({ db, path }, viewer) =>
    mapped(orgByIdQuery(db, viewer, Number(path.params.organization_id)), (row) => ({ org: row })),
  '/teams/{team_id}': ({ db, path }, viewer) =>
    mapped(orgByTeamQuery(db, viewer, Number(path.params.team_id)), (row) => ({ org: row })),
};

/** Unknown and invisible repositories get the same reply (document 1, rule 6; security decision 4). */
async function findOrFollow(context: AuthorizeContext, owner: string, name: string, asked?: object): Promise<Repo> {
  const { db, viewer } = context;
  const repo = asked ? undefined : await findRow(db, repoQuery(db, viewer, owner, name, limitLookup(context)));
  if (repo) return repo;
  const moved = await findRedirectedRepo(db, viewer, owner, name);
  if (!moved || !mayRead(moved, viewer.grant)) throw notFound();
  throw new Moved(moved);
}

/** Whether to look up the repository's limit, which is needed if the endpoint is an interaction. */
const limitLookup = ({ endpoint, now }: QueryContext): { now: Date } | undefined =>
  endpoint.access.interaction === true ? { now } : undefined;

/**
 * The target with the data that decides whether a limit on interactions excludes the viewer. It takes a statement only if a limit
 * is in force, which is rare.
 */
async function withLimit(context: AuthorizeContext, target: Target): Promise<Target> {
  const { db, now, links, viewer } = context;
  const { account, grant } = viewer;
  const { repo } = target;
  const inForce = repo?.interaction?.inForce;
  if (!repo || !inForce || grant.kind === 'installation') return target;
  const host = links && new URL(links.html).hostname;
  const hasCommits = account ? hasCommitsBy(account, host) : sql<boolean>`false`;
  const limit = await findLimit(db, inForce, { repository: repo.id, account, hasCommits, now });
  return { ...target, repo: { ...repo, interaction: { inForce, limit } } };
}

/** The account that a path names by login or id, if any. @throws Refusal 404 */
async function findNamedAccount({ db, endpoint, path: { params } }: AuthorizeContext): Promise<Account | undefined> {
  if (endpoint.path.startsWith(userById)) return orNotFound(await findAccountById(db, Number(params.user_id)));
  return 'username' in params ? orNotFound(await findAccount(db, params.username ?? '')) : undefined;
}
