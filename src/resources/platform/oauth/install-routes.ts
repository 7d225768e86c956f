import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { Refusal } from '#lib/refusal.ts';
import { listOwnedOrganizations } from '#resources/identity/members/index.ts';
import { type AppRow, findAppBySlug, installAppByName } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { fieldsOf } from './fields.ts';
import { textOf } from './limits.ts';
import { installPage, messagePage } from './pages.ts';
import { linesOf } from './permission-lines.ts';
import { sendPage } from './replies.ts';
import { csrfOf, isOwnForm, type Session, sessionOf, toSignIn } from './sessions.ts';

/**
 * The page on which users install an app on their account or on an organization that they own. The public API also has a page for
 * this, and no endpoint. The browser then goes to the app's setup URL, if it has one.
 */
export function addInstallRoutes(app: FastifyInstance, parts: RouteParts): void {
  const path = '/apps/:slug/installations/new';
  app.get(path, async (request, reply) => showInstall(parts, request, reply));
  app.post(path, async (request, reply) => answerInstall(parts, request, reply));
}

/** An app, and the accounts on which the user may install it. */
type Offered = { app: AppRow; accounts: readonly Account[] };

/** The app that a request names; undefined if the user may install it nowhere, so that private apps remain unknown. */
async function findOffered(db: Db, request: FastifyRequest, { account }: Session): Promise<Offered | undefined> {
  const { slug = '' } = request.params as { slug?: string }; // the router's own parameters
  const app = /^[a-z0-9-]{1,100}$/i.test(slug) ? await findAppBySlug(db, slug) : undefined;
  if (app?.kind !== 'app' || app.built_in !== null) return undefined;
  const owned = [account, ...(await listOwnedOrganizations(db, account.id))];
  const accounts = app.public ? owned : owned.filter(({ id }) => id === app.owner_id);
  return accounts.length > 0 ? { app, accounts } : undefined;
}

const sendAbsent = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, messagePage('There is no such app', 'It does not exist, or only its owner may install it.'), 404);

const pageOf = ({ app, accounts }: Offered, session: Session, problem?: string): string =>
  installPage({
    appName: app.name,
    permissions: linesOf(app.permissions as Record<string, string>), // checkPermissions has validated it
    accounts: accounts.map(({ login }) => login),
    fields: { csrf: csrfOf(session.token), seen: app.updated_at.toISOString() },
    problem,
  });

async function showInstall(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const offered = await findOffered(parts.database.db, request, session);
  return offered ? sendPage(reply, pageOf(offered, session)) : sendAbsent(reply);
}

async function answerInstall(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (!session || !isOwnForm(parts, request, session))
    return sendPage(reply, messagePage('Try again', 'The form is out of date, or came from another site.'), 403);
  const offered = await findOffered(parts.database.db, request, session);
  if (!offered) return sendAbsent(reply);
  const { app, accounts } = offered;
  const { answer, account: login, repositories = '', seen = '', state } = fieldsOf(request);
  if (answer !== 'yes') return sendPage(reply, messagePage('Not installed', `${app.name} was not installed.`));
  const account = accounts.find((one) => one.login === login);
  if (!account) return sendPage(reply, pageOf(offered, session, 'Choose an account.'), 422);
  const names = repositories.split(/[\s,]+/).filter((name) => name !== '');
  const { change, clock } = parts;
  const wanted = { app, account, names, by: session.account, seen: new Date(seen), now: clock() };
  const installation = await change(request, (scope) => installAppByName(scope, wanted)).catch((error: unknown) => {
    if (error instanceof Refusal && (error.kind === 'invalid' || error.kind === 'conflict')) return error;
    throw error;
  });
  if (installation instanceof Refusal)
    return sendPage(reply, pageOf(offered, session, textOf(installation)), installation.kind === 'conflict' ? 409 : 422);
  return reply.redirect(addressAfter(app, account, { installation: installation.id, state }), 303);
}

/** Where the browser goes: to the app's setup URL, as in the public API, or to the page of the installation. */
function addressAfter(
  { setup_url }: AppRow,
  { kind, login }: Account,
  { installation, state }: { installation: number; state: string | undefined },
): string {
  if (setup_url === null) {
    const owner = kind === 'organization' ? `/organizations/${encodeURIComponent(login)}` : '';
    return `${owner}/settings/installations/${installation}`;
  }
  const target = new URL(setup_url);
  target.searchParams.set('installation_id', String(installation));
  target.searchParams.set('setup_action', 'install');
  if (state !== undefined) target.searchParams.set('state', state);
  return target.href;
}
