import type { Static, TSchema } from 'typebox';
import type { Policy } from '#access/policy.ts';
import type { Call, CallWriteScope, Handled, Replies, ViewerOf } from './call.ts';
import type { Declaration, Endpoint, ReplyOf } from './endpoint.ts';
import type { Paging } from './paging.ts';
import type { At, KnownPath, PathResources, RootRows } from './path-resource.ts';

/** The fields that differ between endpoints with a shared handler. All others are in the shared part. */
type Variant = {
  readonly id: string;
  readonly path: string;
  readonly resources?: PathResources;
  readonly summary: string;
  readonly access: Policy;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly example?: unknown;
  readonly replies?: Replies;
  readonly refuses?: Endpoint['refuses'];
};

type ResourcesOf<Of extends Variant> = Of extends { resources: infer Resources extends PathResources } ? Resources : readonly [];
/** A schema or the replies of the variant, or else of the shared part. */
type Own<Of extends Variant, Field extends 'query' | 'body' | 'replies', Shared> =
  Of extends Record<Field, infer Own> ? Own : Shared;
type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : unknown;
type RepliesOf<Of extends Variant, Shared> = Own<Of, 'replies', Shared> extends infer Answers extends Replies ? Answers : never;

type AtOf<Of extends Variant> = Of extends Variant ? At<Of['path'], ResourcesOf<Of>> : never;
type RootsOf<Of extends Variant> = Of extends Variant ? Rooted<RootRows<Of['path']>> : never;
/** A path without a root, such as `/user/migrations`, has none of the rows that other variants have. */
type Rooted<Rows> = unknown extends Rows ? { readonly org?: undefined; readonly repo?: undefined } : Rows;

/** Anything, if the path of a variant matches its resources; otherwise an error that names the word. */
type CheckedPath<Of extends Variant> =
  KnownPath<Of['path'], ResourcesOf<Of>> extends Of['path'] ? string : { readonly error: KnownPath<Of['path'], ResourcesOf<Of>> };

/** The handler's input: a call of any variant. */
type VariantCall<Of extends Variant, Query, Body> = Omit<Call, 'at' | 'change' | 'query' | 'body' | 'action' | 'viewer'> & {
  readonly at: AtOf<Of>;
  readonly change: <T>(work: (scope: CallWriteScope, at: AtOf<Of>) => Promise<T>) => Promise<T>;
  readonly query: Of extends Variant ? StaticOf<Own<Of, 'query', Query>> : never;
  readonly body: Of extends Variant ? StaticOf<Own<Of, 'body', Body>> : never;
  readonly viewer: ViewerOf<Of['access']>;
  readonly action: RootsOf<Of> & { readonly by: ViewerOf<Of['access']>; readonly now: Date };
};

/** The input and the replies of one variant. */
type TypesOf<Of extends Variant, Query, Body, Answers> = {
  readonly path: Of['path'];
  readonly query: StaticOf<Own<Of, 'query', Query>>;
  readonly body: StaticOf<Own<Of, 'body', Body>>;
  readonly reply: ReplyOf<RepliesOf<Of, Answers>>;
};

/** The shared fields of all variants. */
type Shared<
  Of extends Variant,
  Query extends TSchema,
  Body extends TSchema,
  Answers extends Replies,
  Lists extends Paging | undefined,
> = Omit<Declaration<string, Query, Body, Answers, Policy, Lists, PathResources>, keyof Variant | 'handle' | 'lastModified'> & {
  readonly query?: Query;
  readonly body?: Body;
  readonly example?: NoInfer<Static<Body>>;
  readonly replies?: Answers;
  handle(call: VariantCall<Of, Query, Body>): Promise<Of extends Variant ? Handled<RepliesOf<Of, Answers>, Lists> : never>;
};

/**
 * Declares endpoints that do the same for different parents, such as an organization and a repository. They share their handler
 * and differ in path, access and, if necessary, schemas. The result has one endpoint for each variant, by its name.
 *
 * @example
 * export const { org: getOrgLimit, repo: getRepoLimit } = endpointVariants(
 *   {
 *     org: { id: 'limits/get-for-org', path: '/orgs/{org}/limit', summary: '…', access: readsOrg },
 *     repo: { id: 'limits/get-for-repo', path: '/repos/{owner}/{repo}/limit', summary: '…', access: readsRepo },
 *   },
 *   { method: 'GET', replies: { 200: Limit }, async handle({ db, at }) { return presentLimit(await findLimit(db, at)); } },
 * );
 */
export function endpointVariants<
  const Variants extends Readonly<Record<string, Variant>>,
  Query extends TSchema,
  Body extends TSchema,
  const Answers extends Replies = Record<never, never>,
  Lists extends Paging | undefined = undefined,
>(
  variants: Variants & { readonly [Name in keyof Variants]: { path: CheckedPath<Variants[Name]> } },
  shared: Shared<NoInfer<Variants>[keyof Variants], Query, Body, Answers, Lists>,
): { readonly [Name in keyof Variants]: Endpoint<TypesOf<Variants[Name], Query, Body, Answers>> } {
  const complete = Object.entries(variants).map(([name, variant]) => [name, { ...shared, ...variant }]);
  return Object.fromEntries(complete) as never; // the types were checked above
}
