// The client for the server from which a repository is imported.
import { type Static, type TSchema, Type } from 'typebox';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import type { Outbound, OutboundReply } from '#net/outbound.ts';
import { OutboundError, parseTarget } from '#net/target.ts';
import { rateLimitWait, retryAfter } from './rate-limit.ts';

type WaitReason = 'rate limit' | 'failure';

export type SourceOptions = {
  /** The root of the API, as `https://git.example.com/api/v3`. */
  api: string;
  /** Sent to the API's own origin, and to no other. */
  token?: string | undefined;
  /** For the API's own origin, which the operator has chosen. */
  outbound: Pick<Outbound, 'get'>;
  /** For other origins, to which the source leads. */
  elsewhere: Pick<Outbound, 'get'>;
  userAgent: string;
  clock: () => Date;
  /** Waits for some seconds, and shows why. */
  wait: (seconds: number, why: WaitReason) => Promise<void>;
};

/** A page of a list, the address of the next one, and how many rows follow, as far as the server tells. */
export type SourcePage<Row> = { rows: Row[]; next: string | undefined; remaining: number };

/** A server that is read. All functions throw a Refusal with a message for the operator. */
export type Source = {
  readonly api: string;
  readOne<S extends TSchema>(address: string, shape: S): Promise<Static<S>>;
  readPage<S extends TSchema>(address: string, shape: S): Promise<SourcePage<Static<S>>>;
};

/** An unexpected reply of the source. */
export class SourceRefusal extends Refusal {
  readonly status: number;

  constructor(kind: RefusalKind, message: string, status: number) {
    super(kind, message);
    this.status = status;
  }
}

const maxRedirects = 3;
const maxFailures = 5;
const maxWaits = 10;
const longestWait = 2 * 60 * 60;
const timeout = 60_000;
/** A hundred issues with texts of the greatest length, and their escapes. */
const maxBytes = 128 * 1024 * 1024;
export const rowsPerPage = 100;

export function openSource(options: SourceOptions): Source {
  const state = { hasAnswered: false };
  const read = async <S extends TSchema>(address: string, shape: S) => {
    const reply = await request(options, state, new URL(address));
    const value = parseJson(reply.body);
    const { Value } = await import('typebox/value');
    if (Value.Check(shape, value)) return { value, reply };
    const [error] = Value.Errors(shape, value);
    const where = error ? ` (${error.instancePath || '/'} ${error.message})` : '';
    throw new SourceRefusal('unavailable', `The reply to GET ${address} isn't what the public API answers${where}`, reply.status);
  };
  return {
    api: options.api,
    readOne: async (address, shape) => (await read(address, shape)).value,
    async readPage(address, shape) {
      const { value, reply } = await read(address, Type.Array(shape, { maxItems: rowsPerPage }));
      const links = linksOf(reply.headers.link ?? '');
      const next = links.get('next');
      const last = pageOf(links.get('last') ?? address);
      return {
        rows: value,
        next: next === undefined ? undefined : parseTarget(next)?.href,
        remaining: next === undefined ? 0 : rowsPerPage * Math.max(1, last - pageOf(address)),
      };
    },
  };
}

/** Finds where a server's API is: the first of the addresses that answers in JSON. No token is sent. */
export async function findApi(
  addresses: readonly string[],
  { outbound, userAgent }: Pick<SourceOptions, 'outbound' | 'userAgent'>,
) {
  let failure: unknown;
  for (const address of addresses) {
    try {
      const headers = { accept: 'application/json', 'user-agent': userAgent };
      const reply = await outbound.get({ url: new URL(address), headers, timeout, maxBytes: 1024 * 1024 });
      if (/^application\/([\w.-]+\+)?json\b/.test(reply.headers['content-type'] ?? '')) return address;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      failure ??= error;
    }
  }
  if (failure instanceof OutboundError) throw unreachable(new URL(addresses[0] ?? ''), failure);
  throw new Refusal('unavailable', `Neither of ${addresses.join(', ')} answers as an API does: say by --api where it is`);
}

