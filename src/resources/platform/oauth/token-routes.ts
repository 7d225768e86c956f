import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '#lib/token.ts';
import type { AppRow } from '#resources/repositories/apps/index.ts';
import type { RouteParts } from '#resources/route-parts.ts';
import { findClient, isPublicClient } from './clients.ts';
import { checkNoNul, type Fields, fieldsOf } from './fields.ts';
import { callerOfRequest, countUse } from './limits.ts';
import { send } from './replies.ts';
import { oauthLimits } from './resource-limits.ts';
import {
  deviceInterval,
  deviceSeconds,
  exchangeCode,
  type Outcome,
  type Problem,
  pollDevice,
  problems,
  refreshToken,
  startDevice,
} from './rules.ts';

/**
 * The endpoints that issue tokens to clients. As in the public API, errors are 200 with an `error`, and replies are forms unless
 * `Accept` asks for JSON.
 */
export function addTokenRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.post('/login/oauth/access_token', async (request, reply) => {
    const fields = fieldsOf(request);
    return sendOutcome(request, reply, await exchangeForToken(parts, request, withBasic(request, fields)));
  });
  app.post('/login/device/code', async (request, reply) => {
    const { client_id = '', scope = '' } = fieldsOf(request);
    const client = await findClient(parts, client_id);
    if (!client) return send(request, reply.code(404), { error: 'Not Found' });
    if (!client.device_flow) return sendOutcome(request, reply, { problem: 'device_flow_disabled' });
    await countDeviceCode(parts, request, client);
    const now = parts.clock();
    const scopes = scope.split(/[\s,]+/);
    const { deviceCode, userCode } = await parts.change(request, (scope) => startDevice(scope, { app: client, scopes, now }));
    return send(request, reply, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${parts.origin(request)}/login/device`,
      expires_in: deviceSeconds,
      interval: deviceInterval,
    });
  });
}

/** Counts a device code. They are limited, since anyone may request them and each is a row until it expires. */
async function countDeviceCode({ database: { db }, services }: RouteParts, request: FastifyRequest, app: AppRow): Promise<void> {
  const { deviceCodes, deviceCodesOfApp } = services.resourceLimits.of(oauthLimits);
  const message = 'Too many device codes were requested. Please wait 15 minutes.';
  await countUse(db, `device-codes:${callerOfRequest(request).key}`, { limit: 'oauth.deviceCodes', max: deviceCodes, message });
  await countUse(db, `device-codes:app:${app.id}`, { limit: 'oauth.deviceCodesOfApp', max: deviceCodesOfApp, message });
}

/** Adds client id and secret from Basic authorization, if the request has it. */
function withBasic({ headers }: FastifyRequest, fields: Fields): Fields {
  const [scheme, encoded = ''] = (headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'basic') return fields;
  const [client_id, client_secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return checkNoNul({ client_id, client_secret, ...fields });
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

async function exchangeForToken(parts: RouteParts, request: FastifyRequest, fields: Fields): Promise<Outcome> {
  const { change, clock } = parts;
  const { client_id = '', client_secret, grant_type = 'authorization_code', code = '', refresh_token: refresh = '' } = fields;
  const client = await findClient(parts, client_id);
  if (!client) return { problem: 'incorrect_client_credentials' };
  const now = clock();
  // A device can't keep a client secret: its code is enough.
  if (grant_type === deviceGrant) {
    if (!client.device_flow) return { problem: 'device_flow_disabled' };
    return change(request, (scope) => pollDevice(scope, { app: client, deviceCode: fields.device_code ?? '', now }));
  }
  if (!isPublicClient(client) && !verifySecret(client, client_secret)) return { problem: 'incorrect_client_credentials' };
  if (grant_type === 'refresh_token') return change(request, (scope) => refreshToken(scope, { app: client, refresh, now }));
  if (grant_type !== 'authorization_code') return { problem: 'unsupported_grant_type' };
  const { code_verifier: verifier, redirect_uri: redirectUri } = fields;
  return change(request, (scope) => exchangeCode(scope, { app: client, code, verifier, redirectUri, now }));
}

const verifySecret = ({ client_secret_hash }: AppRow, secret: string | undefined): boolean =>
  secret !== undefined && client_secret_hash?.equals(hashToken(secret)) === true;

function sendOutcome(request: FastifyRequest, reply: FastifyReply, outcome: Outcome): FastifyReply {
  if ('problem' in outcome) return send(request, reply, problemBody(outcome.problem, outcome.interval));
  const { token, scopes, refresh } = outcome.granted;
  return send(request, reply, {
    access_token: token,
    ...(refresh
      ? { expires_in: refresh.expiresIn, refresh_token: refresh.token, refresh_token_expires_in: refresh.refreshExpiresIn }
      : {}),
    token_type: 'bearer',
    scope: scopes.join(','),
  });
}

const problemBody = (problem: Problem, interval: number | undefined) => ({
  error: problem,
  error_description: problems[problem],
  error_uri: 'https://datatracker.ietf.org/doc/html/rfc6749#section-5.2',
  ...(interval === undefined ? {} : { interval }),
});
