import type { Static, TSchema } from 'typebox';
import type { Policy } from '#access/policy.ts';
import type { Media } from '#lib/media.ts';
import type { Call, Handled, Replies } from './call.ts';
import type { Paging } from './paging.ts';
import type { KnownPath, PathResources } from './path-resource.ts';
import type { ApiVersion } from './versions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Limit = 'search' | 'code_search' | 'semantic_search';

/**
 * One endpoint, declared once. The route, the validation, every 401, 403 and 404, the headers, the OpenAPI document, the
 * permissions page and the conformance tests are derived from this.
 */
export type Declaration<
  Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  Answers extends Replies,
  Access extends Policy,
  Lists extends Paging | undefined,
  Resources extends PathResources,
> = {
  /** The public API's operation id. */
  readonly id: string;
  readonly method: Method;
  readonly path: KnownPath<Path, Resources>;
  /** The path resources of the path, apart from accounts and repositories. Their parents are included. */
  readonly resources?: Resources;
  readonly summary: string;
  readonly access: Access;
  readonly query?: Query;
  readonly body?: Body;
  /** A valid body, for the reference page and the derived tests. */
  readonly example?: NoInfer<Static<Body>>;
  /**
   * `file`: the body may carry a file, so its size limit is larger (security decision 10). `text`: the body is a text and not
   * JSON. The handler gets it as `text`. `bytes`: the body is a file of any type. The handler receives it with `upload`.
   */
  readonly carries?: 'file' | 'text' | 'bytes';
  /** The fields of the body may be in the query if the request has no body. Some clients send none with a DELETE. */
  readonly bodyInQuery?: true;
  readonly paging?: Lists;
  readonly media?: readonly Media[];
  /** For each API version that changes the reply, a function that makes the change. */
  readonly since?: { readonly [Version in ApiVersion]?: (body: unknown) => unknown };
  /** The rate limit for a request, if it isn't `core`; a function if it depends on the query. */
  readonly limit?: Limit | ((query: Readonly<Record<string, unknown>>) => Limit);
  /**
   * Document 2, Errors: a path word or page of the wrong type is refused with 400. Omitted: such a word isn't found, and such a
   * page is the first.
   */
  readonly malformed?: 'refused';
  /** Statuses that the rules may refuse with, in addition to those that follow from the declaration. */
  readonly refuses?: readonly (404 | 405 | 409 | 410 | 412 | 422)[];
  readonly replies: Answers;
  /** The reply may hold tens of thousands of items without pages: its JSON is made in turns. */
  readonly isLarge?: true;
  /**
   * For endpoints that clients poll: when the content of the reply last changed. It must be cheap to read. Two changes never
   * share a second. `If-Modified-Since` with exactly this time gets a 304 without calling the handler. Replies have
   * `X-Poll-Interval`.
   */
  lastModified?(call: Call<Path, Query, Body, Access, Resources>): Promise<Date>;
  handle(call: Call<Path, Query, Body, Access, Resources>): Promise<Handled<Answers, Lists>>;
};

/** The input and the replies of an endpoint, as types. */
export type EndpointTypes = {
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
  /** A status and its body. */
  readonly reply: { readonly status: number; readonly body: unknown };
};

declare const types: unique symbol;

/**
 * A declaration for the router, the documents and the tests, whose handler has no types. `Types` are the types of one endpoint,
 * which `server/run.ts` uses. No value has them.
 */
export type Endpoint<Types extends EndpointTypes = EndpointTypes> = Omit<
  Declaration<string, TSchema, TSchema, Replies, Policy, Paging | undefined, PathResources>,
  'path' | 'handle' | 'example' | 'lastModified'
> & {
  readonly path: string;
  readonly example?: unknown;
  lastModified?(call: never): Promise<Date>;
  handle(call: never): Promise<unknown>;
  readonly [types]?: Types;
};

/** The replies of an endpoint, each with its status. */
export type ReplyOf<Answers extends Replies> = {
  [Status in keyof Answers & number]: { readonly status: Status; readonly body: Static<Answers[Status]> };
}[keyof Answers & number];

/**
 * Declares an endpoint. A path word without a resource, or an unknown permission, doesn't compile. The handler's result is
 * checked against the schema of its status.
 *
 * @example
 * export const getThing = endpoint({
 *   id: 'things/get', method: 'GET', path: '/repos/{owner}/{repo}', summary: 'Get a thing',
 *   access: { permission: 'metadata:read', scopes: ['repo'], role: 'read', public: true },
 *   replies: { 200: Thing },
 *   async handle({ at }) { return presentThing(at.repo); },
 * });
 */
export function endpoint<
  const Path extends string,
  Query extends TSchema,
  Body extends TSchema,
  const Answers extends Replies,
  const Access extends Policy,
  Lists extends Paging | undefined = undefined,
  const Resources extends PathResources = readonly [],
>(
  declaration: Declaration<Path, Query, Body, Answers, Access, Lists, Resources>,
): Endpoint<{ path: Path; query: Static<Query>; body: Static<Body>; reply: ReplyOf<Answers> }> {
  return declaration as unknown as Endpoint<never>; // the type of the parameter has checked the handler
}

/** Whether an endpoint concerns the pull requests of a repository, which can be disabled there. */
export const isAboutPulls = ({ path }: Pick<Endpoint, 'path'>): boolean =>
  /^\/repos\/\{owner\}\/\{repo\}\/(commits\/\{commit_sha\}\/)?pulls(\/|$)/.test(path);

export const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'handle' in value && 'path' in value && 'replies' in value;
