import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/**
 * The addresses of each name in the text of a hosts file. Names are converted to lower case. Addresses with an interface are
 * omitted.
 */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), address]);
    }
  }
  return hosts;
}

/** Reads a hosts file; empty if it doesn't exist. */
export const readHosts = async (file: string): Promise<Map<string, string[]>> =>
  parseHosts(await readFile(file, 'utf8').catch(() => ''));
