// What pages show of releases beyond the API.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nullable } from '#lib/shape.ts';
import { listOfTags } from '../store.ts';

/** Names of tags can't hold colons, so that they are joined by these. */
const separator = ':';

export const listReleasesOfTags = endpoint({
  id: 'releases/list-of-tags',
  method: 'GET',
  path: '/repos/{owner}/{repo}/releases-of-tags',
  summary: 'List the published releases of some tags',
  access: readsContents,
  query: Type.Object({ tags: Type.String({ maxLength: 110_000 }) }),
  replies: {
    200: Type.Array(Type.Object({ tag_name: Type.String(), name: Nullable(Type.String()), prerelease: Type.Boolean() })),
  },
  async handle({ db, at, query }) {
    const rows = await listOfTags(db, at.repo.id, query.tags.split(separator).slice(0, 100));
    return rows.map(({ tag_name, name, prerelease }) => ({ tag_name, name, prerelease }));
  },
});
