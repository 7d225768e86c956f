import type { FastifyRequest } from 'fastify';
import { type Links, linksOf } from '#endpoint/links.ts';

/**
 * The addresses under which a request reached this server: those of `url` where it is given, or of the request's own host. Only a
 * trusted proxy is believed in how people reach it, so that `url` tells the scheme and the port of its `api.` host too.
 */
export function linksFor({ url }: { url?: string }, { host, hostname, protocol }: FastifyRequest): Links {
  if (!host.startsWith('api.')) return linksOf(url ?? `${protocol}://${host}`);
  const given = url === undefined ? undefined : new URL(url);
  if (given?.hostname !== hostname.slice('api.'.length))
    return { api: `${protocol}://${host}`, html: `${protocol}://${host.slice(4)}` };
  return { api: `${given.protocol}//api.${given.host}`, html: given.origin };
}
