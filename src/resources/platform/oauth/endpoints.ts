// One's own password and sessions, for pages: no credential of the API may read or change them.
import { Type } from 'typebox';
import type { Policy } from '#access/policy.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import * as rules from './own-sessions.ts';
import { ownSession } from './path-resources.ts';
import { Confirmation, OwnSession, PasswordChange } from './schemas.ts';

const access = { permission: { none: 'own_account' }, credentials: ['session'] } as const satisfies Policy;

export const listOwnSessions = endpoint({
  id: 'sessions/list',
  method: 'GET',
  path: '/user/sessions',
  summary: 'List the sessions of the authenticated user',
  access,
  replies: { 200: Type.Array(OwnSession) },
  handle: ({ scope, viewer }) => rules.listOwn(scope, viewer),
});

export const endOwnSession = endpoint({
  id: 'sessions/end',
  method: 'DELETE',
  path: '/user/sessions/{session_id}',
  resources: [ownSession],
  summary: 'End a session of the authenticated user',
  access,
  replies: { 204: Nothing },
  async handle({ change, at: { session } }) {
    await change((scope) => rules.endOwnSession(scope, session));
  },
});

export const endOtherSessions = endpoint({
  id: 'sessions/end-others',
  method: 'DELETE',
  path: '/user/sessions',
  summary: 'End all other sessions of the authenticated user',
  access,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => rules.endOtherSessions(scope, action));
  },
});

export const confirmSession = endpoint({
  id: 'sessions/confirm',
  method: 'PUT',
  path: '/user/sessions/confirmation',
  summary: 'Confirm the session by the password',
  access,
  body: Confirmation,
  replies: { 204: Nothing },
  async handle({ scope, action, body, address }) {
    await rules.confirmSession(scope, action, { ...body, address });
  },
});

export const changeOwnPassword = endpoint({
  id: 'sessions/change-password',
  method: 'PUT',
  path: '/user/password',
  summary: 'Change the password of the authenticated user',
  access,
  body: PasswordChange,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ scope, action, body, address }) {
    await rules.changeOwnPassword(scope, action, { ...body, address });
  },
});
