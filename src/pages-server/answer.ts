import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import { originFor, type PagesAddress, siteUrl } from '#endpoint/pages-address.ts';
import type { Services } from '#endpoint/services.ts';
import { repoOf, storeFor } from '#git/store.ts';
import { batchLoader } from '#lib/batch-loader.ts';
import { keyOfAddress, loadServedSites, proofOf, proofPath, type ServedSite } from '#resources/pages/index.ts';
import { type Place, partsOf, placesOf } from './address.ts';
import { findFile } from './find-file.ts';
import { sendFile, sendMissing, siteHeaders } from './send.ts';

export type AnswerParts = {
  database: Pick<Database, 'db'>;
  services: Services;
  /** Whether the protocol of a request is known: the process speaks TLS itself, or believes a proxy. */
  knowsProtocol: boolean;
};

type SiteLoader = (place: Place) => Promise<ServedSite | undefined>;

/** A website, and the parts of the path below it. `prefix` is the number of the others. */
type Located = { site: ServedSite; place: Place; prefix: number };

/** Answers requests for websites. No credential is looked at: what is served is what everybody may see. */
export function answerer(parts: AnswerParts): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { services } = parts;
  const findSite = siteLoader(parts);
  return async (request, reply) => {
    const pages = services.pages;
    const url = request.originalUrl;
    if (url === proofPath)
      return reply
        .headers(siteHeaders)
        .type('text/plain; charset=utf-8')
        .send(`${proofOf(services, request.hostname)}\n`);
    const path = partsOf(url);
    const located = pages && path ? await locate(findSite, placesOf(pages.origin, request.hostname, path)) : undefined;
    if (!pages || !path || !located) return sendNothing(reply);
    const elsewhere = properAddress(parts, pages, request, located);
    if (elsewhere !== undefined) return redirect(reply, elsewhere);
    const below = path.slice(located.prefix);
    if (below.length === 0) return redirect(reply, withSlash(url));
    const disk = repoOf(storeFor(services.git, callerOf(anonymous, request.ip)), located.site.repository);
    const bounds = services.resourceLimits.pages;
    const found = await findFile(disk, located.site.tree, below, bounds);
    if (found === 'folder') return redirect(reply, withSlash(url));
    if (found) return sendFile({ request, reply }, disk, found, bounds);
    const missing = await findFile(disk, located.site.tree, ['404.html'], bounds);
    return missing && missing !== 'folder' ? sendMissing({ request, reply }, disk, missing, bounds) : sendNothing(reply);
  };
}

/** Finds websites; requests that come in one turn of the event loop are answered by one statement, which is sent after all of them. */
function siteLoader({ database }: AnswerParts): SiteLoader {
  const open = () => {
    const places = new Map<string, Place>();
    const load = batchLoader<string, ServedSite>((keys) =>
      loadServedSites(database.db, new Map(keys.flatMap((key) => (places.has(key) ? [[key, places.get(key) as Place]] : [])))),
    );
    return (place: Place) => {
      const key = keyOfAddress(place);
      places.set(key, place);
      return load(key);
    };
  };
  let current: SiteLoader | undefined;
  return (place) => {
    if (!current) {
      current = open();
      setImmediate(() => {
        current = undefined;
      });
    }
    return current(place);
  };
}

/** The first place with a website. */
async function locate(findSite: SiteLoader, places: readonly Place[]): Promise<Located | undefined> {
  const sites = await Promise.all(places.map(findSite));
  const at = sites.findIndex((site) => site !== undefined);
  const [site, place] = [sites[at], places[at]];
  return site && place ? { site, place, prefix: place.ownerParts + (site.isByFirst ? 1 : 0) } : undefined;
}

/** Where a request is to go instead: a website has one address, its domain where it has one, and HTTPS where that is demanded. */
function properAddress(
  { knowsProtocol }: AnswerParts,
  pages: PagesAddress,
  { protocol, hostname, originalUrl }: FastifyRequest,
  { site, place, prefix }: Located,
): string | undefined {
  const isInsecure = knowsProtocol && site.https_enforced && protocol === 'http';
  const isElsewhere = site.domain !== null && !('domain' in place && hostname.toLowerCase() === site.domain);
  if (!isInsecure && !isElsewhere) return undefined;
  const origin = originFor({ html: `${protocol}://${hostname}` }, pages);
  if (!isElsewhere) return `https://${hostname}${origin.port}${originalUrl}`;
  const rest = originalUrl
    .split('/')
    .slice(prefix + 1)
    .join('/');
  return siteUrl(origin, pages, { ...site, owner: { login: site.login } }) + rest;
}

const withSlash = (url: string): string => url.replace(/[?#].*$|$/, (query) => `/${query}`);

/** The addresses of websites may change, so browsers ask again. */
const redirect = (reply: FastifyReply, address: string): FastifyReply => reply.headers(siteHeaders).redirect(address, 301);

const nothing = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not found</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:32rem;padding:0 1rem}</style>
<h1>404</h1>
<p>There is nothing at this address.</p>
</html>
`;

/** The answer for what isn't there, and for what not everybody may see. */
export const sendNothing = (reply: FastifyReply): FastifyReply =>
  reply
    .code(404)
    .headers({ ...siteHeaders, 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" })
    .type('text/html; charset=utf-8')
    .send(nothing);
