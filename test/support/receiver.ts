import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEndOfFile } from './end-of-file.ts';

export type Received = { headers: http.IncomingHttpHeaders; body: string; path: string };

export type Receiver = {
  url: string;
  requests: Received[];
  /** Replies to further requests: with a status, a complete reply, or not at all. */
  answer: (response: http.ServerResponse, request: Received) => void;
};

/** A server on loopback that records requests. Closed after the last test of the file. */
export async function receiver(answer: Receiver['answer'] = (response) => response.end('ok')): Promise<Receiver> {
  const self: Receiver = { url: '', requests: [], answer };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = { headers: request.headers, body: Buffer.concat(chunks).toString(), path: request.url ?? '' };
      self.requests.push(received);
      self.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address
  self.url = `http://127.0.0.1:${port}/hook`;
  atEndOfFile(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return self;
}
