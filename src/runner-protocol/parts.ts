import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '#database/connect.ts';
import type { Links } from '#endpoint/links.ts';
import type { Services } from '#endpoint/services.ts';
import type { Caller } from '#lib/caller.ts';
import type { ReadBytes } from './read-message.ts';

/** The path where runners find the protocol. */
export const protocolPath = '/api/actions';

/** The parts that the protocol needs. */
export type ProtocolParts = {
  readonly database: Database;
  readonly services: Services;
  readonly clock: () => Date;
  /** The addresses that a request used to reach the server. */
  readonly linksOf: (request: IncomingMessage) => Links;
  readonly readBytes: ReadBytes;
  /** Waits for the caller's turn among all requests. @throws Refusal if too many of its requests wait */
  readonly admit: (caller: Caller, reply: FastifyReply) => Promise<void>;
  /** Records for the log which runner sent a request, or why the request failed. */
  readonly note: (
    request: IncomingMessage,
    noted: { readonly runner: number; readonly actor: string } | { readonly cause: unknown },
  ) => void;
};

/** Answers runners' requests until it is closed. */
export type ProtocolServer = {
  /** @throws Refusal where the request isn't read */
  handle(exchange: { request: FastifyRequest; reply: FastifyReply }): Promise<void>;
  close(): Promise<void>;
};
