// Addresses that browsers open and that are no pages: changes as text (`/{owner}/{repo}/pull/1.diff`), and
// archives (`/{owner}/{repo}/archive/refs/tags/v1.zip`). Endpoints of the API make them, and decide about access.
import type { FastifyReply } from 'fastify';
import { isRaw } from '#endpoint/call.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { scopeIn } from '#endpoint/scope.ts';
import { apiVersions } from '#endpoint/versions.ts';
import type { Media } from '#lib/media.ts';
import { compareRevisions, getCommit } from '#resources/code/commits/endpoints.ts';
import { sendTarball, sendZipball } from '#resources/code/contents/endpoints/archives-of-pages.ts';
import { getPull } from '#resources/collaboration/pulls/endpoints/pulls.ts';
import { readPath } from '#server/resolve.ts';
import { callHandler, prepareCall, type RunContext } from '#server/run.ts';

/** What an endpoint replies in bytes. */
type RawPage = {
  readonly endpoint: Endpoint;
  readonly words: Readonly<Record<string, string>>;
  readonly media: Media;
};

type Kind = { readonly endpoint: Endpoint; readonly word: string; readonly media: Media };

// The types of a single endpoint aren't known here. What they demand is checked when they run.
const kindOf = (endpoint: unknown, word: string, media: Media): Kind => ({ endpoint: endpoint as Endpoint, word, media });

/** The endpoint of each kind of address by its first word and its ending, and the word of the endpoint's path that it names. */
const kinds: Readonly<Record<string, Kind>> = {
  'commit.diff': kindOf(getCommit, 'ref', 'diff'),
  'commit.patch': kindOf(getCommit, 'ref', 'patch'),
  'compare.diff': kindOf(compareRevisions, 'basehead', 'diff'),
  'compare.patch': kindOf(compareRevisions, 'basehead', 'patch'),
  'pull.diff': kindOf(getPull, 'pull_number', 'diff'),
  'pull.patch': kindOf(getPull, 'pull_number', 'patch'),
  'archive.zip': kindOf(sendZipball, 'ref', 'json'),
  'archive.tar.gz': kindOf(sendTarball, 'ref', 'json'),
};

const address = /^\/([^/?]+)\/([^/?]+)\/(commit|compare|pull|archive)\/([^?]+)\.(diff|patch|zip|tar\.gz)(?:\?|$)/;

/** What is at an address; undefined for addresses of pages, and for malformed ones. */
export function findRawPage(url: string): RawPage | undefined {
  const [, owner = '', repo = '', first = '', name = '', ending = ''] = address.exec(url) ?? [];
  const kind = kinds[`${first}.${ending}`];
  if (!kind || ((first === 'commit' || first === 'pull') && name.includes('/'))) return undefined;
  try {
    const words = { owner: decodeURIComponent(owner), repo: decodeURIComponent(repo), [kind.word]: decodeURIComponent(name) };
    return { endpoint: kind.endpoint, words, media: kind.media };
  } catch {
    return undefined;
  }
}

/**
 * Sends bytes. Browsers show a text as such, whatever is in it.
 * @throws Refusal if the endpoint refuses
 */
export async function sendRawPage(
  { endpoint, words, media }: RawPage,
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
    upload: { contentType: undefined, receive: () => Promise.reject(new Error(`${endpoint.id} takes no file`)) },
  });
  const handled = await callHandler(endpoint, prepared);
  if (!isRaw(handled)) throw new Error(`${endpoint.id} replies no bytes`);
  reply.header('cache-control', 'private, no-cache').header('vary', 'Cookie').header('x-content-type-options', 'nosniff');
  if (media === 'json') return reply.headers(handled.headers).send(handled.body);
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .send(handled.body);
}
