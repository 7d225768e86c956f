import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import type { Endpoint } from '#endpoint/endpoint.ts';
import type { Services } from '#endpoint/services.ts';
import type { NamedSchemas } from '#openapi/components.ts';
import { makeDocument } from '#openapi/document.ts';
import { linksFor } from './request-links.ts';

type Parts = {
  endpoints: readonly (Endpoint & { readonly family: string })[];
  schemas: NamedSchemas;
  services: Services;
  url?: string;
};

/**
 * The content security policy of the reference page. It allows the page's inline scripts by their hashes, inline styles, and
 * loading the OpenAPI document from this server.
 */
const pagePolicy = (page: string): string => {
  const scripts = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)];
  const hashes = scripts
    .filter(([, script]) => script !== '')
    .map(([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self'${hashes.join('')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};

/** Adds `/api/v3/openapi.json` (the OpenAPI document) and `/docs` (the reference page). */
export function addDescription(app: FastifyInstance, parts: Parts): void {
  const { endpoints, schemas, services } = parts;
  const { vocabulary, version } = services;
  const documents = new Map<string, string>();
  app.get('/api/v3/openapi.json', (request, reply) => {
    const server = linksFor(parts, request).api;
    // The cache is limited to a few hosts, since clients can send any number of host names.
    const known = documents.get(server);
    const text = known ?? JSON.stringify(makeDocument({ endpoints, schemas, vocabulary, version, server }));
    if (!known && documents.size < 4) documents.set(server, text);
    return reply.type('application/json; charset=utf-8').send(text);
  });
  let reference: ReturnType<typeof loadReference> | undefined;
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js'])
    app.get(path, async (_request, reply) => {
      reference ??= loadReference();
      const { statusCode, headers, payload } = await (await reference)(path);
      const { 'content-type': type, location } = headers;
      if (type !== undefined) reply.type(String(type));
      if (location !== undefined) reply.header('location', location);
      return reply.code(statusCode).header('content-security-policy', pagePolicy(payload)).send(payload);
    });
}

/**
 * Loads the reference page, and returns a function that answers its paths. Its script takes 20 MB, so it is loaded on the first
 * request.
 */
async function loadReference(): Promise<(path: string) => Promise<LightMyRequestResponse>> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const page = Fastify();
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/api/v3/openapi.json',
      pageTitle: 'Hearth: API reference',
      // Disables requests to other servers, and advertising.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  return (path) => page.inject(path);
}
