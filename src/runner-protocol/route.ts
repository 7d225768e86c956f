import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Links } from '#endpoint/links.ts';
import { type ProtocolParts, type ProtocolServer, protocolPath } from './parts.ts';

type Given = Omit<ProtocolParts, 'linksOf' | 'note'> & { readonly linksFor: (request: FastifyRequest) => Links };

/**
 * Adds the runner protocol to the application. It is loaded on the first request, since only it needs its library. The library
 * reads bodies and writes replies itself.
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
    reply.hijack();
    handle(request.raw, reply.raw);
  });
  app.addHook('preClose', async () => (await server)?.close());
}
