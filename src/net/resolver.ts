import { Resolver as DnsResolver, lookup } from 'node:dns/promises';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { LimitValues } from '#lib/limits.ts';
import { readHosts } from './hosts-file.ts';
import type { nameLimits } from './limits.ts';
import { OutboundError, type Resolver } from './target.ts';

type ResolverOptions = {
  limits: LimitValues<typeof nameLimits>;
  /** DNS servers, for example `127.0.0.1:53`. If omitted, the system's servers. */
  servers?: readonly string[];
  hostsFile?: string;
  /** The system's resolver. It runs on the thread pool that `fs`, `zlib` and `crypto` use too. */
  systemLookup?: Resolver;
};

/** The number of names in the cache. */
const maxCached = 1_000;
/** The system's DNS servers are read again after this time, since they may change. */
const serversMs = 60_000;
/** DNS errors after which the system's resolver is tried, since it may know names of the local network. */
const unknownToDns: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EREFUSED', 'ENONAME', 'EBADNAME']);

/**
 * A resolver that doesn't block the thread pool of the process, as many slow lookups by the system would. It reads the hosts
 * file, then uses DNS over sockets with a timeout. Only names that DNS doesn't know are looked up by the system, a few
 * concurrently (decision 14).
 */
export function openResolver(options: ResolverOptions): Resolver {
  const { limits, hostsFile = '/etc/hosts', systemLookup = lookupBySystem } = options;
  const cache = new Map<string, { until: number; addresses: Promise<readonly string[]> }>();
  const dns = dnsClient(options);
  const limiter = concurrencyLimiter('names.lookups', {
    total: limits.lookups,
    perCaller: Math.max(1, Math.floor(limits.lookups / 2)),
    anonymous: limits.lookups,
    waiting: limits.waiting,
    waitingTime: limits.lookupTime,
  });

  const resolveBySystem = async (name: string): Promise<readonly string[]> => {
    // Each domain counts as a caller, so that one with many names doesn't delay others.
    const release = await limiter.acquire({ key: domainOf(name), kind: 'signed_in' });
    return systemLookup(name).finally(release);
  };
  const resolve = async (name: string): Promise<readonly string[]> => {
    const hostsEntry = (await readHosts(hostsFile)).get(name);
    if (hostsEntry) return hostsEntry;
    const answers = await Promise.allSettled([dns().resolve4(name), dns().resolve6(name)]);
    const [first = [], second = []] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const addresses = interleave(first, second);
    if (addresses.length > 0) return addresses;
    const failure = answers.find((answer) => answer.status === 'rejected' && !unknownToDns.has(answer.reason?.code));
    if (failure) throw new OutboundError('unresolved', `${name} could not be resolved`);
    return resolveBySystem(name);
  };

  return (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const now = performance.now();
    const cached = cache.get(name);
    if (cached && cached.until > now) return cached.addresses;
    const addresses = withTimeout(resolve(name), limits.lookupTime);
    addresses.catch(() => undefined); // the caller handles it
    cache.delete(name);
    cache.set(name, { until: now + limits.lookupTime + limits.kept, addresses });
    const startExpiry = (): void => {
      const entry = cache.get(name);
      if (entry?.addresses === addresses) entry.until = performance.now() + limits.kept;
    };
    addresses.then(startExpiry, startExpiry);
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    return addresses;
  };
}

const lookupBySystem: Resolver = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** Returns a function that gives the DNS client. It opens a new one every `serversMs`, to read the system's servers again. */
function dnsClient({ limits, servers }: ResolverOptions): () => DnsResolver {
  const open = (): DnsResolver => {
    const client = new DnsResolver({ timeout: Math.ceil(limits.lookupTime / 5), tries: 2 });
    if (servers) client.setServers(servers);
    return client;
  };
  let client = open();
  let opened = performance.now();
  return () => {
    if (performance.now() - opened > serversMs) {
      client = open();
      opened = performance.now();
    }
    return client;
  };
}

/** The last two labels of a name. */
const domainOf = (name: string): string => name.split('.').slice(-2).join('.');

/** Alternates the IPv4 and IPv6 addresses, so that a machine without IPv6 tries an IPv4 address early. */
const interleave = (one: readonly string[], other: readonly string[]): string[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [one[at], other[at]])
    .flat()
    .filter((address) => address !== undefined);

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new OutboundError('unresolved', 'the name was not resolved in time')),
    milliseconds,
  );
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
