import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findUser } from '#access/lookup.ts';
import { change } from '#database/connect.ts';
import { withSlot } from '#lib/concurrency-limiter.ts';
import { addDays } from '#lib/time.ts';
import { hashToken, newToken } from '#lib/token.ts';
import { type AppRow, findAppById } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findClient, isPublicClient } from './clients.ts';
import { fieldsOf } from './fields.ts';
import { addInstallRoutes } from './install-routes.ts';
import { addInstallationRoutes } from './installation-routes.ts';
import { rememberAddress } from './known-addresses.ts';
import { callerOfRequest, countUse } from './limits.ts';
import { addManifestRoutes } from './manifest-routes.ts';
import { consentPage, devicePage, messagePage, signInPage } from './pages.ts';
import { verifyPassword } from './passwords.ts';
import { permissionLines } from './permission-lines.ts';
import { sendPage } from './replies.ts';
import { oauthLimits } from './resource-limits.ts';
import { agree, answerDevice, returnAddress } from './rules.ts';
import {
  csrfOf,
  isHttps,
  isOwnForm,
  isOwnOrigin,
  localPath,
  sessionCookieOf,
  sessionDays,
  sessionOf,
  toSignIn,
} from './sessions.ts';
import { countAttempt, tooManyTries } from './sign-in-attempts.ts';
import { findDeviceByUserCode, insertSession, removeSession, removeSessionsBeyond } from './store.ts';
import { addTokenRoutes } from './token-routes.ts';
import { addWebRoutes } from './web-routes.ts';

/** Signing in on the web, the web flow and the device flow of OAuth (RFC 6749, 7636, 8628). */
export function addOAuth(app: FastifyInstance, parts: RouteParts): void {
  addWebRoutes(app, parts, (scope) => {
    addTokenRoutes(scope, parts);
    addManifestRoutes(scope, parts);
    addInstallationRoutes(scope, parts);
    addInstallRoutes(scope, parts);

    scope.get('/login', async (request, reply) =>
      sendPage(reply, signInPage({ returnTo: localPath(fieldsOf(request).return_to) })),
    );
    scope.post('/login', async (request, reply) => signIn(parts, request, reply));
    scope.post('/logout', async (request, reply) => {
      const session = await sessionOf(parts, request);
      if (session && isOwnForm(parts, request, session))
        await change(parts.database.db, (tx) => removeSession(tx, hashToken(session.token)));
      return reply
        .clearCookie(sessionCookieOf(parts, request), { path: '/', secure: isHttps(parts.origin(request)) })
        .redirect('/login', 303);
    });
    scope.get('/login/oauth/authorize', async (request, reply) => showConsent(parts, request, reply));
    scope.post('/login/oauth/authorize', async (request, reply) => submitConsent(parts, request, reply));
    scope.get('/login/device', async (request, reply) => {
      const session = await sessionOf(parts, request);
      if (!session) return toSignIn(request, reply);
      return sendPage(reply, devicePage({ csrf: csrfOf(session.token), userCode: fieldsOf(request).user_code }));
    });
    scope.post('/login/device', async (request, reply) => submitDeviceCode(parts, request, reply));
  });
}

/** The characters of a browser's name that the list of sessions shows. */
const longestAgent = 300;

async function signIn(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const { login = '', password = '', return_to } = fieldsOf(request);
  const returnTo = localPath(return_to);
  const refuse = (problem: string, status: number) => sendPage(reply, signInPage({ returnTo, problem }), status);
  if (!isOwnOrigin(parts, request)) return refuse('This form came from another site.', 403);
  const attempt = await countAttempt(parts, request, login);
  const account = await findUser(db, login);
  const isRight = await withSlot(parts.services.passwordLimiter, attempt.caller, () =>
    verifyPassword(account?.password_hash, password),
  );
  await parts.admit(attempt.caller, reply);
  if (!account || !isRight || account.suspended_at) return refuse('User name or password is wrong.', 401);
  await attempt.refund();
  const token = newToken('');
  const now = parts.clock();
  const expires = addDays(now, sessionDays);
  const { sessions, knownAddresses } = parts.services.resourceLimits.of(oauthLimits);
  await change(db, async (tx) => {
    await insertSession(tx, {
      hash: hashToken(token),
      account_id: account.id,
      created_at: now,
      signed_in_at: now,
      expires_at: expires,
      address: request.ip,
      agent: (request.headers['user-agent'] ?? '').slice(0, longestAgent),
    });
    await removeSessionsBeyond(tx, account.id, sessions);
    await rememberAddress(tx, { account: account.id, address: callerOfRequest(request), now, max: knownAddresses });
  });
  const secure = isHttps(parts.origin(request));
  return reply
    .setCookie(sessionCookieOf(parts, request), token, { path: '/', httpOnly: true, sameSite: 'lax', secure, expires })
    .redirect(returnTo, 303);
}

type OAuthAuthorization = {
  app: AppRow;
  redirect: string;
  scopes: string[];
  state: string | undefined;
  challenge: string | undefined;
};

/**
 * The authorization that an app requests, or a message about the problem with the request. `redirect` is always one of the app's
 * addresses.
 */
