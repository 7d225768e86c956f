import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteParts } from '#resources/route-parts.ts';
import { limitRequests } from './limits.ts';
import { mustChangePassword, sessionOf, toPassword } from './sessions.ts';

const alwaysOpen: ReadonlySet<string | undefined> = new Set(['/login', '/logout', '/setup/:token']);

const isAlwaysOpen = ({ routeOptions }: FastifyRequest): boolean => alwaysOpen.has(routeOptions.url);

/** Adds routes that read the session cookie and forms, and count against the limits of callers. */
export function addWebRoutes(app: FastifyInstance, parts: RouteParts, add: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    await scope.register(cookie);
    limitRequests(scope, parts);
    scope.addHook('preValidation', async (request, reply) => {
      if (request.method === 'POST') request.body = await parts.readForm(request, reply);
    });
    scope.addHook('preHandler', async (request, reply) => {
      if (!isAlwaysOpen(request) && mustChangePassword(await sessionOf(parts, request)))
        return reply.redirect(toPassword(request.url), 303);
    });
    add(scope);
  });
}
