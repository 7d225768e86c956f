import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findUser } from '#access/lookup.ts';
import { formTarget } from '#html/policy.ts';
import { type AppRow, findAppById } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findClient, isPublicClient } from './clients.ts';
import { csrfOf } from './csrf.ts';
import { fieldsOf } from './fields.ts';
import { addFirstStartRoutes } from './first-start-routes.ts';
import { addInstallRoutes } from './install-routes.ts';
import { addInstallationRoutes } from './installation-routes.ts';
import { callerOfRequest, countUse } from './limits.ts';
import { addManifestRoutes } from './manifest-routes.ts';
import { isPasswordOf } from './own-sessions.ts';
import { consentPage, devicePage, messagePage, type NarrowPage, outOfDate, signInPage, signOutPage } from './pages.ts';
import { permissionLines } from './permission-lines.ts';
import { sendPage } from './replies.ts';
import { oauthLimits } from './resource-limits.ts';
import { agree, answerDevice, returnAddress } from './rules.ts';
import { beginSession, endSession, isOwnForm, isOwnOrigin, localPath, sessionOf, targetsBeyond, toSignIn } from './sessions.ts';
import { tooManyTries } from './sign-in-attempts.ts';
import { findDeviceByUserCode } from './store.ts';
import { addTokenRoutes } from './token-routes.ts';
import { addWebRoutes } from './web-routes.ts';

/** Signing in on the web, the web flow and the device flow of OAuth (RFC 6749, 7636, 8628). */
export function addOAuth(app: FastifyInstance, parts: RouteParts): void {
  addWebRoutes(app, parts, (scope) => {
    addTokenRoutes(scope, parts);
    addManifestRoutes(scope, parts);
    addInstallationRoutes(scope, parts);
    addFirstStartRoutes(scope, parts);
    addInstallRoutes(scope, parts);

    scope.get('/login', async (request, reply) => sendPage(reply, pageOf(localPath(fieldsOf(request).return_to))));
    scope.post('/login', async (request, reply) => signIn(parts, request, reply));
    scope.get('/logout', async (request, reply) => {
      const session = await sessionOf(parts, request);
      if (!session) return reply.redirect('/', 302);
      return sendPage(reply, signOutPage({ login: session.account.login, csrf: csrfOf(session.token) }));
    });
    scope.post('/logout', async (request, reply) => signOut(parts, request, reply));
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

async function signIn(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { database, services, admit } = parts;
  const { login = '', password = '', return_to } = fieldsOf(request);
  const returnTo = localPath(return_to);
  const refuse = (problem: string, status: number) => sendPage(reply, pageOf(returnTo, problem), status);
  if (!isOwnOrigin(parts, request)) return refuse('This form came from another site.', 403);
  const account = await findUser(database.db, login);
  const isRight = await isPasswordOf(database.db, services, { login, account, password, address: request.ip });
  await admit(callerOfRequest(request), reply);
  if (!account || !isRight || account.suspended_at) return refuse('User name or password is wrong.', 401);
  await beginSession(parts, { request, reply }, account);
  return reply.redirect(returnTo, 303);
}

const pageOf = (returnTo: string, problem?: string): NarrowPage =>
  signInPage({ returnTo, formTargets: targetsBeyond(returnTo), ...(problem === undefined ? {} : { problem }) });

async function signOut(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(parts, request);
  if (session && !isOwnForm(parts, request, session)) return sendPage(reply, outOfDate, 403);
  // A cookie that another site's form didn't bring isn't cleared either, so that nobody can sign others out.
  if (session) await endSession(parts, { request, reply }, session);
  return reply.redirect('/login', 303);
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
  return sendPage(
    reply,
    consentPage({
      ...shownApp(authorization.app),
      login: session.account.login,
      permissions,
      action: '/login/oauth/authorize',
      fields: hiddenFields,
      formTargets: [formTarget(authorization.redirect)],
    }),
  );
}

async function submitConsent(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const fields = fieldsOf(request);
  const authorization = await authorizationOf(parts, fields);
  const session = await sessionOf(parts, request);
  if (typeof authorization === 'string') return sendPage(reply, messagePage('This can not be authorized', authorization), 400);
  if (!session || !isOwnForm(parts, request, session)) return sendPage(reply, outOfDate, 403);
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
const changedMeanwhile = ({ name }: AppRow): NarrowPage =>
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
