// Sends changes as text: `/{owner}/{repo}/pull/1.diff`, `/{owner}/{repo}/commit/{sha}.patch`. Endpoints of the API make them, and
// decide about access.
import type { FastifyReply } from 'fastify';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Media } from '#lib/media.ts';
import { compareRevisions, getCommit } from '#resources/code/commits/endpoints.ts';
import { getPull } from '#resources/collaboration/pulls/endpoints/pulls.ts';
import { type RunContext, runRaw } from '#server/run.ts';

type TextAddress = {
  readonly endpoint: Endpoint;
  readonly words: Readonly<Record<string, string>>;
  readonly media: Media;
};

// The types of a single endpoint aren't known here. What they demand is checked when they run.
const kindOf = (endpoint: unknown, word: string) => ({ endpoint: endpoint as Endpoint, word });

/** The endpoint of each kind of address, and the word of its path that the address names. */
const kinds: Readonly<Record<string, ReturnType<typeof kindOf>>> = {
  commit: kindOf(getCommit, 'ref'),
  compare: kindOf(compareRevisions, 'basehead'),
  pull: kindOf(getPull, 'pull_number'),
};

const address = /^\/([^/?]+)\/([^/?]+)\/(commit|compare|pull)\/([^?]+)\.(diff|patch)(?:\?|$)/;

/** The text at an address; undefined for addresses of pages, and for malformed ones. */
export function findTextAddress(url: string): TextAddress | undefined {
  const [, owner = '', repo = '', first = '', name = '', media] = address.exec(url) ?? [];
  const kind = kinds[first];
  if (!kind || (media !== 'diff' && media !== 'patch') || (first !== 'compare' && name.includes('/'))) return undefined;
  try {
    const words = { owner: decodeURIComponent(owner), repo: decodeURIComponent(repo), [kind.word]: decodeURIComponent(name) };
    return { endpoint: kind.endpoint, words, media };
  } catch {
    return undefined;
  }
}

/**
 * Sends a text. Browsers show it as such, whatever is in it.
 * @throws Refusal if the endpoint refuses
 */
export async function sendText(
  reply: FastifyReply,
  { endpoint, words, media }: TextAddress,
  context: RunContext,
): Promise<FastifyReply> {
  const { body } = await runRaw(endpoint, context, words, { media });
  return reply
    .type('text/plain; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-cache')
    .header('vary', 'Cookie')
    .send(body);
}
