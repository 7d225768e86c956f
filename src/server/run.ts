// Runs an endpoint: decides about access, finds the resources of its path, validates, and calls its handler. It serves HTTP
// requests, and pages that read endpoints.
import type { Authenticated } from '#access/authenticate.ts';
import type { Repo } from '#access/viewer.ts';
import { change } from '#database/connect.ts';
import { type CallWriteScope, isRaw, type Raw, reply, type Upload } from '#endpoint/call.ts';
import type { Endpoint, EndpointTypes } from '#endpoint/endpoint.ts';
import { checkPaging, type ListPosition, pageOf } from '#endpoint/paging.ts';
import type { WordsOf } from '#endpoint/path-words.ts';
import { recordingRefusals } from '#endpoint/recorded-refusal.ts';
import { forgetAll, type Needs, type Scope, scopeIn, writeScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { parseBody, parseQuery } from '#endpoint/validate.ts';
import { type ApiVersion, apiVersions } from '#endpoint/versions.ts';
import type { Caller } from '#lib/caller.ts';
import type { Json } from '#lib/json-reader.ts';
import type { Media } from '#lib/media.ts';
import type { Page } from '#lib/page.ts';
import { replyBody, showsTotal } from './reply-body.ts';
import { type FirstFound, primeLocked, primePath, type RequestPath, type Resolved, readPath, resolve } from './resolve.ts';

/** The context of endpoint runs. Several may use the same context, and share its scope. */
export type RunContext = {
  readonly scope: Scope;
  readonly services: Services;
  /** Searches and git processes count against this caller. */
  readonly caller: Caller;
  /** The network address of the client. */
  readonly address: string;
};

/** The input of one endpoint. */
type RunInput = {
  readonly path: RequestPath;
  /** The rows for the path that the credential's statement found. */
  readonly along?: Authenticated<FirstFound>['along'];
  readonly query: Readonly<Record<string, unknown>>;
  readonly version: ApiVersion;
  /** Reads the body; undefined if the request has no body. It is called after access is decided. */
  readBody(): Promise<Json | undefined>;
  /** Reads the body of an endpoint that takes a text. */
  readText(): Promise<string>;
  readonly upload: Upload;
  /** Called with the repository of the path as soon as it is known. */
  onRepository?(repository: Repo): void;
};

/** A prepared handler call. */
export type PreparedCall = { readonly call: unknown; readonly page: Page };

/**
 * Decides about access, finds the resources of the path, and validates query and body.
 * @throws Refusal 401, 403, 404, 400 or 422
 * @throws Moved for a former name
 */
export async function prepareCall(endpoint: Endpoint, context: RunContext, input: RunInput): Promise<PreparedCall> {
  const { services, caller, address } = context;
  const { path, along, query, version } = input;
  const given = scopeIn(context.scope, mediaOf(endpoint, context.scope));
  const { db, viewer, now, links, roots: known } = given;
  const resolved = await resolve({ db, endpoint, viewer, path, along, services, now, links, known });
  const { at, roots } = resolved;
  if (roots.repo) input.onRepository?.(roots.repo);
  if (endpoint.paging && endpoint.malformed === 'refused') checkPaging(endpoint.paging, query);
  const page: Page = endpoint.paging
    ? pageOf(endpoint.paging, query, { showsTotal: showsTotal(endpoint) })
    : { limit: 0, offset: 0, number: 1 };
  const resource = resourceOf(endpoint);
  const parsedQuery = endpoint.query ? parseQuery(endpoint.query, query, resource) : {};
  primePath(given, endpoint, at);
  const scope = { ...given, services, change: changeOf(endpoint, { ...given, services }, resolved) };
  const call = {
    ...scope,
    scope,
    at,
    query: parsedQuery,
    body: endpoint.body ? await parseBody(endpoint.body, await givenBody(endpoint, input), resource) : {},
    text: endpoint.carries === 'text' ? await input.readText() : '',
    upload: input.upload,
    page,
    action: { ...roots, by: viewer, now },
    version,
    caller,
    address,
    reply,
  };
  return { call, page };
}

/** The media type of an endpoint's texts: the scope's type if the endpoint supports it. */
const mediaOf = (endpoint: Endpoint, { media }: Scope): Media => (endpoint.media?.includes(media) ? media : 'json');

type Changing = <T>(work: (scope: CallWriteScope, at: object) => Promise<T>) => Promise<T>;

/**
 * Runs a change with the last row of the path locked. The scope of the change knows only this row. Afterwards, only the rows of
 * the path are still cached.
 */
const changeOf =
  (endpoint: Endpoint, scope: Scope & Needs<keyof Services>, { at, lock }: Resolved): Changing =>
  async (work) => {
    const result = await recordingRefusals(scope, () =>
      change(scope.db, async (tx) => {
        const locked = await lock(tx);
        const within = writeScope(scope, tx);
        primeLocked(within, endpoint, locked);
        return work(within, locked);
      }),
    );
    forgetAll(scope);
    primePath(scope, endpoint, at);
    return result;
  };

// the declaration has checked the types of a single endpoint, which aren't known here
export const callHandler = (endpoint: Endpoint, { call }: PreparedCall): Promise<unknown> => endpoint.handle(call as never);

/** The body of a request, or its query if the endpoint takes the fields from there. A number in the query stays a text. */
async function givenBody({ bodyInQuery }: Endpoint, { query, readBody }: RunInput): Promise<Json | undefined> {
  const body = await readBody();
  if (body || !bodyInQuery) return body;
  return { value: query, size: 1 + Object.values(query).flat().length, hasNul: true }; // possibly, so it is checked
}

/**
 * The `resource` of an endpoint's errors: the title of its body's or its query's schema, or otherwise a name made from its id.
 */
const resourceOf = ({ id, body, query }: Endpoint): string => titleOf(body) ?? titleOf(query) ?? id.replace(/^.*\//, '');

const titleOf = (schema: { title?: string } | undefined): string | undefined => schema?.title;

/** The words of a path, as in an address. */
type PathWords<Path extends string> = { readonly [Word in WordsOf<Path>]: string | number };

type RunOptions<Types extends EndpointTypes> = {
  readonly query?: Partial<Types['query']> & { readonly per_page?: number; readonly page?: number };
  readonly body?: Partial<Types['body']>;
  readonly media?: Media;
};

/** A status with its body, as in the API, and the position of the page if the body is a list. */
type RunReply<Types extends EndpointTypes> = Types['reply'] & { readonly list?: ListPosition };

/**
 * Runs an endpoint within the process, with the same access decision, validation and handler as a request. If several endpoints
 * of one scope name the same rows, these are read once, and each endpoint decides for itself about access.
 * @throws Refusal if a request would be refused
 * @throws Error for an endpoint that replies with bytes, or receives a file
 *
 * @example
 * const { body } = await run(getIssue, context, { owner: 'acme', repo: 'engine', issue_number: 1 });
 */
export async function run<Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  context: RunContext,
  words: PathWords<Types['path']>,
  { query = {}, body, media }: RunOptions<Types> = {},
): Promise<RunReply<Types>> {
  const { prepared, handled } = await callWithin(endpoint, context, words, { query, body, media });
  if (isRaw(handled)) return notWithin(endpoint);
  // the type system has checked the handler against the replies
  return replyBody(endpoint, handled, prepared.page) as RunReply<Types>;
}

/**
 * Runs an endpoint that replies with bytes or a redirect, for an address beside the pages.
 * @throws Refusal if a request would be refused
 * @throws Error for another endpoint
 */
export async function runRaw<Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  context: RunContext,
  words: PathWords<Types['path']>,
  options: Pick<RunOptions<Types>, 'media'> = {},
): Promise<Raw> {
  const { handled } = await callWithin(endpoint, context, words, options);
  if (!isRaw(handled)) throw new Error(`${endpoint.id} doesn't reply with bytes`);
  return handled;
}

