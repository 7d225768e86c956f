import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import type { Refusal } from '#lib/refusal.ts';

/** What routes outside of the API use of the server: pages in a browser, OAuth's endpoints, images. */
export type RouteParts = {
  database: Database;
  clock: () => Date;
  services: Pick<
    Services,
    | 'limits'
    | 'resourceLimits'
    | 'limiters'
    | 'pages'
    | 'knownClients'
    | 'passwordLimiter'
    | 'url'
    | 'ssh'
    | 'git'
    | 'repositoryRules'
    | 'secrets'
    | 'outbound'
    | 'imageLimiter'
  >;
  /** The address under which a request reached this server. */
  origin: (request: FastifyRequest) => string;
  /** Runs a change of a request in one transaction. */
  change: <T>(request: FastifyRequest, work: (scope: WriteScope) => Promise<T>) => Promise<T>;
  /** Reads the text of a body. */
  readForm: (request: FastifyRequest, reply: FastifyReply) => Promise<string>;
  /** Waits for a slot of the server's concurrency limit. */
  admit: (caller: Caller, reply: FastifyReply) => Promise<void>;
  /** Counts a refusal by a limit. */
  noteRefusal: (request: FastifyRequest, refusal: Refusal) => void;
};

/** Adds routes outside of the API to the server. */
export type AddRoutes = (app: FastifyInstance, parts: RouteParts) => void;
