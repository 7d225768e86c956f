import type { FastifyRequest } from 'fastify';
import { type Links, linksOf } from '#endpoint/links.ts';

/**
 * The addresses for the links of a reply: from `url` where it is configured, else from the host of the request. For the `api.`
 * host of `url`, the scheme and the port are those of `url`.
 */
export function linksFor({ url }: { url?: string }, { host, hostname, protocol }: FastifyRequest): Links {
  if (!host.startsWith('api.')) return linksOf(url ?? `${protocol}://${host}`);
  const configured = url === undefined ? undefined : new URL(url);
  if (configured?.hostname !== hostname.slice('api.'.length))
    return { api: `${protocol}://${host}`, html: `${protocol}://${host.slice(4)}` };
  return { api: `${configured.protocol}//api.${configured.host}`, html: configured.origin };
}
