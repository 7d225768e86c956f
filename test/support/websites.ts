import http from 'node:http';
import pino from 'pino';
import { openPagesServer } from '#pages-server/server.ts';
import type { Hearth, Settings } from '#server/hearth.ts';
import { atEndOfFile } from './end-of-file.ts';
import { type World, world } from './world.ts';

export type Served = { status: number; headers: http.IncomingHttpHeaders; body: string; bytes: Buffer };
export type SiteRequest = { host?: string; method?: string; headers?: http.OutgoingHttpHeaders; content?: string };

/** Sends a path unchanged to a port on loopback, for any host. */
export const sendTo = (port: number, path: string, wanted: SiteRequest = {}): Promise<Served> =>
  new Promise((resolve, reject) => {
    const { host = `127.0.0.1:${port}`, method = 'GET', headers = {}, content } = wanted;
    const options = { host: '127.0.0.1', port, path, method, headers: { host, ...headers }, agent: false };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes.toString(), bytes });
      });
    });
    request.on('error', reject);
    request.end(content);
  });

/** Serves the websites of a Hearth on loopback. */
export async function servePages(hearth: Hearth, { clock }: Pick<World, 'clock'>, { trustedProxies = [] }: Partial<Settings>) {
  const server = await openPagesServer(
    {
      ...hearth,
      log: pino({ level: 'fatal' }),
      clock: () => clock.now,
      trustedProxies,
      refusals: hearth.app.limitRefusals,
    },
    { host: '127.0.0.1', port: 0 },
  );
  atEndOfFile(() => server.close());
  return server;
}

/** A world whose websites are served on loopback. `get` sends a path unchanged, to any host. */
export async function websites(settings: Partial<Settings> = {}) {
  const pages = { port: 0, ...settings.pages };
  const here: World = await world({ vocabulary: 'github', ...settings, pages });
  const { app, port } = await servePages(here.hearth, here, settings);
  pages.port = port;
  const get = (path: string, wanted?: SiteRequest) => sendTo(port, path, wanted);
  return { here, get, app, port };
}
