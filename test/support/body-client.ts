// Sends one request with a body, in a separate process, so that the measured process only answers it.
import { request } from 'node:http';
import { bodies, type Sent } from './large-bodies.ts';

process.on('message', ({ url, method, token, body }: Sent) => {
  const bytes = bodies[body]?.() ?? Buffer.alloc(0);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': bytes.length };
  const tell = (status: number | string | undefined): void => {
    if (isTold) return;
    isTold = true;
    process.send?.({ status, bytes: bytes.length });
  };
  let isTold = false;
  const sent = request(url, { method, headers }, (reply) => reply.resume().on('end', () => tell(reply.statusCode)));
  sent.on('error', (error) => tell(error.message)); // after a reply, it means that the rest of the body isn't accepted
  sent.end(bytes);
});
