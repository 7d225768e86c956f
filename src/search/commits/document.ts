import type { Identity } from '#git/objects/identity.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { analyse, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { lexemeOf } from './lexemes.ts';

/** A commit as the index keeps it. */
export type CommitDocument = {
  oid: string;
  weight: number;
  authorDate: Date;
  committerDate: Date;
  merge: boolean;
  message: string;
  lexemes: string[];
};

/** More of a message isn't searchable. */
const longestMessage = 64 * 1024;
const averageWords = 25;

const words = (text: string): string[] => identifiersOf(text).flatMap(lexemesOf);

/** An email address as it is compared: without blanks, which no lexeme holds, and in lower case. */
export const foldEmail = (email: string): string =>
  email
    .replace(/[\s\p{Cc}]/gu, '')
    .toLowerCase()
    .slice(0, 320);

/** Makes a commit's row. */
export function commitDocument(repositoryId: number, commit: Commit): CommitDocument {
  // PostgreSQL holds no NUL, and no half of a surrogate pair.
  const message = commit.message.slice(0, longestMessage).replaceAll('\0', ' ').toWellFormed();
  const { lexemes, words: written } = analyse(message);
  const { author, committer } = commit;
  const facets = [
    ...words(message.split('\n', 1)[0] ?? '').map(lexemeOf.subject),
    ...words(author.name).map(lexemeOf.authorName),
    ...words(committer.name).map(lexemeOf.committerName),
    lexemeOf.authorEmail(foldEmail(author.email)),
    lexemeOf.committerEmail(foldEmail(committer.email)),
    lexemeOf.hash(commit.oid),
    ...commit.parents.slice(0, 64).map(lexemeOf.parent),
    lexemeOf.tree(commit.tree),
    lexemeOf.repository(repositoryId),
  ];
  const merge = commit.parents.length > 1;
  return {
    oid: commit.oid,
    weight: weightOf(written.length, merge),
    authorDate: storable(author),
    committerDate: storable(committer),
    merge,
    message,
    lexemes: [...new Set([...lexemes, ...facets])],
  };
}

/** The weight of a word that occurs once, by BM25. Merges count less, since they repeat what their commits say. */
const weightOf = (length: number, merge: boolean): number =>
  Math.fround((2.2 / (1.3 + (0.9 * length) / averageWords)) * (merge ? 0.5 : 1));

const earliest = Date.UTC(1, 0, 1);
const latest = Date.UTC(9999, 11, 31);

/** A date that PostgreSQL can store. Git allows later ones. */
function storable({ date }: Identity): Date {
  const time = date.getTime();
  return Number.isNaN(time) ? new Date(0) : new Date(Math.min(Math.max(time, earliest), latest));
}
