import type { Readable } from 'node:stream';
import type { Static, TArray, TObject, TSchema, TVoid } from 'typebox';
import type { Policy } from '#access/policy.ts';
import type { Grant, SignedIn, Viewer } from '#access/viewer.ts';
import type { Caller } from '#lib/caller.ts';
import type { Listed, Page, Uncounted, Walked } from '#lib/page.ts';
import type { Paging } from './paging.ts';
import type { At, PathResources, RootRows } from './path-resource.ts';
import type { Needs, Scope, ServedScope, WriteScope } from './scope.ts';
import type { Services } from './services.ts';
import type { ApiVersion } from './versions.ts';

/** The type of a handler's viewer. It follows from the policy: if a token is required, there is an account. */
export type ViewerOf<Access extends Policy> = Access extends
  | { permission: { none: 'public' | 'token_exchange' } }
  | { public: true }
  ? Viewer
  : Access extends { permission: { none: 'app_jwt' } }
    ? Viewer & { grant: Extract<Grant, { kind: 'app_jwt' }> }
    : Access extends { permission: { none: 'client_secret' } }
      ? Viewer & { grant: Extract<Grant, { kind: 'client' }> }
      : SignedIn;

/** The scope of a handler's change. */
export type CallWriteScope = WriteScope & Needs<keyof Services>;

/** Everything that a handler gets: the scope of its request, and what the endpoint declares. */
export type Call<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Access extends Policy = Policy,
  Resources extends PathResources = readonly [],
> = Scope & {
  /** The scope, for functions that take one, with the services and `change`. */
  readonly scope: ServedScope;
  /**
   * Runs a change in one transaction. It is the handlers' only source of a `WriteScope`, which all writing functions require, or
   * its `tx`. The last row of the path is read again and locked if its resource has a `lock`. `work` gets it with the other rows
   * of the path.
   */
  readonly change: <T>(work: (scope: CallWriteScope, at: At<Path, Resources>) => Promise<T>) => Promise<T>;
  readonly at: At<Path, Resources>;
  readonly query: Static<Query>;
  readonly body: Static<Body>;
  /** The body of an endpoint that takes a text; empty for others. */
  readonly text: string;
  /** The body of an endpoint that takes bytes. */
  readonly upload: Upload;
  readonly page: Page;
  readonly viewer: ViewerOf<Access>;
  /** For rules that change something: the actor, the time, and the rows of the path. */
  readonly action: RootRows<Path> & { readonly by: ViewerOf<Access>; readonly now: Date };
  readonly version: ApiVersion;
  readonly services: Services;
  /** Searches and git processes of the request count against this caller. */
  readonly caller: Caller;
  /** The network address of the client. Rate limits of anonymous requests count by it. */
  readonly address: string;
  readonly reply: typeof reply;
};

/** A call of any endpoint that shares the handler. `Own` has the fields that follow from their declarations. */
export type SharedCall<Own> = Omit<Call, 'at' | 'change' | 'query' | 'body' | 'action' | 'viewer'> & {
  readonly change: <T>(
    work: (scope: CallWriteScope, at: Own extends { at: infer At } ? At : unknown) => Promise<T>,
  ) => Promise<T>;
} & Readonly<Own>;

/** The schemas of the successful replies, by status. */
export type Replies = Readonly<Record<number, TSchema>>;

type Reply<Status extends number, Body> = { readonly status: Status; readonly body: Body };

/** The reply of an endpoint that declares several statuses. It has no body if the status's schema is Nothing. */
export function reply<const Status extends number>(status: Status): Reply<Status, undefined>;
export function reply<const Status extends number, Body>(status: Status, body: Body): Reply<Status, Body>;
export function reply(status: number, body?: unknown): Reply<number, unknown> {
  return { status, body };
}

/** A body that arrives in parts, and is never held as a whole. */
export type Upload = {
  /** The request's `Content-Type`. */
  readonly contentType: string | undefined;
  /**
   * Passes the parts of the body to `take`, one after the other. Meanwhile, the request doesn't occupy a slot for running
   * requests.
   * @param most the maximum number of bytes, and the name of that limit
   * @throws Refusal `too_large`, or `timed_out` if it arrives too slowly; GitError `aborted` if the client disconnects
   */
  receive(most: { bytes: number; name: string }, take: (part: Buffer) => Promise<void>): Promise<void>;
};

/** A file that clients may request in parts (RFC 9110, 14). It never changes. */
export type File = {
  readonly size: number;
  readonly etag: string;
  readonly modified: Date;
  /** Opens the file, or its bytes from `start` to `end`; undefined if it no longer exists. */
  open(range?: { start: number; end: number }): Promise<Readable | undefined>;
};

/** A reply that isn't JSON: a file, an archive, a redirect. */
export type Raw = {
  readonly raw: true;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | Readable;
  /** Replaces the body. */
  readonly file?: File;
};

/** A reply that isn't JSON, with its media type. If `headers` have an `etag`, conditional requests get a 304. */
export const raw = (type: string, body: Buffer | string | Readable, headers: Record<string, string> = {}): Raw => ({
  raw: true,
  status: 200,
  headers: { 'content-type': type, ...headers },
  body,
});

/**
 * A reply with a file, or the part of it that the client requests. Browsers store it, and never show it as a page of this server.
 */
export const fileReply = (name: string, file: File): Raw => ({
  raw: true,
  status: 200,
  headers: {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename=${/^[\w.+-]+$/.test(name) ? name : `"${name}"`}`,
  },
  file,
});

export const redirect = (location: string, status: 302 | 303 = 302): Raw => ({ raw: true, status, headers: { location } });

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && 'raw' in value && value.raw === true;

type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

type BodyOf<Schema extends TSchema> = Schema extends TVoid ? undefined : Static<Schema>;

type ItemOf<Schema extends TSchema> =
  Schema extends TArray<infer Item>
    ? Static<Item>
    : Schema extends TObject<infer Properties>
      ? { [K in keyof Properties]: Properties[K] extends TArray<infer Item> ? Static<Item> : never }[keyof Properties]
      : never;

/** The other fields of an envelope, apart from the count and the rows. */
type Extra<Schema extends TSchema> = Schema extends TObject ? { extra?: Record<string, unknown> } : unknown;

type Single<Schema extends TSchema, Lists> = Schema extends TVoid
  ? undefined
  : Lists extends { style: 'inside' }
    ? { body: BodyOf<Schema>; total: number }
    : Lists extends { style: 'cursors' | 'since' }
      ? Uncounted<ItemOf<Schema>>
      : Lists extends { style: 'both' }
        ? Walked<ItemOf<Schema>> & Extra<Schema>
        : Lists extends Paging
          ? Listed<ItemOf<Schema>> & Extra<Schema>
          : BodyOf<Schema>;

/** The return value of a handler: the body if one status is declared, `reply(status, body)` if there are several. */
export type Handled<Answers extends Replies, Lists> =
  | Raw
  | (IsUnion<keyof Answers> extends true
      ? { [Status in keyof Answers & number]: Reply<Status, Single<Answers[Status], Lists>> }[keyof Answers & number]
      : { [Status in keyof Answers & number]: Single<Answers[Status], Lists> }[keyof Answers & number] extends infer Body
        ? [Body] extends [undefined]
          ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a reply body returns nothing at all
            void | undefined
          : Body
        : never);
