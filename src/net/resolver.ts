import { Resolver as DnsResolver, lookup } from 'node:dns/promises';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import type { ResourceLimits } from '#lib/limits.ts';
import { readHosts } from './hosts-file.ts';
import { OutboundError, type Resolver } from './target.ts';

export type ResolverOptions = {
  limits: ResourceLimits['names'];
  /** DNS servers, as `127.0.0.1:53`; those of the system where they are missing. */
  servers?: readonly string[];
  hostsFile?: string;
  /** Asks the system, on a thread that `fs`, `zlib` and `crypto` use too. */
  systemLookup?: Resolver;
};

/** How many names are kept. */
const maxKept = 1_000;
/** The system's DNS servers are read again after this time, since they may change. */
const serversMs = 60_000;
/** What DNS answers where a name may still be one of the local network, which the system finds by other ways. */
const unknownToDns: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EREFUSED', 'ENONAME', 'EBADNAME']);

/**
 * Looks up names without the thread pool of the process, whose few threads would all wait for names that are never answered. The
 * hosts file comes first, then DNS, over sockets and with a time limit. Only a name that DNS doesn't know goes to the system, a
 * few at once (decision 14).
 */
export function openResolver(options: ResolverOptions): Resolver {
  const { limits, hostsFile = '/etc/hosts', systemLookup = lookUp } = options;
  const kept = new Map<string, { until: number; addresses: Promise<readonly string[]> }>();
  const dns = dnsClient(options);
  const limiter = concurrencyLimiter('names.lookups', {
    total: limits.lookups,
    perCaller: Math.max(1, Math.floor(limits.lookups / 2)),
    anonymous: limits.lookups,
    waiting: limits.waiting,
    waitingTime: limits.lookupTime,
  });

  const askSystem = async (name: string): Promise<readonly string[]> => {
    // Names of one domain take turns with those of others.
    const release = await limiter.acquire({ key: domainOf(name), kind: 'signed_in' });
    return systemLookup(name).finally(release);
  };
  const resolve = async (name: string): Promise<readonly string[]> => {
    const listed = (await readHosts(hostsFile)).get(name);
    if (listed) return listed;
    const answers = await Promise.allSettled([dns().resolve4(name), dns().resolve6(name)]);
    const [first = [], second = []] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const addresses = interleaved(first, second);
    if (addresses.length > 0) return addresses;
    const failure = answers.find((answer) => answer.status === 'rejected' && !unknownToDns.has(answer.reason?.code));
    if (failure) throw new OutboundError('unresolved', `${name} could not be resolved`);
    return askSystem(name);
  };

  return (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const now = performance.now();
    const known = kept.get(name);
    if (known && known.until > now) return known.addresses;
    const addresses = within(resolve(name), limits.lookupTime);
    addresses.catch(() => undefined); // whoever waits for it is told
    kept.delete(name);
    kept.set(name, { until: now + limits.lookupTime + limits.kept, addresses });
    const settled = (): void => {
      const entry = kept.get(name);
      if (entry?.addresses === addresses) entry.until = performance.now() + limits.kept;
    };
    addresses.then(settled, settled);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return addresses;
  };
}

const lookUp: Resolver = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** Gives the client for DNS; a new one now and then, which knows the system's present servers. */
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

/** The first of both, the second of both and so on, so that a machine without IPv6 soon comes to an address that it reaches. */
const interleaved = (one: readonly string[], other: readonly string[]): string[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [one[at], other[at]])
    .flat()
    .filter((address) => address !== undefined);

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new OutboundError('unresolved', 'the name was not resolved in time')), milliseconds);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
