// What a repository is written in.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { languagesOf } from '../languages.ts';

export const listLanguages = endpoint({
  id: 'repos/list-languages',
  method: 'GET',
  path: '/repos/{owner}/{repo}/languages',
  summary: 'List repository languages',
  access: { permission: 'metadata:read', scopes: ['repo'], role: 'read', public: true },
  replies: { 200: Type.Record(Type.String(), Type.Integer()) },
  handle: ({ db, at, services: { git } }) => languagesOf({ db, git }, at.repo),
});
