import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Links } from '#endpoint/links.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import { type ProtocolParts, type ProtocolServer, protocolPath } from './parts.ts';

type Given = Omit<ProtocolParts, 'linksOf' | 'note'> & { readonly linksFor: (request: FastifyRequest) => Links };

/**
 * Adds the runner protocol to the application. It is loaded on the first request, since only it needs its library. The library
 * writes replies itself.
 */
export function addRunnerProtocol(app: FastifyInstance, { linksFor, ...parts }: Given): void {
  const links = new WeakMap<object, Links>();
  const requests = new WeakMap<object, FastifyRequest>();
  let server: Promise<ProtocolServer> | undefined;
  const load = async (): Promise<ProtocolServer> => {
    const { openProtocol } = await import('./server.ts');
    return openProtocol({
      ...parts,
      linksOf(request) {
        const found = links.get(request);
        if (!found) throw new Error('The request does not belong to the application');
        return found;
      },
      note(request, noted) {
        Object.assign(requests.get(request) ?? {}, noted);
      },
    });
  };
  app.all(`${protocolPath}/*`, async (request, reply) => {
    links.set(request.raw, linksFor(request));
    requests.set(request.raw, request);
    server ??= load();
    const { handle } = await server;
    try {
      await handle({ request, reply });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code } = codes[error.kind] ?? { status: 400, code: 'invalid_argument' };
      return reply.code(status).send({ code, message: error.message });
    }
    return reply;
  });
  app.addHook('preClose', async () => (await server)?.close());
}

/** The codes of Connect for requests that aren't read, each with its status. */
const codes: Readonly<Partial<Record<RefusalKind, { status: number; code: string }>>> = {
  unauthenticated: { status: 401, code: 'unauthenticated' },
  not_found: { status: 404, code: 'not_found' },
  timed_out: { status: 408, code: 'deadline_exceeded' },
  too_large: { status: 429, code: 'resource_exhausted' },
  rate_limited: { status: 429, code: 'resource_exhausted' },
  too_many: { status: 429, code: 'resource_exhausted' },
  unsupported_media: { status: 501, code: 'unimplemented' },
  unavailable: { status: 503, code: 'unavailable' },
};
