// The languages of a repository.
import { Type } from 'typebox';
import { readsMetadata } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { languagesOf } from '../languages.ts';

export const listLanguages = endpoint({
  id: 'repos/list-languages',
  method: 'GET',
  path: '/repos/{owner}/{repo}/languages',
  summary: 'List repository languages',
  access: readsMetadata,
  replies: { 200: Type.Record(Type.String(), Type.Integer()) },
  handle: ({ scope, at }) => languagesOf(scope, at.repo),
});
