import type { Identity } from '#git/objects/identity.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { analyse, identifiersOf, lexemesOf } from '#search/analyse/analyse.ts';
import { lexemeOf } from './lexemes.ts';

/** The index row of a commit. */
export type CommitDocument = {
  oid: string;
  weight: number;
  authorDate: Date;
  committerDate: Date;
  merge: boolean;
  message: string;
  lexemes: string[];
};

/** The maximum number of indexed characters of a message. */
const maxMessage = 64 * 1024;
const averageWords = 25;

const words = (text: string): string[] => identifiersOf(text).flatMap(lexemesOf);

/** An e-mail address for comparison: without whitespace, which lexemes can't contain, and in lower case. */
export const foldEmail = (email: string): string =>
  email
    .replace(/[\s\p{Cc}]/gu, '')
    .toLowerCase()
    .slice(0, 320);

/** Computes the index row of a commit. */
export function commitDocument(repositoryId: number, commit: Commit): CommitDocument {
  // PostgreSQL can't store NUL or lone surrogates.
  const message = commit.message.slice(0, maxMessage).replaceAll('\0', ' ').toWellFormed();
  const { lexemes, words: terms } = analyse(message);
  const { author, committer } = commit;
  const attributes = [
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
    weight: weightOf(terms.length, merge),
    authorDate: storableDate(author),
    committerDate: storableDate(committer),
    merge,
    message,
    lexemes: [...new Set([...lexemes, ...attributes])],
  };
}

/**
 * The BM25 weight of a word that occurs once. Merges weigh less, since their messages repeat the messages of the merged commits.
 */
const weightOf = (length: number, merge: boolean): number =>
  Math.fround((2.2 / (1.3 + (0.9 * length) / averageWords)) * (merge ? 0.5 : 1));

const earliest = Date.UTC(1, 0, 1);
const latest = Date.UTC(9999, 11, 31);

/** A date within PostgreSQL's range, which Git's dates may exceed. */
function storableDate({ date }: Identity): Date {
  const time = date.getTime();
  return Number.isNaN(time) ? new Date(0) : new Date(Math.min(Math.max(time, earliest), latest));
}
