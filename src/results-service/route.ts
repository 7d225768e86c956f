// The services that programs in jobs use to store results: artifacts and caches. This folder only translates the protocol. The
// families hold the rules.
import type { FastifyInstance } from 'fastify';
import { artifactMethods } from './artifacts.ts';
import { addBlobs } from './blobs.ts';
import { cacheMethods } from './caches.ts';
import type { ResultsParts } from './parts.ts';
import { addTwirpService } from './twirp.ts';

/** Adds the services to the application, at the root of the server, where clients expect them. */
export function addResultsService(app: FastifyInstance, parts: ResultsParts): void {
  addTwirpService(app, parts, 'ArtifactService', artifactMethods);
  addTwirpService(app, parts, 'CacheService', cacheMethods);
  addBlobs(app, parts);
}
