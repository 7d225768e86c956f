import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '#access/viewer.ts';
import { asId } from '#lib/id.ts';
import { Refusal } from '#lib/refusal.ts';
import {
  type AppRow,
  acceptPermissions,
  findAppById,
  findInstallationById,
  type InstallationOfApp,
  waitingFor,
} from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { csrfOf } from './csrf.ts';
import { fieldsOf } from './fields.ts';
import { textOf } from './limits.ts';
import { findOwned, organizationOf } from './manifest-routes.ts';
import { installationPage, messagePage, type NarrowPage, outOfDate } from './pages.ts';
import { linesOf } from './permission-lines.ts';
import { sendPage } from './replies.ts';
import { isOwnForm, type Session, sessionOf, toSignIn } from './sessions.ts';

/**
 * The page of an installation, at its `html_url`. It shows the app's permissions, and the additional ones that it requests, which
 * the account's owner accepts here. The public API also has a page for this, and no endpoint.
 */
export function addInstallationRoutes(app: FastifyInstance, parts: RouteParts): void {
  for (const path of ['/settings/installations/:id', '/organizations/:org/settings/installations/:id']) {
    app.get(path, async (request, reply) => showInstallation(parts, request, reply));
    app.post(path, async (request, reply) => answerInstallation(parts, request, reply));
  }
}

type Found = { installation: InstallationOfApp; app: AppRow; account: Account };

/**
 * The installation that a request names; undefined if it is neither on the user's account nor on an organization that the user
 * owns.
 */
async function findShown(
  { database: { db } }: RouteParts,
  request: FastifyRequest,
  session: Session,
): Promise<Found | undefined> {
  const { id = '' } = request.params as { id?: string }; // the router's own parameters
  if (!/^\d{1,15}$/.test(id)) return undefined;
  const organization = organizationOf(request);
  const account = organization === null ? session.account : await findOwned(db, organization, session.account);
  const installation = account && (await findInstallationById(db, asId<'installations'>(Number(id))));
  if (!installation || installation.account_id !== account.id) return undefined;
  const app = await findAppById(db, installation.app_id);
  return app && { installation, app, account };
}

const sendAbsent = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, messagePage('There is no such installation', 'It no longer exists, or you do not own its account.'), 404);

function pageOf({ installation, app, account }: Found, session: Session, problem?: string): NarrowPage {
  const waiting = waitingFor(app, installation);
  return installationPage({
    appName: app.name,
    account: account.login,
    permissions: linesOf(installation.permissions as Record<string, string>), // checkPermissions has validated it
    asked: waiting && [
      ...linesOf({ ...waiting.added, ...waiting.upgraded }),
      ...waiting.events.map((name) => `the event ${name.replaceAll('_', ' ')}`),
    ],
    fields: { csrf: csrfOf(session.token), seen: app.updated_at.toISOString() },
    problem,
  });
}

async function showInstallation(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const found = await findShown(parts, request, session);
  return found ? sendPage(reply, pageOf(found, session)) : sendAbsent(reply);
}

async function answerInstallation(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (!session || !isOwnForm(parts, request, session)) return sendPage(reply, outOfDate, 403);
  const found = await findShown(parts, request, session);
  if (!found) return sendAbsent(reply);
  const { answer, seen = '' } = fieldsOf(request);
  if (answer !== 'yes') return sendPage(reply, messagePage('Not accepted', `${found.app.name} keeps what it has.`));
  const refused = await accept(parts, request, found, { by: session.account, seen }).catch((error: unknown) => {
    if (error instanceof Refusal && (error.kind === 'invalid' || error.kind === 'conflict')) return error;
    throw error;
  });
  if (!(refused instanceof Refusal))
    return sendPage(reply, messagePage('Accepted', `${found.app.name} has the permissions that it requested.`));
  const now = await findShown(parts, request, session);
  return now
    ? sendPage(reply, pageOf(now, session, textOf(refused)), refused.kind === 'conflict' ? 409 : 422)
    : sendAbsent(reply);
}

const accept = (
  { change, clock }: RouteParts,
  request: FastifyRequest,
  { installation }: Found,
  { by, seen }: { by: Account; seen: string },
): Promise<unknown> =>
  change(request, (scope) => acceptPermissions(scope, { installation, by: by.id, now: clock(), seen: new Date(seen) }));
