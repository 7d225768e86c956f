/**
 * A receiver in a separate process. It never answers `/hang…`, and answers everything else immediately. It reports its port, and
 * then what it received.
 */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { secret } from './secret.ts';

const taken = new Map<string, { times: number; at: number }>();
let wrong = 0;

const server = http.createServer((request, response) => {
  const hmac = createHmac('sha256', secret);
  request.on('data', (chunk: Buffer) => hmac.update(chunk));
  request.on('end', () => {
    if (request.headers['x-hub-signature-256'] !== `sha256=${hmac.digest('hex')}`) wrong++;
    if (request.url?.startsWith('/hang')) return;
    const guid = String(request.headers['x-service-delivery']);
    const known = taken.get(guid);
    taken.set(guid, { times: (known?.times ?? 0) + 1, at: known?.at ?? Date.now() });
    response.end('ok');
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ wrong, taken: [...taken].map(([guid, { times, at }]) => ({ guid, times, at })) });
});
process.on('disconnect', () => process.exit());
