// Addresses of commits, comparisons and pull requests as text: `/{owner}/{repo}/pull/1.diff`, `/{owner}/{repo}/commit/{sha}.patch`.
import type { FastifyReply } from 'fastify';
import { isRaw } from '#endpoint/call.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { scopeIn } from '#endpoint/scope.ts';
import { apiVersions } from '#endpoint/versions.ts';
import type { Media } from '#lib/media.ts';
import { compareRevisions, getCommit } from '#resources/code/commits/endpoints.ts';
import { getPull } from '#resources/collaboration/pulls/endpoints/pulls.ts';
import { readPath } from '#server/resolve.ts';
import { callHandler, prepareCall, type RunContext } from '#server/run.ts';

/** A text that an endpoint of the API streams in a media type of its own. */
type TextPage = {
  readonly endpoint: Endpoint;
  readonly words: Readonly<Record<string, string>>;
  readonly media: Media;
};

/** The endpoint of each kind of address, and the word of its path that the address names. */
const kinds: Readonly<Record<string, readonly [endpoint: Endpoint, word: string]>> = {
  commit: [getCommit as unknown as Endpoint, 'ref'],
  compare: [compareRevisions as unknown as Endpoint, 'basehead'],
  pull: [getPull as unknown as Endpoint, 'pull_number'],
};

const address = /^\/([^/?]+)\/([^/?]+)\/(commit|compare|pull)\/([^?]+)\.(diff|patch)(?:\?|$)/;

/** The text at an address; undefined for addresses of pages, and for malformed ones. */
export function findTextPage(url: string): TextPage | undefined {
  const [, owner = '', repo = '', kind = '', name = '', media] = address.exec(url) ?? [];
  const [endpoint, word] = kinds[kind] ?? [];
  if (!endpoint || word === undefined || (media !== 'diff' && media !== 'patch')) return undefined;
  if (kind !== 'compare' && name.includes('/')) return undefined;
  try {
    const words = { owner: decodeURIComponent(owner), repo: decodeURIComponent(repo), [word]: decodeURIComponent(name) };
    return { endpoint, words, media };
  } catch {
    return undefined;
  }
}

/**
 * Sends a text. Browsers show it as such, whatever is in it.
 * @throws Refusal if the endpoint refuses
 */
export async function sendTextPage(
  { endpoint, words, media }: TextPage,
  context: RunContext,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const within = { ...context, scope: scopeIn(context.scope, media) };
  const prepared = await prepareCall(endpoint, within, {
    path: readPath(endpoint, words),
    query: {},
    version: apiVersions[0],
    readBody: async () => undefined,
    readText: async () => '',
    upload: { contentType: undefined, receive: () => Promise.reject(new Error('A text page takes no file')) },
  });
  const handled = await callHandler(endpoint, prepared);
  if (!isRaw(handled)) throw new Error(`${endpoint.id} has no text`);
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Cookie')
    .send(handled.body);
}
