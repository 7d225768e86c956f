import { request as askHttp } from 'node:http';
import { request as askHttps } from 'node:https';

const timeoutMs = 5_000;

/** Why the server at an address of this machine isn't ready, by its own words or those of the connection; undefined if it is. */
export function readinessProblem({ host, port, tls }: { host: string; port: number; tls: boolean }): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const address = { hostname: reachable(host), port, path: '/readyz', timeout: timeoutMs, agent: false };
  // The certificate is for the name that people use, and nothing secret is sent.
  const asked = tls ? askHttps({ ...address, rejectUnauthorized: false }) : askHttp(address);
  asked.on('timeout', () => asked.destroy(new Error('it does not answer')));
  asked.on('error', (error) => resolve(error.message));
  asked.on('response', async (reply) => {
    const said = Buffer.concat(await reply.toArray()).toString();
    resolve(reply.statusCode === 200 ? undefined : said.trim());
  });
  asked.end();
  return promise;
}

/** An address to connect to, for one to listen on. */
const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host;
