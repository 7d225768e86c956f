// What pages show of branches beyond the API.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nullable } from '#lib/shape.ts';
import { Commit } from '#resources/code/commits/index.ts';
import { listShownBranches } from './shown-branches.ts';

/** So many histories are compared together. */
const perPage = 30;

export const showBranches = endpoint({
  id: 'branches/show',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-branches',
  summary: 'Show the branches of a repository, the latest first, with how far they are from the default branch',
  access: readsContents,
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
  paging: pages({ defaultLimit: perPage, maxLimit: perPage }),
  replies: {
    200: Type.Array(
      Type.Object({
        name: Type.String(),
        protected: Type.Boolean(),
        commit: Commit,
        /** Both are null where they aren't known: histories may differ too much. */
        ahead_by: Nullable(Type.Integer()),
        behind_by: Nullable(Type.Integer()),
      }),
    ),
  },
  handle: ({ scope, at, page, query }) => listShownBranches(scope, at.repo, query.q ?? '', page),
});
