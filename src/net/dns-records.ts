// DNS records of a name, for domain checks.
import { Resolver } from 'node:dns/promises';

/** The records of a name. Records that don't exist, or that DNS doesn't return in time, are empty. */
export type DomainRecords = {
  /** IPv4 and IPv6, through aliases. */
  readonly addresses: readonly string[];
  /** The name that it is an alias for. */
  readonly alias: string | undefined;
  /** The name servers of a zone that begins here. */
  readonly nameServers: readonly string[];
  readonly hasMail: boolean;
};

export type RecordLookup = (name: string) => Promise<DomainRecords>;

type RecordLookupOptions = {
  /** Milliseconds for each query. */
  timeout: number;
  /** DNS servers, such as `127.0.0.1:53`. Omitted: the system's servers. */
  servers?: readonly string[] | undefined;
};

/** Opens a lookup that uses only DNS. Others don't see this machine's hosts file. */
export function openRecordLookup({ timeout, servers }: RecordLookupOptions): RecordLookup {
  return async (name) => {
    const client = new Resolver({ timeout: Math.ceil(timeout / 5), tries: 2 });
    if (servers) client.setServers(servers);
    const [four, six, aliases, nameServers, mail] = await Promise.all([
      orEmpty(client.resolve4(name)),
      orEmpty(client.resolve6(name)),
      orEmpty(client.resolveCname(name)),
      orEmpty(client.resolveNs(name)),
      orEmpty(client.resolveMx(name)),
    ]);
    return {
      addresses: [...four, ...six],
      alias: aliases[0]?.toLowerCase().replace(/\.$/, ''),
      nameServers,
      hasMail: mail.length > 0,
    };
  };
}

/** The caller treats a name without such records like a server that doesn't respond. */
const orEmpty = <Found>(records: Promise<Found[]>): Promise<Found[]> => records.catch(() => []);
