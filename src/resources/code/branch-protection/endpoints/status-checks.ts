// The status checks that a protection requires.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { namesOf } from '../actor-kinds.ts';
import { protection } from '../path-resources.ts';
import { administers, readsProtection } from '../policies.ts';
import { contextsOf, presentStatusChecks } from '../present.ts';
import { changeContexts, changeStatusChecks, getStatusChecks, type ListChange, removeStatusChecks } from '../rules.ts';
import { Contexts, RequiredStatusChecks, StatusChecksChange } from '../schemas.ts';

const part = {
  path: '/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks',
  resources: [protection],
} as const;

export const getStatusChecksProtection = endpoint({
  ...part,
  id: 'repos/get-status-checks-protection',
  method: 'GET',
  summary: 'Get status checks protection',
  access: readsProtection,
  replies: { 200: RequiredStatusChecks },
  async handle({ scope, at }) {
    return presentStatusChecks(scope, at.repo, at.protection, getStatusChecks(at.protection));
  },
});

export const updateStatusCheckProtection = endpoint({
  ...part,
  id: 'repos/update-status-check-protection',
  method: 'PATCH',
  summary: 'Update status check protection',
  access: administers,
  body: StatusChecksChange,
  example: { strict: true, checks: [{ context: 'build' }] },
  replies: { 200: RequiredStatusChecks },
  async handle({ scope, change, at, body, action }) {
    const row = await change((scope, { protection }) => changeStatusChecks(scope, action, protection, body));
    return presentStatusChecks(scope, at.repo, row, getStatusChecks(row));
  },
});

export const removeStatusCheckProtection = endpoint({
  ...part,
  id: 'repos/remove-status-check-protection',
  method: 'DELETE',
  summary: 'Remove status check protection',
  access: administers,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { protection }) => removeStatusChecks(scope, action, protection));
  },
});

const contextsPart = { ...part, path: `${part.path}/contexts` } as const;

export const getAllStatusCheckContexts = endpoint({
  ...contextsPart,
  id: 'repos/get-all-status-check-contexts',
  method: 'GET',
  summary: 'Get all status check contexts',
  access: readsProtection,
  replies: { 200: Type.Array(Type.String()) },
  async handle({ at }) {
    return contextsOf(getStatusChecks(at.protection));
  },
});

const changesContexts = (method: 'POST' | 'PUT' | 'DELETE', kind: ListChange, named: { id: string; summary: string }) =>
  endpoint({
    ...contextsPart,
    ...named,
    method,
    access: administers,
    body: Contexts,
    example: { contexts: ['build'] },
    replies: { 200: Type.Array(Type.String()) },
    async handle({ change, body, action }) {
      const wanted = { change: kind, contexts: namesOf(body, 'contexts') };
      return contextsOf(await change((scope, { protection }) => changeContexts(scope, action, protection, wanted)));
    },
  });

export const addStatusCheckContexts = changesContexts('POST', 'add', {
  id: 'repos/add-status-check-contexts',
  summary: 'Add status check contexts',
});

export const setStatusCheckContexts = changesContexts('PUT', 'set', {
  id: 'repos/set-status-check-contexts',
  summary: 'Set status check contexts',
});

export const removeStatusCheckContexts = changesContexts('DELETE', 'remove', {
  id: 'repos/remove-status-check-contexts',
  summary: 'Remove status check contexts',
});
