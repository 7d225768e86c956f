// What pages show of refs beyond the API.
import { Type } from 'typebox';
import { readsContents } from '#access/policies.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { openObjects } from '#git/objects/objects.ts';
import { listRefs } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { Nullable, Timestamp } from '#lib/shape.ts';
import { presentMessage, presentPerson } from '#resources/code/commits/index.ts';

const tags = 'refs/tags/';

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
  async handle({ at, page, query, services: { git } }) {
    const gitRepository = repoOf(git, at.repo.id);
    const word = query.q?.toLowerCase() ?? '';
    const isWanted = (name: string): boolean => name.slice(tags.length).toLowerCase().includes(word);
    const { rows, total } = await listRefs(gitRepository, { prefix: tags, newestFirst: true, isWanted, ...page });
    await using reader = await openObjects(gitRepository);
    const [commits, annotated] = await Promise.all([
      reader.findCommits(rows.flatMap(({ type, oid, peeled }) => (type === 'commit' ? [oid] : (peeled?.oid ?? [])))),
      Promise.all(rows.map(({ type, oid }) => (type === 'tag' ? reader.getTag(oid) : undefined))),
    ]);
    return {
      rows: rows.map(({ name, oid, peeled }, index) => {
        const sha = peeled?.oid ?? oid;
        const [tag, commit] = [annotated[index], commits.get(sha)];
        const person = tag?.tagger ?? commit?.committer;
        return {
          name: name.slice(tags.length),
          sha,
          is_commit: commit !== undefined,
          date: person ? presentPerson(person).date : null,
          message: tag ? presentMessage(tag.message) : null,
        };
      }),
      total,
    };
  },
});
