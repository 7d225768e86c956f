import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { openOutbound } from '#net/outbound.ts';
import { readAddress } from '#resources/platform/repository-imports/index.ts';
import type { ImportContext } from '#resources/platform/repository-imports/phases.ts';
import { importWithIssues, type WantedImport } from '#resources/platform/repository-imports/rules.ts';
import { openSource, type Source, type SourceOptions } from '#resources/platform/repository-imports/source.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import type { World } from '#test/support/world.ts';

const outbound = openOutbound({ allow: ['127.0.0.0/8'] });
atEndOfFile(async () => outbound.close());

/** A client of a server that was started for the test. What it waits for is noted, and over at once. */
export function sourceAt(
  url: string,
  more: Partial<SourceOptions> = {},
): { source: Source; waits: string[]; clock: { now: Date } } {
  const clock = { now: new Date('2026-01-01T00:00:00Z') };
  const waits: string[] = [];
  const source = openSource({
    api: `${url}/api/v3`,
    outbound,
    elsewhere: outbound,
    userAgent: 'test',
    clock: () => clock.now,
    async wait(seconds, why) {
      waits.push(`${why} ${seconds}`);
      clock.now = new Date(clock.now.getTime() + seconds * 1000);
    },
    ...more,
  });
  return { source, waits, clock };
}

/** Imports a repository into the world's server. */
export function imported(
  { db, change, hearth, clock }: World,
  {
    address,
    source,
    ...wanted
  }: Omit<WantedImport, 'from' | 'people' | 'private'> &
    Partial<WantedImport> & { address: string } & Pick<ImportContext, 'source'>,
) {
  const context = { db, change, git: hearth.services.git, source, clock: () => clock.now, onProgress: () => undefined };
  return importWithIssues(context, { private: false, people: new Map(), from: readAddress(address), ...wanted });
}

export type Answer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };
type Alter = (request: { path: string; headers: http.IncomingHttpHeaders }, answer: () => Promise<Answer>) => Promise<Answer>;

/** A server in front of another one, which may answer otherwise. */
export async function inFrontOf(url: string, alter: Alter): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = http.createServer((request, response) => {
    const answer = async (): Promise<Answer> => {
      const { method, url: path, headers } = request;
      const asked = http.request({ hostname, port, method, path, headers });
      request.pipe(asked);
      const reply = await new Promise<http.IncomingMessage>((resolve, reject) =>
        asked.on('response', resolve).on('error', reject),
      );
      return { status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(await reply.toArray()) };
    };
    alter({ path: request.url ?? '', headers: request.headers }, answer).then(
      ({ status, headers: { 'transfer-encoding': _encoding, 'content-length': _length, ...headers }, body }) =>
        response.writeHead(status, headers).end(body),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address
}

/** An answer in JSON. */
export const json = (status: number, value: unknown, headers: http.IncomingHttpHeaders = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
});
