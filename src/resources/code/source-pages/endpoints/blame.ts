// The last commit of each line of a file.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { showBlame } from '../blame.ts';
import { getLocation } from '../location.ts';
import { ShownBlame } from '../schemas.ts';

export const getBlame = endpoint({
  id: 'source-pages/get-blame',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/blame/{path}',
  summary: 'Get the last commit of each line of a file',
  access: readsContents,
  query: Type.Object({ line: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })) }),
  replies: { 200: ShownBlame },
  async handle({ scope, at, query, caller }) {
    return showBlame(scope, await getLocation(scope.git, at.repo, at.path), { line: query.line ?? 1, caller });
  },
});
