// The services by which programs in jobs keep results: artifacts and caches. It only translates; what these are is in the families.
import type { FastifyInstance } from 'fastify';
import { artifactMethods } from './artifacts.ts';
import { addBlobs } from './blobs.ts';
import { cacheMethods } from './caches.ts';
import type { ResultsParts } from './parts.ts';
import { addTwirpService } from './twirp.ts';

/** Adds the services to the application, at the root of the server, where their clients look for them. */
export function addResultsService(app: FastifyInstance, parts: ResultsParts): void {
  addTwirpService(app, parts, 'ArtifactService', artifactMethods);
  addTwirpService(app, parts, 'CacheService', cacheMethods);
  addBlobs(app, parts);
}
