import { sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { openObjects } from '#git/objects/objects.ts';
import { listTree } from '#git/objects/tree-list.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { analyserVersion, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { findDefaultBranch, findTip, whileLocked } from '#search/branch.ts';
import { textOf } from '#search/code/document.ts';
import { wordsColumn } from '#search/words-column.ts';
import { lexemeOf, type TextField } from './lexemes.ts';

type Repository = Id<'repositories'>;

/** More of a README isn't searchable. */
const longestReadme = 64 * 1024;
const largestReadme = 1024 * 1024;
/** Entries of the root folder among which a README is looked for. */
const maxNames = 10_000;

/**
 * Brings what a repository is found by up to date: its name, description and topics, and the README of its default branch.
 * One repository is indexed by one process at a time, so that the one who writes last has read last.
 */
export function indexRepositoryWords({ db, git, id }: { db: Db; git: GitStore; id: Repository }): Promise<void> {
  return whileLocked(db, 'words', id, async (connection) => {
    try {
      await bringUp(connection, git, id);
    } catch (error) {
      // The repository was deleted meanwhile, and its row with it.
      if ((await findDefaultBranch(connection, id)) !== undefined) throw error;
    }
  });
}

async function bringUp(db: Db, git: GitStore, id: Repository): Promise<void> {
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
  // The repository may go meanwhile: then there is nothing to keep.
  await sql`
    insert into repository_words (repository_id, analyser, readme, words)
    select id, ${analyserVersion}, ${readme}, ${words} from repositories where id = ${id} for key share
    on conflict (repository_id) do update
      set analyser = excluded.analyser, readme = excluded.readme, words = excluded.words`.execute(db);
}

const wordsOf = (text: string, place: TextField): string[] => [
  ...new Set(identifiersOf(text).flatMap(lexemesOf).map(lexemeOf[place])),
];

/** The README in the root of a branch; empty where there is none. */
async function readReadme(git: GitStore, id: Repository, branch: string): Promise<string> {
  const repo = repoOf(git, id);
  const commit = await findTip(repo, branch);
  if (!commit) return '';
  const { entries } = await listTree(repo, commit, { limit: maxNames });
  const entry = entries.find(
    ({ path, mode }) => /^readme(\.(md|markdown|rst|txt|adoc|org))?$/i.test(path) && mode.startsWith('100'),
  );
  if (!entry) return '';
  await using reader = await openObjects(repo);
  for await (const read of reader.readMany([entry.oid], { maxSize: largestReadme })) {
    if ('object' in read) return textOf(read.object.data).slice(0, longestReadme).replaceAll('\0', ' ').toWellFormed();
  }
  return '';
}
