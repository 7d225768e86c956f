import type { FastifyInstance } from 'fastify';

/** As in the public API, every origin is allowed, since the API uses no cookies. */
const preflight = {
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Accept-Encoding, ' +
    'X-Service-OTP, X-Requested-With, User-Agent, X-Service-Api-Version',
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-max-age': '86400',
};

/** Answers the preflight requests of browsers. */
export function addPreflight(app: FastifyInstance, prefix: string): void {
  for (const url of [prefix, `${prefix}/*`]) app.options(url, (_request, reply) => reply.headers(preflight).code(204).send());
}
