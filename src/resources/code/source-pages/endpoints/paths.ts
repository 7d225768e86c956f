// Finding files by their paths.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { getLocation, presentLocation } from '../location.ts';
import { findPaths } from '../paths.ts';
import { FoundPaths } from '../schemas.ts';

export const findSourcePaths = endpoint({
  id: 'source-pages/find-paths',
  method: 'GET',
  path: '/repos/{owner}/{repo}/source/paths/{path}',
  summary: 'Find files of a commit by words of their paths',
  access: readsContents,
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 256 })) }),
  replies: { 200: FoundPaths },
  async handle({ scope, at, query }) {
    const location = await getLocation(scope.git, at.repo, at.path);
    const { paths, total, isCut } = await findPaths(location, query.q ?? '');
    return { ...presentLocation(location), paths, total, is_cut: isCut };
  },
});
