import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { autolink } from './path-resources.ts';
import { presentAutolink } from './present.ts';
import { createAutolink, deleteAutolink } from './rules.ts';
import { Autolink, NewAutolink } from './schemas.ts';
import { listAutolinks } from './store.ts';

const administers = { scopes: ['repo'], role: 'admin' } as const;
const reads = { ...administers, permission: 'administration:read' } as const;
const writes = { ...administers, permission: 'administration:write' } as const;

export const listRepoAutolinks = endpoint({
  id: 'repos/list-autolinks',
  method: 'GET',
  path: '/repos/{owner}/{repo}/autolinks',
  summary: 'Get all autolinks of a repository',
  access: reads,
  replies: { 200: Type.Array(Autolink) },
  async handle({ db, at }) {
    return (await listAutolinks(db, at.repo.id)).map(presentAutolink);
  },
});

export const createRepoAutolink = endpoint({
  id: 'repos/create-autolink',
  method: 'POST',
  path: '/repos/{owner}/{repo}/autolinks',
  summary: 'Create an autolink reference for a repository',
  access: writes,
  body: NewAutolink,
  example: { key_prefix: 'TICKET-', url_template: 'https://tickets.example/<num>', is_alphanumeric: true },
  replies: { 201: Autolink },
  async handle({ change, body, action }) {
    return presentAutolink(await change((scope) => createAutolink(scope, action, body)));
  },
});

export const getRepoAutolink = endpoint({
  id: 'repos/get-autolink',
  method: 'GET',
  path: '/repos/{owner}/{repo}/autolinks/{autolink_id}',
  resources: [autolink],
  summary: 'Get an autolink reference of a repository',
  access: reads,
  replies: { 200: Autolink },
  async handle({ at }) {
    return presentAutolink(at.autolink);
  },
});

export const deleteRepoAutolink = endpoint({
  id: 'repos/delete-autolink',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/autolinks/{autolink_id}',
  resources: [autolink],
  summary: 'Delete an autolink reference from a repository',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { autolink }) => deleteAutolink(scope, action, autolink));
  },
});
