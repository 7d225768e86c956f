// What pages explain: why a request or a push of the viewer is allowed or refused.
import { Type } from 'typebox';
import { findUser } from '#access/lookup.ts';
import type { SignedIn, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import type { ExplainedDecision } from '#endpoint/explainer.ts';
import { scopeFor } from '#endpoint/scope.ts';
import { forbidden, orNotFound } from '#lib/refusal.ts';
import { Nullable } from '#lib/shape.ts';

const Explanation = Type.Object({
  endpoint: Nullable(Type.Object({ id: Type.String(), method: Type.String(), path: Type.String() })),
  steps: Type.Array(Type.Object({ check: Type.String(), passed: Nullable(Type.Boolean()), because: Type.String() })),
  allowed: Type.Boolean(),
  status: Nullable(Type.Integer()),
  message: Nullable(Type.String()),
});

const login = Type.Optional(Type.String({ maxLength: 100 }));
const access = { permission: { none: 'signed_in' }, credentials: ['session'] } as const;

/**
 * Whose access is explained: the viewer's own, or for a site administrator who has signed in recently, somebody else's.
 * @throws Refusal 403 for others, 404 for an unknown login
 */
async function askedFor(db: Db, viewer: SignedIn, wanted: string | undefined): Promise<Viewer> {
  const { account, grant } = viewer;
  if (wanted === undefined || wanted === '' || wanted.toLowerCase() === account.login.toLowerCase()) return viewer;
  if (!account.site_admin || grant.kind !== 'session' || !grant.isRecent)
    throw forbidden('Only site administrators who have signed in during the last ten minutes may ask for somebody else.');
  return { account: orNotFound(await findUser(db, wanted)), grant: { ...grant, isRecent: false } };
}

const present = ({ endpoint: found, steps, allowed, status, message }: ExplainedDecision) => ({
  endpoint: found ?? null,
  steps: steps.map(({ check, passed, because }) => ({ check, passed: passed ?? null, because })),
  allowed,
  status: status ?? null,
  message: message ?? null,
});

export const explainRequest = endpoint({
  id: 'meta/explain-request',
  method: 'GET',
  path: '/explain/request',
  summary: 'Explain whether a request is allowed',
  access,
  refuses: [404],
  query: Type.Object({
    method: Type.String({ minLength: 1, maxLength: 10, pattern: '^[A-Za-z]+$' }),
    path: Type.String({ minLength: 1, maxLength: 2_000 }),
    login,
  }),
  replies: { 200: Explanation },
  async handle({ scope, services, viewer, query: { method, path, login } }) {
    const asked = scopeFor(scope, await askedFor(scope.db, viewer, login));
    return present(await services.explainer.request(asked, { method: method.toUpperCase(), path }));
  },
});

export const explainPushTo = endpoint({
  id: 'meta/explain-push',
  method: 'GET',
  path: '/explain/push',
  summary: 'Explain whether a push is allowed',
  access,
  refuses: [404],
  query: Type.Object({
    repository: Type.String({ maxLength: 200, pattern: '^[^/]+/[^/]+$' }),
    ref: Type.String({ minLength: 1, maxLength: 1_024 }),
    to: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
    login,
  }),
  replies: { 200: Explanation },
  async handle({ scope, services, viewer, query: { repository, ref, to, login } }) {
    const asked = scopeFor(scope, await askedFor(scope.db, viewer, login));
    const [owner = '', name = ''] = repository.split('/');
    return present(await services.explainer.push(asked, { owner, name, ref, to }));
  },
});
