// Sends one request with a body, in a process of its own, so that the measured one does nothing else than to answer it.
import { request } from 'node:http';
import { bodies, type Sent } from './bodies.ts';

process.on('message', ({ url, method, token, body }: Sent) => {
  const bytes = bodies[body]?.() ?? Buffer.alloc(0);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': bytes.length };
  const sent = request(url, { method, headers }, (reply) => {
    reply.resume().on('end', () => process.send?.({ status: reply.statusCode, bytes: bytes.length }));
  });
  sent.on('error', (error) => process.send?.({ status: error.message, bytes: bytes.length }));
  sent.end(bytes);
});
