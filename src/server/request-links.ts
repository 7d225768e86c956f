import type { FastifyRequest } from 'fastify';
import { type Links, linksOf } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';

/**
 * The addresses for the links of a reply: from `url` if it is configured, otherwise from the host of the request. For the `api.`
 * host of `url`, the scheme and the port are those of `url`.
 */
export function linksFor(
  { url, services: { ssh } }: { url?: string; services: Pick<Services, 'ssh'> },
  { host, hostname, protocol }: FastifyRequest,
): Links {
  if (!host.startsWith('api.')) return linksOf(url ?? `${protocol}://${host}`, ssh);
  const configured = url === undefined ? undefined : new URL(url);
  if (configured?.hostname !== hostname.slice('api.'.length))
    return { api: `${protocol}://${host}`, html: `${protocol}://${host.slice(4)}`, ssh };
  return { api: `${configured.protocol}//api.${configured.host}`, html: configured.origin, ssh };
}
