// What pages show of refs beyond the API.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { repoOf } from '#git/store.ts';
import { Nullable, Timestamp } from '#lib/shape.ts';
import { listShownTags } from '../shown-tags.ts';

export const showTags = endpoint({
  id: 'git/show-tags',
  method: 'GET',
  path: '/repos/{owner}/{repo}/shown-tags',
  summary: 'Show the tags of a repository, the newest first',
  access: readsContents,
  query: Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })) }),
  paging: pages(),
  replies: {
    200: Type.Array(
      Type.Object({
        name: Type.String(),
        /** The commit, or what else the tag names. */
        sha: Type.String(),
        is_commit: Type.Boolean(),
        /** When the tag was made, or its commit if it has no message. */
        date: Nullable(Timestamp),
        message: Nullable(Type.String()),
      }),
    ),
  },
  handle: ({ at, page, query, services: { git } }) => listShownTags(repoOf(git, at.repo.id), query.q ?? '', page),
});
