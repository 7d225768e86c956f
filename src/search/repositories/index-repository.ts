import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { RepositoryId } from '#lib/id.ts';
import { analyserVersion, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { findDefaultBranch, findTip, withIndexLock } from '#search/branch.ts';
import { textOf } from '#search/code/document.ts';
import { wordsColumn } from '#search/words-column.ts';
import { lexemeOf, type TextField } from './lexemes.ts';

/** The number of indexed characters of a README, and the maximum size of the file. */
const maxReadmeText = 64 * 1024;
const maxReadmeFile = 1024 * 1024;
/** The number of entries in the root folder that are searched for a README. */
const maxNames = 10_000;

/**
 * Updates the index of a repository's name, description, topics and README (of its default branch). A lock lets one process index
 * a repository at a time.
 */
export function indexRepositoryWords({ db, git, id }: { db: Db; git: GitStore; id: RepositoryId }): Promise<void> {
  return withIndexLock(db, 'words', id, async (connection) => {
    try {
      await updateIndex(connection, git, id);
    } catch (error) {
      // The repository and its row were deleted in the meantime.
      if ((await findDefaultBranch(connection, id)) !== undefined) throw error;
    }
  });
}

async function updateIndex(db: Db, git: GitStore, id: RepositoryId): Promise<void> {
  const row = await db
    .selectFrom('repositories')
    .select(['name', 'description', 'topics', 'default_branch'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return;
  const readme = await readReadme(git, id, row.default_branch);
  const words = wordsColumn([
    ...wordsOf(row.name, 'name'),
    ...wordsOf(row.description ?? '', 'description'),
    ...wordsOf(row.topics.join(' '), 'topics'),
    ...wordsOf(readme, 'readme'),
  ]);
  // If the repository was deleted in the meantime, this inserts nothing.
  await sql`
    insert into repository_words (repository_id, analyser, readme, words)
    select id, ${analyserVersion}, ${readme}, ${words} from repositories where id = ${id} for key share
    on conflict (repository_id) do update
      set analyser = excluded.analyser, readme = excluded.readme, words = excluded.words`.execute(db);
}

const wordsOf = (text: string, field: TextField): string[] => [
  ...new Set(identifiersOf(text).flatMap(lexemesOf).map(lexemeOf[field])),
];

/** The README in the root of a branch; empty if it doesn't exist. */
async function readReadme(git: GitStore, id: RepositoryId, branch: string): Promise<string> {
  const repo = repoOf(git, id);
  const commit = await findTip(repo, branch);
  if (!commit) return '';
  const { entries } = await listTree(repo, commit, { limit: maxNames });
  const entry = entries.find(
    ({ path, mode }) => /^readme(\.(md|markdown|rst|txt|adoc|org))?$/i.test(path) && mode.startsWith('100'),
  );
  if (!entry) return '';
  await using reader = await openObjects(repo);
  for await (const read of reader.readMany([entry.oid], { maxSize: maxReadmeFile })) {
    if ('object' in read) return textOf(read.object.data).slice(0, maxReadmeText).replaceAll('\0', ' ').toWellFormed();
  }
  return '';
}
