import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findAccount } from '#access/lookup.ts';
import type { Account } from '#access/viewer.ts';
import { change, type Db } from '#database/connect.ts';
import { Refusal, unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { findMembership } from '#resources/identity/members/index.ts';
import { checkAppName, offerManifest, readManifest, type SentManifest } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { fieldsOf } from './fields.ts';
import { callerOfRequest, countUse, textOf } from './limits.ts';
import { appManifestPage, messagePage } from './pages.ts';
import { linesOf } from './permission-lines.ts';
import { sendPage } from './replies.ts';
import { oauthLimits } from './resource-limits.ts';
import { csrfOf, isOwnForm, type Session, sessionOf, toSignIn } from './sessions.ts';
import { findManifestRequest, insertManifestRequest, type ManifestRequestRow, removeManifestRequest } from './store.ts';

/** How long a manifest waits for its owner, who may have to sign in first. */
const waitingMinutes = 60;

/**
 * Creating an app from a manifest, as in the public API: a site sends its visitor here with a form, and the visitor returns to it
 * with a code for `POST /app-manifests/{code}/conversions`.
 */
export function addManifestRoutes(app: FastifyInstance, parts: RouteParts): void {
  for (const path of ['/settings/apps/new', '/organizations/:org/settings/apps/new']) {
    app.post(path, async (request, reply) => receiveManifest(parts, request, reply));
    app.get(path, async (request, reply) => showManifest(parts, request, reply));
    app.post(`${path}/confirm`, async (request, reply) => answerManifest(parts, request, reply));
  }
}

/** The organization in the path; null for the user's own account. */
// the router's own words
export const organizationOf = (request: FastifyRequest): string | null => (request.params as { org?: string }).org ?? null;

const pathOf = (organization: string | null): string =>
  `${organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`}/settings/apps/new`;

/**
 * Stores the manifest from another site's form. Browsers send no session cookie with such a form, so the user is unknown here,
 * and the browser is redirected to a page of this site.
 */
async function receiveManifest(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const { manifest: text = '', state = null } = fieldsOf(request);
  const manifest = await readManifest(text);
  const max = parts.services.resourceLimits.of(oauthLimits).manifests;
  const message = 'Too many manifests were sent. Wait a quarter of an hour.';
  await countUse(db, `manifests:${callerOfRequest(request).key}`, { limit: 'oauth.manifests', max, message });
  const token = newToken('');
  const organization = organizationOf(request);
  const row = { hash: hashToken(token), organization, manifest: JSON.stringify(manifest), state };
  const expires_at = addMinutes(parts.clock(), waitingMinutes);
  await change(db, (tx) => insertManifestRequest(tx, { ...row, expires_at }));
  return reply.redirect(`${pathOf(organization)}?manifest=${token}`, 303);
}

/** A manifest that waits for confirmation, and the account that will own the app. */
type Waiting = { token: string; row: ManifestRequestRow; manifest: SentManifest; owner: Account };

/** The manifest that a request names; undefined if it doesn't exist, or the user doesn't own the organization in the path. */
async function findWaiting(
  { database: { db }, clock }: RouteParts,
  request: FastifyRequest,
  { account }: Session,
): Promise<Waiting | undefined> {
  const token = fieldsOf(request).manifest ?? '';
  const row = await findManifestRequest(db, hashToken(token), clock());
  const organization = organizationOf(request);
  if (!row || row.organization !== organization) return undefined;
  const owner = organization === null ? account : await findOwned(db, organization, account);
  return owner && { token, row, manifest: row.manifest as SentManifest, owner }; // readManifest checked it
}

/** An organization that a user owns. */
export async function findOwned(db: Db, login: string, user: Account): Promise<Account | undefined> {
  const org = await findAccount(db, login);
  if (org?.kind !== 'organization') return undefined;
  const membership = await findMembership(db, org.id, user.id);
  return membership?.role === 'owner' && membership.state === 'active' ? org : undefined;
}

const sendAbsent = (reply: FastifyReply): FastifyReply =>
  sendPage(
    reply,
    messagePage('There is no such manifest', 'It has expired or was already answered, or you do not own the organization.'),
    404,
  );

type Shown = { waiting: Waiting; session: Session; name?: string; problem?: string };

function pageOf({ waiting: { token, row, manifest, owner }, session, name = manifest.name, problem }: Shown): string {
  const { default_events: events = [], hook_attributes: hook } = manifest;
  return appManifestPage({
    owner: owner.login,
    returnsTo: new URL(manifest.redirect_url).host,
    name,
    permissions: linesOf(manifest.default_permissions ?? {}),
    facts: [
      ['Homepage', manifest.url],
      ...(hook ? [['Its webhook', hook.url] as const] : []),
      ...(events.length > 0 ? [['Events', events.join(', ')] as const] : []),
      ['Who may install it', manifest.public ? 'everybody' : owner.login],
      ...(manifest.setup_url === undefined ? [] : [['Where it leads after an installation', manifest.setup_url] as const]),
    ],
    action: `${pathOf(row.organization)}/confirm`,
    fields: { csrf: csrfOf(session.token), manifest: token },
    problem,
  });
}

async function showManifest(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const waiting = await findWaiting(parts, request, session);
  return waiting ? sendPage(reply, pageOf({ waiting, session })) : sendAbsent(reply);
}

async function answerManifest(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const session = await sessionOf(parts, request);
  if (!session || !isOwnForm(parts, request, session))
    return sendPage(reply, messagePage('Try again', 'The form is out of date, or came from another site.'), 403);
  const waiting = await findWaiting(parts, request, session);
  if (!waiting) return sendAbsent(reply);
  const { row, manifest } = waiting;
  const { answer, name: given = '' } = fieldsOf(request);
  if (answer !== 'yes') {
    await change(db, (tx) => removeManifestRequest(tx, row.hash));
    return sendPage(reply, messagePage('Refused', 'No app was created. You may close this page.'));
  }
  const name = given.trim();
  const code = await offer(parts, request, { waiting, name, by: session.account }).catch((error: unknown) => {
    if (error instanceof Refusal && error.kind === 'invalid') return error;
    throw error;
  });
  if (code instanceof Refusal) return sendPage(reply, pageOf({ waiting, session, name, problem: textOf(code) }), 422);
  const target = new URL(manifest.redirect_url);
  target.searchParams.set('code', code);
  if (row.state !== null) target.searchParams.set('state', row.state);
  return reply.redirect(target.href, 303);
}

/** Stores the manifest under a code, with the name that its owner chose. @throws Refusal if the name isn't available */
const offer = (
  { change, clock }: RouteParts,
  request: FastifyRequest,
  { waiting: { row, manifest, owner }, name, by }: { waiting: Waiting; name: string; by: Account },
): Promise<string> =>
  change(request, async (scope) => {
    if (!(await removeManifestRequest(scope.tx, row.hash))) throw unprocessable('The manifest was answered already.');
    await checkAppName(scope, { kind: 'app', name });
    return offerManifest(scope, { manifest: { ...manifest, name }, owner, by, now: clock() });
  });
