import type { FastifyRequest } from 'fastify';
import { type Links, linksOf } from '#endpoint/links.ts';

/** The addresses under which a request reached this server: those of `url` where it is given, or of the request's own host. */
export function linksFor({ url }: { url?: string }, { host, protocol }: FastifyRequest): Links {
  if (host.startsWith('api.')) return { api: `${protocol}://${host}`, html: `${protocol}://${host.slice(4)}` };
  return linksOf(url ?? `${protocol}://${host}`);
}
