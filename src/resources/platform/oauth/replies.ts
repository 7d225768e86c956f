import type { FastifyReply, FastifyRequest } from 'fastify';
import { htmlDocument } from '#html/document.ts';
import { contentPolicy, newNonce } from '#html/policy.ts';
import { type NarrowPage, narrowFrame } from './pages.ts';

/** Sends a page to a browser. */
export function sendPage(reply: FastifyReply, page: NarrowPage, status = 200): FastifyReply {
  const nonce = newNonce();
  const { title, formTargets } = page;
  return reply
    .code(status)
    .header('content-security-policy', contentPolicy({ nonce, formTargets }))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(htmlDocument({ title, body: narrowFrame(page), nonce, isIndexed: false }));
}

/** Sends a reply to an OAuth client: form-encoded, unless its `Accept` asks for JSON. */
export function send(request: FastifyRequest, reply: FastifyReply, body: Record<string, string | number>): FastifyReply {
  reply.header('cache-control', 'no-store');
  if ((request.headers.accept ?? '').includes('json'))
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  const form = new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]));
  return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(form.toString());
}
