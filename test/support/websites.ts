import http from 'node:http';
import pino from 'pino';
import { openPagesServer } from '#pages-server/server.ts';
import type { Settings } from '#server/hearth.ts';
import { atEndOfFile } from './end-of-file.ts';
import { type World, world } from './world.ts';

export type Served = { status: number; headers: http.IncomingHttpHeaders; body: string; bytes: Buffer };
export type SiteRequest = { host?: string; method?: string; headers?: http.OutgoingHttpHeaders };

/** A world whose websites are served on loopback. `get` sends a path as it is, to any host. */
export async function websites(settings: Partial<Settings> = {}) {
  const pages = { port: 0, ...settings.pages };
  const here: World = await world({ vocabulary: 'github', ...settings, pages });
  const { hearth } = here;
  const server = await openPagesServer(
    {
      ...hearth,
      log: pino({ level: 'fatal' }),
      trustedProxies: settings.trustedProxies ?? [],
      refusals: hearth.app.limitRefusals,
    },
    { host: '127.0.0.1', port: 0 },
  );
  pages.port = server.port;
  atEndOfFile(() => server.close());
  const get = (path: string, { host = `127.0.0.1:${server.port}`, method = 'GET', headers = {} }: SiteRequest = {}) =>
    new Promise<Served>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path, method, headers: { host, ...headers }, agent: false };
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
      request.end();
    });
  return { here, get, app: server.app, port: server.port };
}