/** Decides about access, and calls the handler, without a request of its own. */
async function callWithin<Types extends EndpointTypes>(
  endpoint: Endpoint<Types>,
  context: RunContext,
  words: PathWords<Types['path']>,
  { query = {}, body, media }: RunOptions<Types>,
): Promise<{ prepared: PreparedCall; handled: unknown }> {
  const params = Object.fromEntries(Object.entries(words).map(([word, value]) => [word, String(value)]));
  const within = media === undefined ? context : { ...context, scope: scopeIn(context.scope, media) };
  const prepared = await prepareCall(endpoint, within, {
    path: readPath(endpoint, params),
    query: textsOf(query),
    version: apiVersions[0],
    readBody: async () => (body === undefined ? undefined : { value: body, size: countValues(body), hasNul: true }),
    readText: () => notWithin(endpoint),
    upload: { contentType: undefined, receive: () => notWithin(endpoint) },
  });
  return { prepared, handled: await callHandler(endpoint, prepared) };
}

/** A query as an address has it: values are texts, and absent ones are left out. */
const textsOf = (query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.map(String) : String(value)]],
    ),
  );

/** The number of values in a value, including itself. */
const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, one) => sum + countValues(one), 1) : 1;

const notWithin = ({ id }: Endpoint): never => {
  throw new Error(`${id} carries bytes, which are only for requests`);
};
