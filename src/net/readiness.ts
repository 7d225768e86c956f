import { http, https } from './http.ts';

const timeoutMs = 5_000;

/**
 * Requests `/readyz` from a server on this machine. Returns the body of its error or the connection error; undefined if it is
 * ready.
 */
export function readinessProblem({ host, port, tls }: { host: string; port: number; tls: boolean }): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const address = { hostname: reachable(host), port, path: '/readyz', timeout: timeoutMs, agent: false };
  // The certificate isn't issued for this address, and no secret is sent.
  const request = tls ? https.request({ ...address, rejectUnauthorized: false }) : http.request(address);
  request.on('timeout', () => request.destroy(new Error('it does not answer')));
  request.on('error', (error) => resolve(error.message));
  request.on('response', async (reply) => {
    const text = Buffer.concat(await reply.toArray()).toString();
    resolve(reply.statusCode === 200 ? undefined : text.trim());
  });
  request.end();
  return promise;
}

/** The address to connect to for a listening address. */
const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host;
