// What DNS says of a name, for the checks of domains.
import { Resolver } from 'node:dns/promises';

/** The records of a name. What DNS doesn't know, or doesn't tell in time, is empty. */
export type DomainRecords = {
  /** IPv4 and IPv6, through aliases. */
  readonly addresses: readonly string[];
  /** The name that it is an alias of. */
  readonly alias: string | undefined;
  /** Those of a zone that begins here. */
  readonly nameServers: readonly string[];
  readonly hasMail: boolean;
};

export type RecordLookup = (name: string) => Promise<DomainRecords>;

type RecordLookupOptions = {
  /** Milliseconds for each question. */
  timeout: number;
  /** DNS servers, as `127.0.0.1:53`; those of the system where they are missing. */
  servers?: readonly string[] | undefined;
};

/** Opens a lookup that asks DNS alone: what a file of the machine says isn't what others see. */
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

/** A name without such records, and a server that doesn't answer, are alike for who asks what a name has. */
const orEmpty = <Found>(records: Promise<Found[]>): Promise<Found[]> => records.catch(() => []);
