// Forms of pages that were sent: whether a page of the session sent them, their fields, and what they call.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Form, Submission } from '#console/form.ts';
import type { FormFields, RefusedForm } from '#console/page.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { wordsOf } from '#endpoint/path-words.ts';
import { badRequest, forbidden, Refusal, type RefusalKind } from '#lib/refusal.ts';
import { isCsrfOf, isOwnOrigin, type Session } from '#resources/platform/oauth/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { consumePageLimit, limitOf } from '#server/rate-limit.ts';
import { type RunContext, run } from '#server/run.ts';
import type { Refused } from '#server/send-error.ts';

const foreign = 'The form is out of date, or came from another site. Nothing was changed.';

/**
 * Reads a form that a page of the session sent.
 * @throws Refusal if its origin or its token is another one, before anything is called
 */
export async function readSentForm(
  parts: RouteParts,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  session: Session,
): Promise<FormFields> {
  if (!isOwnOrigin(parts, request)) throw forbidden(foreign);
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) throw badRequest('This is no form of a page');
  const sent = new URLSearchParams(await parts.readForm(request, reply));
  const tokens = sent.getAll('csrf');
  if (tokens.length !== 1 || !isCsrfOf(session.token, tokens[0])) throw forbidden(foreign);
  return { text: (name) => sent.get(name) ?? '', list: (name) => sent.getAll(name) };
}

/**
 * Calls what a form declares.
 * @returns the path to go to
 * @throws Refusal of the endpoint, or of the form itself
 */
export async function callForm(form: Form, submission: Submission, context: RunContext): Promise<string> {
  const { endpoint, words, query, body, next } = form;
  const own = words(submission);
  const values = Object.fromEntries(wordsOf(endpoint.path).map((word) => [word, own[word] ?? submission.words[word] ?? '']));
  const bucket = limitOf(endpoint, query(submission));
  if (bucket) await consumePageLimit({ ...context, viewer: context.scope.viewer, db: context.scope.db }, bucket);
  const given = body(submission);
  const reply = await run(endpoint as Endpoint, context, values, {
    query: query(submission) as object,
    ...(given === undefined ? {} : { body: given }),
  });
  return next(reply.body, submission);
}

/** The refusals that are shown on no page, since it would be about something that isn't there. */
const absent: ReadonlySet<RefusalKind> = new Set(['not_found', 'unauthenticated']);

/** Whether the page of a form is shown again with an error. */
export const isShownAgain = (error: unknown): boolean => error instanceof Refusal && !absent.has(error.kind);

/** What the page of a form shows of a refusal. */
export function refusedForm(form: Form, { message, errors = [] }: Refused, fields: FormFields): RefusedForm {
  const texts = errors.flatMap(({ field, message: text }) => (text === undefined ? [] : [[field, text] as const]));
  const problems = Object.fromEntries(texts);
  return { path: form.path, message: texts[0]?.[1] ?? message, problems, fields };
}
