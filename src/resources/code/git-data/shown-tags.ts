import { openObjects } from '#git/objects/objects.ts';
import { listRefs } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import type { Page } from '#lib/page.ts';
import { presentMessage, presentPerson } from '#resources/code/commits/index.ts';

const tags = 'refs/tags/';

/** A page of the tags whose names have this part, the newest first. Case doesn't matter. */
export async function listShownTags(gitRepository: GitRepository, part: string, page: Page) {
  const word = part.toLowerCase();
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
}
