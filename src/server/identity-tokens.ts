// Serves identity tokens to jobs, and the keys for verifying them: OpenID Connect below `/_services/token`, outside the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '#access/rate-limits.ts';
import { anonymous } from '#access/viewer.ts';
import type { Database } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { Refusal, unprocessable } from '#lib/refusal.ts';
import { claimNames } from '#resources/actions/actions-oidc/index.ts';
import { issuerOf, issueToken, listVerifyingKeys } from '#resources/actions/identity-tokens/index.ts';
import { findIdentity, identityPath } from '#resources/actions/workflow-runs/index.ts';
import { admit } from './admit.ts';
import { linksFor } from './request-links.ts';

type Parts = { database: Database; services: Services; clock: () => Date; url?: string };
type TokenRequest = { Querystring: { job?: string; audience?: string | string[] } };

const issuerPath = issuerOf({ html: '' });
const maxAudience = 1_000;

/** Adds these addresses. The API's rate limits don't count them. */
export function addIdentityTokens(app: FastifyInstance, parts: Parts): void {
  const { database, services, clock } = parts;
  const enter = (request: FastifyRequest, reply: FastifyReply) =>
    admit(services.limiters.requests, callerOf(anonymous, request.ip), reply);

  app.get(`${issuerPath}/.well-known/openid-configuration`, (request, reply) => {
    const issuer = issuerOf(linksFor(parts, request));
    return sendJson(reply, {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks`,
      subject_types_supported: ['public', 'pairwise'],
      response_types_supported: ['id_token'],
      claims_supported: ['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'check_run_id', ...claimNames],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid'],
    });
  });
  app.get(`${issuerPath}/.well-known/jwks`, async (request, reply) => {
    await enter(request, reply);
    return sendJson(reply, { keys: await listVerifyingKeys(database, { secrets: services.secrets, now: clock() }) });
  });
  app.get<TokenRequest>(identityPath, async (request, reply) => {
    await enter(request, reply);
    const [, token = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const { job, audience } = request.query;
    const context = { links: linksFor(parts, request), secrets: services.secrets, now: clock() };
    const identity = await findIdentity(database.db, token, context);
    if (!identity || String(identity.job.id) !== job)
      throw new Refusal('unauthenticated', 'The token is not that of a running job');
    if (Array.isArray(audience) || audience === '' || (audience?.length ?? 0) > maxAudience)
      throw unprocessable(`audience must be one text of at most ${maxAudience} characters`);
    return sendJson(reply, { value: await issueToken(database, { identity, links: context.links, audience }, context) });
  });
}

const sendJson = (reply: FastifyReply, body: object): FastifyReply =>
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(body));
