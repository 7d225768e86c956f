import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Pages load and run nothing, and can't be framed. Forms aren't limited to this server, since consent redirects the browser to
 * the app.
 */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** Sends an HTML page to a browser. */
export const sendPage = (reply: FastifyReply, html: string, status = 200): FastifyReply =>
  reply
    .code(status)
    .header('content-security-policy', pagePolicy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html);

/** Sends a reply to an OAuth client: form-encoded, unless its `Accept` asks for JSON. */
export function send(request: FastifyRequest, reply: FastifyReply, body: Record<string, string | number>): FastifyReply {
  reply.header('cache-control', 'no-store');
  if ((request.headers.accept ?? '').includes('json'))
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  const form = new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]));
  return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(form.toString());
}
