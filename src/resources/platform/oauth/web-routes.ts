import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { RouteParts } from '#resources/route-parts.ts';
import { limitRequests } from './limits.ts';

/** Adds routes that read the session cookie and forms, and count against the limits of callers. */
export function addWebRoutes(app: FastifyInstance, parts: RouteParts, add: (scope: FastifyInstance) => void): void {
  app.register(async (scope) => {
    await scope.register(cookie);
    limitRequests(scope, parts);
    scope.addHook('preValidation', async (request, reply) => {
      if (request.method === 'POST') request.body = await parts.readForm(request, reply);
    });
    add(scope);
  });
}
