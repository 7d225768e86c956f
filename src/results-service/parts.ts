import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#database/connect.ts';
import type { File } from '#endpoint/call.ts';
import type { Links } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import type { Json } from '#lib/json-reader.ts';
import type { Receive } from '#resources/actions/job-uploads/index.ts';

export type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/** The parts that the services need. */
export type ResultsParts = {
  readonly database: Database;
  readonly services: Services;
  readonly clock: () => Date;
  /** The addresses that a request used to reach the server. */
  readonly linksFor: (request: FastifyRequest) => Links;
  /** Waits for the caller's turn among all requests. @throws Refusal if too many of its requests wait */
  readonly admit: (caller: Caller, reply: FastifyReply) => Promise<void>;
  /** Reads a JSON body; undefined if the request has no body. */
  readonly readJson: (exchange: Exchange, caller: Caller) => Promise<Json | undefined>;
  /** Receives a body in parts. */
  readonly receive: (exchange: Exchange, caller: Caller, ...how: Parameters<Receive>) => Promise<void>;
  /** Sends a file, or the requested part of it. */
  readonly send: (exchange: Exchange, caller: Caller, file: File) => Promise<void>;
};
