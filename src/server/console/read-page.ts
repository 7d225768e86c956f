// Reads the endpoints of a page in one scope, each with its own decision about access.

import { type Page, type PageRequest, type Read, type Reads, refusalOf } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { type Scope, scopeIn } from '#endpoint/scope.ts';
import type { Media } from '#lib/media.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import { consumePageLimit, limitOf } from '#server/rate-limit.ts';
import { Moved } from '#server/resolve.ts';
import { type RunContext, run } from '#server/run.ts';

type ReadPage = {
  readonly found: Readonly<Record<string, unknown>>;
  readonly positions: Readonly<Record<string, ListPosition | undefined>>;
};

/**
 * Reads what a page declares.
 * @throws Refusal of a reading that isn't optional
 * @throws Moved for a former name
 */
export async function readPage(page: Page, request: PageRequest, context: RunContext): Promise<ReadPage> {
  const read = readerFor(request, context);
  const framed = page.frame.reads(request);
  // The first reading finds the repository or organization of the path, which the others of the scope then share.
  const [first, ...others] = Object.entries({ ...framed, ...page.reads(request) });
  const alone = first ? await read(Object.fromEntries([first])) : nothing;
  const more = joined(alone, await read(Object.fromEntries(others)));
  return joined(more, await read(page.follows(more.found, request)));
}

const nothing: ReadPage = { found: {}, positions: {} };

const joined = (one: ReadPage, other: ReadPage): ReadPage => ({
  found: { ...one.found, ...other.found },
  positions: { ...one.positions, ...other.positions },
});

/** The refusals that an optional reading may have. Others are faults, or the caller's to know. */
const bearable: ReadonlySet<RefusalKind> = new Set(['unauthenticated', 'forbidden', 'not_found', 'gone', 'conflict', 'invalid']);

/** What was renamed or moved is left out as well: only the page's own repository leads the browser elsewhere. */
const isBearable = (error: unknown): boolean => error instanceof Moved || (error instanceof Refusal && bearable.has(error.kind));

/** The refusals that a page explains: they are about what somebody wrote, or say what is switched off. Hidden is absent. */
const explicable: ReadonlySet<RefusalKind> = new Set(['unauthenticated', 'forbidden', 'bad_request', 'invalid']);

/** Reads endpoints at the same time. Those with the same media type share one scope. */
function readerFor({ words }: PageRequest, context: RunContext): (reads: Reads) => Promise<ReadPage> {
  const scopes = new Map<Media, Scope>([[context.scope.media, context.scope]]);
  const scopeOf = (media: Media = 'json'): Scope => {
    const known = scopes.get(media) ?? scopeIn(context.scope, media);
    scopes.set(media, known);
    return known;
  };
  const one = async ({
    endpoint,
    words: own = {},
    query,
    media,
    isOptional,
    isExplained = false,
  }: Read): Promise<{ value: unknown; list?: ListPosition }> => {
    const values = Object.fromEntries(wordsOf(endpoint.path).map((word) => [word, own[word as never] ?? words[word] ?? '']));
    const scope = scopeOf(media);
    try {
      const bucket = limitOf(endpoint, query ?? {});
      if (bucket) await consumePageLimit({ ...context, viewer: scope.viewer, db: scope.db }, bucket);
      const { status, body, list } = await run(endpoint, { ...context, scope }, values, { query: query ?? {} });
      return { value: shownValue(status, body), ...(list ? { list } : {}) };
    } catch (error) {
      if (isOptional && isBearable(error)) return { value: undefined };
      if (isExplained && error instanceof Refusal && explicable.has(error.kind)) return { value: refusalOf(error) };
      throw error;
    }
  };
  return async (reads) => {
    const entries = Object.entries(reads).flatMap(([name, read]) => (read ? [[name, read] as const] : []));
    const results = await Promise.all(entries.map(([, read]) => one(read)));
    const named = <T>(of: (result: (typeof results)[number]) => T): Record<string, T> =>
      Object.fromEntries(entries.map(([name], at) => [name, of(results[at] ?? { value: undefined })]));
    return { found: named(({ value }) => value), positions: named(({ list }) => list) };
  };
}

/** The body of a 200, `true` for a 204, the address of a redirect, and undefined for replies that come later. */
function shownValue(status: number, body: unknown): unknown {
  if (status === 204) return true;
  return status === 200 || status === 302 ? body : undefined;
}