/** Reads an address. Waits where the rate limit wants it, and tries again where the server fails. */
async function request(options: SourceOptions, state: { hasAnswered: boolean }, address: URL): Promise<OutboundReply> {
  const { clock, wait } = options;
  for (let failures = 0, waits = 0; ; ) {
    const reply = await send(options, address);
    // A server that never answered is rather a mistyped address than one that fails for a moment.
    if (reply instanceof OutboundError && (!state.hasAnswered || reply.kind === 'refused_address' || failures === maxFailures))
      throw unreachable(address, reply);
    if (!(reply instanceof OutboundError)) {
      state.hasAnswered = true;
      if (reply.status === 200) return reply;
      const seconds = rateLimitWait(reply, clock());
      if (seconds !== undefined) {
        if (waits === maxWaits || seconds > longestWait) throw await refusalOf(address, reply, options);
        waits++;
        await wait(seconds, 'rate limit');
        continue;
      }
      if (reply.status < 500 || failures === maxFailures) throw await refusalOf(address, reply, options);
    }
    const named = reply instanceof OutboundError ? undefined : retryAfter(reply.headers['retry-after'], clock());
    await wait(Math.min(named ?? 2 ** failures, longestWait), 'failure');
    failures++;
  }
}

/** Sends a request and follows redirects. The token is sent to the origin of the API alone. */
async function send(options: SourceOptions, address: URL): Promise<OutboundReply | OutboundError> {
  const { api, token, outbound, elsewhere, userAgent } = options;
  let url = address;
  try {
    for (let redirects = 0; ; redirects++) {
      const isApi = url.origin === new URL(api).origin;
      const headers = {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(isApi && token !== undefined ? { authorization: `Bearer ${token}` } : {}),
      };
      const reply = await (isApi ? outbound : elsewhere).get({ url, headers, timeout, maxBytes });
      const { location } = reply.headers;
      if (![301, 302, 303, 307, 308].includes(reply.status) || location === undefined) return reply;
      const next = parseTarget(URL.parse(location, url.href)?.href ?? '');
      if (!next || redirects === maxRedirects)
        throw new Refusal('unavailable', `GET ${address.href} is redirected to an address that can't be read`);
      url = next;
    }
  } catch (error) {
    if (error instanceof OutboundError) return error;
    throw error;
  }
}

const unreachable = ({ host }: URL, { message }: OutboundError): Refusal =>
  new Refusal('unavailable', `${host} can't be reached: ${message}`);

async function refusalOf(
  { host, origin, pathname }: URL,
  { status, body }: OutboundReply,
  { api, token }: SourceOptions,
): Promise<SourceRefusal> {
  const reply = parseJson(body);
  const isApi = origin === new URL(api).origin;
  const { Value } = await import('typebox/value');
  const said = Value.Check(Message, reply) ? `: ${reply.message.slice(0, 300)}` : '';
  if (status === 401) {
    const message = token === undefined || !isApi ? `${host} wants a token` : `${host} doesn't accept the token`;
    return new SourceRefusal('unauthenticated', `${message}${said}`, status);
  }
  if (status === 404) {
    const mayNotRead = token === undefined ? 'it may be private and want a token' : 'or the token may not read it';
    const reason = isApi ? mayNotRead : `the token is sent to ${new URL(api).host} alone`;
    return new SourceRefusal('not_found', `${host} has nothing at ${pathname} (${reason})`, status);
  }
  return new SourceRefusal('unavailable', `${host} answered ${status} to GET ${pathname}${said}`, status);
}

const Message = Type.Object({ message: Type.String() });

const pageOf = (address: string): number => Number(URL.parse(address)?.searchParams.get('page') ?? 1) || 1;

/** The addresses of a `Link` header by their relation. */
const linksOf = (header: string): Map<string, string> =>
  new Map(
    [...header.matchAll(/<([^<>]+)>\s*;[^,<]*?\brel="?(\w+)"?/g)].map(([, address = '', relation = '']) => [relation, address]),
  );

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
