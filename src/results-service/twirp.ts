// Twirp, the protocol of the services. Each method is a POST, and errors have a code and a message.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ownedCaller } from '#access/rate-limits.ts';
import { everybody } from '#access/viewer.ts';
import { changing } from '#endpoint/change-in.ts';
import { openScope, type ServedScope } from '#endpoint/scope.ts';
import { notFound, orNotFound, Refusal, type RefusalKind, unauthenticated } from '#lib/refusal.ts';
import { findJobOfToken, type JobRow } from '#resources/actions/workflow-runs/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { type Message, readMessage } from './message.ts';
import type { Exchange, ResultsParts } from './parts.ts';

/** The input of a method. The job is running, and the request's token belongs to it. */
export type TwirpCall = ServedScope & { readonly job: JobRow };

/** The methods of a service, by name. Replies use the JSON form of Protocol Buffers. */
export type TwirpMethods = Readonly<Record<string, (call: TwirpCall, message: Message) => Promise<object>>>;

const packageName = 'github.actions.results.api.v1';

/** Adds a service to the application. */
export function addTwirpService(app: FastifyInstance, parts: ResultsParts, service: string, methods: TwirpMethods): void {
  app.post<{ Params: { method: string } }>(`/twirp/${packageName}.${service}/:method`, async (request, reply) => {
    const { method } = request.params;
    try {
      return await answer(parts, Object.hasOwn(methods, method) ? methods[method] : undefined, { request, reply });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code } = codes[error.kind];
      return reply.code(status).send({ code, msg: error.message });
    }
  });
}

async function answer(
  { database: { db }, services, clock, linksFor, readJson, admit }: ResultsParts,
  method: TwirpMethods[string] | undefined,
  { request, reply }: Exchange,
): Promise<object> {
  const { secrets } = services;
  const now = clock();
  const job = await findJobOfToken(db, { secrets, now }, tokenOf(request));
  if (!job) throw unauthenticated('The token is not that of a job that runs');
  if (!method) throw notFound();
  const { owner_id } = orNotFound(await findRepository(db, job.repository_id));
  const caller = ownedCaller(`job:${job.id}`, owner_id);
  request.caller = caller;
  const message = readMessage(await readJson({ request, reply }, caller));
  await admit(caller, reply);
  const links = linksFor(request);
  const scope = changing(openScope({ db, links, viewer: everybody, now, git: services.git, services }));
  return method({ ...scope, job }, message);
}

const tokenOf = ({ headers }: FastifyRequest): string => /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** The codes of Twirp, each with its status. */
const codes: Readonly<Record<RefusalKind, { status: number; code: string }>> = {
  bad_request: { status: 400, code: 'invalid_argument' },
  invalid: { status: 400, code: 'invalid_argument' },
  too_large: { status: 400, code: 'out_of_range' },
  unsupported_media: { status: 400, code: 'malformed' },
  unauthenticated: { status: 401, code: 'unauthenticated' },
  forbidden: { status: 403, code: 'permission_denied' },
  not_found: { status: 404, code: 'not_found' },
  gone: { status: 404, code: 'not_found' },
  not_allowed: { status: 404, code: 'bad_route' },
  timed_out: { status: 408, code: 'deadline_exceeded' },
  precondition_failed: { status: 412, code: 'failed_precondition' },
  conflict: { status: 409, code: 'already_exists' },
  rate_limited: { status: 429, code: 'resource_exhausted' },
  too_many: { status: 429, code: 'resource_exhausted' },
  unavailable: { status: 503, code: 'unavailable' },
  bad_gateway: { status: 503, code: 'unavailable' },
};
