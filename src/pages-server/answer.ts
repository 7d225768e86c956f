import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import { isHttps, originFor, type PagesAddress, siteHost, siteUrl } from '#endpoint/pages-address.ts';
import type { Services } from '#endpoint/services.ts';
import { repoOf, storeFor } from '#git/store.ts';
import { batchLoader } from '#lib/batch-loader.ts';
import {
  type AskedAddress,
  comeBackPath,
  keyOfAddress,
  loadServedSites,
  pagesLimits,
  proofOf,
  proofPath,
  type ServedSite,
} from '#resources/actions/pages/index.ts';
import { partsOf, type SiteCandidate, siteCandidatesOf } from './address.ts';
import { findFile } from './find-file.ts';
import { privateHeaders, sendFile, sendMissing, sendNothing, siteHeaders } from './send.ts';
import { cookieOf, leadToSignIn, welcomeBack } from './sign-in.ts';

type AnswerParts = {
  database: Pick<Database, 'db'>;
  services: Services;
  clock: () => Date;
  /** Whether the protocol of a request is known: the process uses TLS itself, or trusts a proxy. */
  knowsProtocol: boolean;
};

type SiteLoader = (candidate: RequestedSite) => Promise<ServedSite | undefined>;
type RequestedSite = SiteCandidate & Pick<AskedAddress, 'session'>;

/** A website, and the path parts below it. `prefix` is the number of the other parts. */
type Located = { site: ServedSite; candidate: SiteCandidate; prefix: number };

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Answers requests for websites. It ignores credentials of the server itself: a website is public, or has its own sessions. */
export function answerer(parts: AnswerParts): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { services } = parts;
  const findSite = siteLoader(parts);
  return async (request, reply) => {
    const pages = services.pages;
    const url = request.originalUrl;
    reply.headers(siteHeaders);
    if (url === proofPath) return reply.type('text/plain; charset=utf-8').send(`${proofOf(services, request.hostname)}\n`);
    const path = partsOf(url);
    const located = pages && path ? await locate(findSite, pages, request, path) : undefined;
    if (!pages || !path || !located) return sendNothing(reply);
    const { site, prefix } = located;
    if (site.label !== null) reply.headers(privateHeaders);
    if (site.label !== null && pages.server === undefined) return sendNothing(reply);
    const elsewhere = properAddress(parts, pages, request, located);
    if (elsewhere !== undefined) return reply.redirect(elsewhere, 301);
    if (site.label !== null && url.startsWith(`${comeBackPath}?`))
      return welcomeBack({ request, reply }, parts, { pages, site, url: addressOf(request, pages, site) });
    if (!site.isSeen) return leadToSignIn({ request, reply }, pages);
    const below = path.slice(prefix);
    return below.length === 0 ? reply.redirect(withSlash(url), 301) : sendBelow({ request, reply }, services, site, below);
  };
}

async function sendBelow(
  exchange: Exchange,
  services: Services,
  { repository, tree }: ServedSite,
  below: readonly string[],
): Promise<FastifyReply> {
  const { request, reply } = exchange;
  if (tree === null) return sendNothing(reply);
  const gitRepository = repoOf(storeFor(services.git, callerOf(anonymous, request.ip)), repository);
  const bounds = services.resourceLimits.of(pagesLimits);
  const found = await findFile(gitRepository, tree, below, bounds);
  if (found === 'folder') return reply.redirect(withSlash(request.originalUrl), 301);
  if (found) return sendFile(exchange, gitRepository, found, bounds);
  const missing = await findFile(gitRepository, tree, ['404.html'], bounds);
  return missing && missing !== 'folder' ? sendMissing(exchange, gitRepository, missing, bounds) : sendNothing(reply);
}

/** Finds websites. Requests of the same turn of the event loop share one statement, which is sent after all of them. */
function siteLoader({ database, clock }: AnswerParts): SiteLoader {
  const open = () => {
    const candidates = new Map<string, RequestedSite>();
    const { load } = batchLoader<string, ServedSite>((keys) =>
      loadServedSites(
        database.db,
        new Map(keys.flatMap((key) => (candidates.has(key) ? [[key, candidates.get(key) as RequestedSite]] : []))),
        clock(),
      ),
    );
    return (candidate: RequestedSite) => {
      const key = keyOfAddress(candidate);
      candidates.set(key, candidate);
      return load(key);
    };
  };
  let current: SiteLoader | undefined;
  return (candidate) => {
    if (!current) {
      current = open();
      setImmediate(() => {
        current = undefined;
      });
    }
    return current(candidate);
  };
}

/** The first candidate with a website. If a website has its own host, it is looked up with the browser's session there. */
async function locate(
  findSite: SiteLoader,
  pages: PagesAddress,
  request: FastifyRequest,
  path: readonly string[],
): Promise<Located | undefined> {
  const candidates = siteCandidatesOf(pages.origin, request.hostname, path);
  const sites = await Promise.all(
    candidates.map((candidate) =>
      findSite('owner' in candidate ? candidate : { ...candidate, session: cookieOf(request, pages, 'session') }),
    ),
  );
  const at = sites.findIndex((site) => site !== undefined);
  const [site, candidate] = [sites[at], candidates[at]];
  return site && candidate ? { site, candidate, prefix: candidate.ownerParts + (site.isByFirst ? 1 : 0) } : undefined;
}

const withOwner = (site: ServedSite) => ({ ...site, owner: { login: site.login } });

/** The address of a website, as in the API. */
const addressOf = ({ protocol, hostname }: FastifyRequest, pages: PagesAddress, site: ServedSite): string =>
  siteUrl(originFor({ html: `${protocol}://${hostname}` }, pages), pages, withOwner(site));

/**
 * The redirect target of a request, if any. A website has one address: its domain or host if it has one, and HTTPS if required.
 */
function properAddress(
  { knowsProtocol }: AnswerParts,
  pages: PagesAddress,
  request: FastifyRequest,
  { site, candidate, prefix }: Located,
): string | undefined {
  const { protocol, hostname, originalUrl } = request;
  const isSecured = site.https_enforced || (site.label !== null && isHttps(pages));
  const isInsecure = knowsProtocol && isSecured && protocol === 'http';
  const isElsewhere = !isProperHost(hostname.toLowerCase(), pages, { site, candidate });
  if (!isInsecure && !isElsewhere) return undefined;
  if (!isElsewhere) return `https://${hostname}${originFor({ html: `${protocol}://${hostname}` }, pages).port}${originalUrl}`;
  const rest = originalUrl
    .split('/')
    .slice(prefix + 1)
    .join('/');
  return addressOf(request, pages, site) + rest;
}

function isProperHost(host: string, pages: PagesAddress, { site, candidate }: Pick<Located, 'site' | 'candidate'>): boolean {
  if (site.domain !== null) return 'domain' in candidate && host === site.domain;
  if (!('label' in candidate)) return true;
  return site.label !== null && pages.origin !== undefined && host === siteHost(pages.origin, pages, withOwner(site));
}

const withSlash = (url: string): string => url.replace(/[?#].*$|$/, (query) => `/${query}`);
