// Sends one request with a body, in a process of its own, so that the measured one does nothing else than to answer it.
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
  sent.on('error', (error) => tell(error.message)); // after a reply, it is that the rest of the body isn't taken
  sent.end(bytes);
});
