// The check of a domain: its DNS records, and whether this server answers at its addresses.

import type { JobContext } from '#endpoint/job-context.ts';
import { domainOrigin, type PagesAddress, siteHost } from '#endpoint/pages-address.ts';
import type { Services } from '#endpoint/services.ts';
import { job } from '#jobs/job.ts';
import type { DomainRecords } from '#net/dns-records.ts';
import { OutboundError } from '#net/target.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { labelFor } from './present.ts';
import { type CheckPayload, checking } from './queue.ts';
import type { DomainHealth } from './schemas.ts';
import { findSite, storeHealth, withoutWww } from './store.ts';

/** The path that identifies this server behind a domain. */
export const proofPath = '/.well-known/hearth-pages';

/** The response at that path: the name of the host, signed by this server. */
export const proofOf = ({ secrets }: Pick<Services, 'secrets'>, host: string): string =>
  secrets.digest(host, 'pages.proof').toString('hex');

const replyTime = 5_000;
const proofBytes = 1_000;

export const checkDomain = job<CheckPayload, JobContext>({
  ...checking,
  async run({ repository }, { db, change, services, now }) {
    const [site, repo] = await Promise.all([findSite(db, repository), findRepository(db, repository)]);
    const owner = repo && (await findAccountById(db, repo.owner_id));
    const { pages } = services;
    if (!site?.domain || !owner || !pages) return;
    const { domain } = site;
    const base = withoutWww(domain);
    const name = pages.origin && siteHost(pages.origin, pages, { owner, label: labelFor(site, repo) });
    const isBelowZone = base.split('.').length > 2 && base === domain;
    const [found, alternative] = await Promise.all([
      checkHost({ ...services, pages }, domain, name),
      isBelowZone ? undefined : checkHost({ ...services, pages }, base === domain ? `www.${domain}` : base, name),
    ]);
    await change((scope) =>
      storeHealth(scope.tx, repository, { domain: found, ...(alternative ? { alt_domain: alternative } : {}) }, now),
    );
  },
});

type Probe = { isServed: boolean; status?: number; location?: string; problem?: string };

type Checking = Services & { pages: PagesAddress };

async function checkHost(services: Checking, host: string, name: string | undefined): Promise<DomainHealth> {
  const { pages, lookUpRecords } = services;
  const { origin } = pages;
  const [plainOrigin, secureOrigin] = [false, true].map((isSecure) => domainOrigin(pages, host, { isSecure }));
  const [records, own] = await Promise.all([lookUpRecords(host), name === undefined ? undefined : lookUpRecords(name)]);
  const resolves = records.addresses.length > 0;
  const [plain, secure] = await Promise.all([
    resolves && plainOrigin?.startsWith('http:') ? probe(services, plainOrigin) : noProbe,
    resolves && secureOrigin?.startsWith('https:') ? probe(services, secureOrigin) : noProbe,
  ]);
  const isServed = plain.isServed || secure.isServed;
  const isApex = records.nameServers.length > 0;
  return {
    host,
    uri: `${secure.isServed ? secureOrigin : plainOrigin}/`,
    nameservers: isApex ? records.nameServers.join(', ') : 'default',
    dns_resolves: resolves,
    ...networkOf(records, own),
    is_a_record: resolves && records.alias === undefined,
    has_cname_record: records.alias !== undefined,
    has_mx_records_present: records.hasMail,
    is_valid_domain: true,
    is_apex_domain: isApex,
    should_be_a_record: isApex || records.hasMail,
    is_cname_to_service_user_domain: origin ? records.alias === name && origin.hasSubdomains : null,
    is_cname_to_pages_dot_service_dot_com: origin ? records.alias === origin.hostname : null,
    is_pages_domain: false,
    is_served_by_pages: isServed,
    is_valid: isServed,
    reason: isServed ? null : reasonOf(resolves, plain.problem ?? secure.problem),
    responds_to_https: secure.status !== undefined,
    enforces_https: plain.status === 301 && (plain.location ?? '').startsWith('https:'),
    https_error: secure.status === undefined ? (secure.problem ?? null) : null,
    is_https_eligible: secure.isServed,
    caa_error: null,
  };
}

/** Conclusions from the addresses. The owners of networks aren't known here. */
function networkOf({ addresses }: DomainRecords, own: DomainRecords | undefined) {
  const ours = new Set(own?.addresses);
  const isKnown = ours.size > 0;
  return {
    is_proxied: null,
    is_cloudflare_ip: null,
    is_fastly_ip: null,
    is_old_ip_address: null,
    is_cname_to_fastly: null,
    is_pointed_to_service_pages_ip: isKnown ? addresses.some((address) => ours.has(address)) : null,
    is_non_service_pages_ip_present: isKnown ? addresses.some((address) => !ours.has(address)) : null,
  };
}

const noProbe: Probe = { isServed: false };

async function probe(services: Checking, address: string): Promise<Probe> {
  const url = new URL(proofPath, address);
  try {
    const reply = await services.outbound.get({ url, headers: {}, timeout: replyTime, maxBytes: proofBytes });
    const isServed = reply.status === 200 && reply.body.toString().trim() === proofOf(services, url.hostname);
    return { isServed, status: reply.status, location: reply.headers.location ?? '' };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { isServed: false, problem: error.message };
  }
}

function reasonOf(resolves: boolean, problem: string | undefined): string {
  if (!resolves) return 'The domain has no address.';
  return problem === undefined ? 'Another server answers at the domain.' : `The domain could not be reached: ${problem}.`;
}