async function authorizationOf(
  parts: RouteParts,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<OAuthAuthorization | string> {
  const app = await findClient(parts, fields.client_id ?? '');
  if (!app) return 'No app has this client_id.';
  const redirect = returnAddress(app, fields.redirect_uri);
  if (redirect === undefined && app.callback_urls.length === 0) return `${app.name} signs in by a code of the device.`;
  if (redirect === undefined) return 'The redirect_uri must belong to a callback address of the app.';
  const method = fields.code_challenge_method ?? 'S256';
  if (fields.code_challenge !== undefined && method !== 'S256') return 'code_challenge_method must be S256.';
  const scopes = (fields.scope ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
  return { app, redirect, scopes, state: fields.state, challenge: fields.code_challenge };
}

async function showConsent(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const fields = fieldsOf(request);
  const authorization = await authorizationOf(parts, fields);
  if (typeof authorization === 'string') return sendPage(reply, messagePage('This can not be authorized', authorization), 400);
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const { client_id, redirect_uri, scope, state, code_challenge } = fields;
  const asked = authorization.app.updated_at.toISOString();
  const hiddenFields = { client_id, redirect_uri, scope, state, code_challenge, asked, csrf: csrfOf(session.token) };
  const permissions = permissionLines(authorization.app, authorization.scopes);
  const action = '/login/oauth/authorize';
  const shown = shownApp(authorization.app);
  return sendPage(reply, consentPage({ ...shown, login: session.account.login, permissions, action, fields: hiddenFields }));
}

async function submitConsent(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const fields = fieldsOf(request);
  const authorization = await authorizationOf(parts, fields);
  const session = await sessionOf(parts, request);
  if (typeof authorization === 'string') return sendPage(reply, messagePage('This can not be authorized', authorization), 400);
  if (!session || !isOwnForm(parts, request, session))
    return sendPage(reply, messagePage('Try again', 'The form is out of date, or came from another site.'), 403);
  const { app, scopes, challenge, state } = authorization;
  const target = new URL(authorization.redirect);
  if (state !== undefined) target.searchParams.set('state', state);
  if (fields.answer !== 'yes') {
    target.searchParams.set('error', 'access_denied');
    return reply.redirect(target.href, 303);
  }
  if (fields.asked !== app.updated_at.toISOString()) return sendPage(reply, changedMeanwhile(app), 409);
  const now = parts.clock();
  const redirectUri = fields.redirect_uri;
  const code = await parts.change(request, (scope) =>
    agree(scope, { app, user: session.account, scopes, redirectUri, challenge, now }),
  );
  target.searchParams.set('code', code);
  return reply.redirect(target.href, 303);
}

/** How the consent page names an app, and whether any program could claim to be it. */
const shownApp = (app: AppRow) => ({ appName: app.name, isPublic: isPublicClient(app) });

/** A user agrees to what the page showed, not to later requests of the app. */
const changedMeanwhile = ({ name }: AppRow): string =>
  messagePage('Try again', `${name} has changed meanwhile, and may request other permissions. Go back to it and start again.`);

async function submitDeviceCode(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const fields = fieldsOf(request);
  const session = await sessionOf(parts, request);
  if (!session) return toSignIn(request, reply);
  const csrf = csrfOf(session.token);
  if (!isOwnForm(parts, request, session)) return sendPage(reply, devicePage({ csrf, problem: 'The form is out of date.' }), 403);
  const max = parts.services.resourceLimits.of(oauthLimits).wrongUserCodes;
  await countUse(db, `device:${session.account.id}`, { limit: 'oauth.wrongUserCodes', max, message: tooManyTries });
  const userCode = (fields.user_code ?? '').trim().toUpperCase();
  const device = await findDeviceByUserCode(db, userCode, parts.clock());
  if (!device) return sendPage(reply, devicePage({ csrf, userCode, problem: 'No device waits for this code.' }), 404);
  const app = await findAppById(db, device.app_id);
  if (!app) return sendPage(reply, devicePage({ csrf, userCode, problem: 'No device waits for this code.' }), 404);
  const asked = app.updated_at.toISOString();
  if (fields.answer === undefined) {
    const permissions = permissionLines(app, device.scopes);
    const hiddenFields = { csrf, user_code: userCode, asked };
    return sendPage(
      reply,
      consentPage({
        ...shownApp(app),
        login: session.account.login,
        permissions,
        action: '/login/device',
        fields: hiddenFields,
      }),
    );
  }
  if (fields.answer === 'yes' && fields.asked !== asked) return sendPage(reply, changedMeanwhile(app), 409);
  const counts = await parts.change(request, (scope) =>
    answerDevice(scope, device, { app, by: session.account, state: fields.answer === 'yes' ? 'approved' : 'denied' }),
  );
  if (!counts) return sendPage(reply, devicePage({ csrf, userCode, problem: 'No device waits for this code.' }), 404);
  const text = fields.answer === 'yes' ? 'The device is connected.' : 'The device was refused.';
  return sendPage(reply, messagePage('Done', `${text} You may close this page.`));
}
