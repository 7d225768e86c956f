/**
 * Asks the server of these settings whether it is ready, and ends with 1 if it isn't: the health check of the container. It is a
 * program of its own, since the whole command line takes five times as long to load. The server must have its settings from
 * variables, as this has.
 */
import { request as askHttp } from 'node:http';
import { request as askHttps } from 'node:https';
import { type Config, readConfig } from './settings.ts';

const timeoutMs = 5_000;

function ask({ host, port, tlsCert }: Config): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const address = { hostname: reachable(host), port, path: '/readyz', timeout: timeoutMs, agent: false };
  // The certificate is for the name that people use, and nothing secret is sent.
  const asked = tlsCert ? askHttps({ ...address, rejectUnauthorized: false }) : askHttp(address);
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

const problem = await ask(readConfig({}, process.env).config).catch(String);
if (problem !== undefined) {
  process.stderr.write(`Hearth is not ready: ${problem}\n`);
  process.exitCode = 1;
}
