import { trimEndOf } from '#lib/trim.ts';
import { analyse, analyserVersion, identifiersOf, lexemesOf, type Word, wordOf } from '#search/analyse/analyse.ts';
import { pairsOf } from '#search/word-pairs.ts';
import { wordsColumn } from '#search/words-column.ts';
import { lexemeOf } from './lexemes.ts';

/** The indexed data of an issue. */
export type Source = {
  id: number;
  repositoryId: number;
  title: string;
  body: string | null;
  /** The beginning of its comments, oldest first. */
  comments: string;
  authorId: number | null;
  assignees: number[];
  commenters: number[];
  labels: string[];
  milestone: string | null;
  state: string;
  stateReason: string | null;
  locked: boolean;
  /** The additional data of a pull request. */
  pull: PullSource | null;
};

type PullSource = {
  isDraft: boolean;
  isMerged: boolean;
  headRef: string;
  baseRef: string;
  /** Its first 250 commits, its head and its merge. The head occurs twice. */
  commits: string[];
};

/** The computed columns of an issue's row. */
export type Document = {
  id: number;
  titleWeight: number;
  bodyWeight: number;
  commentsWeight: number;
  version: number;
  words: string;
  /** The Bloom filter of word pairs (see word-pairs.ts). */
  pairs: Buffer;
};

/** Increase the last number whenever the computation of rows changes. */
export const rowVersion = analyserVersion * 100 + 4;

/** More bits than for code, since issues are short. One wrong pair in thirty passes the filter. */
const bitsPerWord = 8;
const average = { title: 8, body: 120, comments: 250 };

/** Computes the index row of an issue. */
export function documentOf(source: Source): Document {
  const wordsOf = (text: string): Word[] => identifiersOf(text).map(wordOf);
  const title = [...new Set(identifiersOf(source.title).flatMap(lexemesOf))];
  const body = analyse(source.body ?? '');
  const comments = analyse(source.comments);
  const lexemes = [
    ...attributeLexemes(source),
    ...title,
    ...title.map(lexemeOf.title),
    ...mentionsIn(`${source.title}\n${source.body ?? ''}\n${source.comments}`),
    ...body.lexemes,
    ...body.lexemes.map(lexemeOf.body),
    ...comments.lexemes,
    ...comments.lexemes.map(lexemeOf.comments),
  ];
  return {
    id: source.id,
    titleWeight: weightOf(identifiersOf(source.title).length, average.title),
    bodyWeight: weightOf(body.words.length, average.body),
    commentsWeight: weightOf(comments.words.length, average.comments),
    version: rowVersion,
    words: wordsColumn(withinBounds(lexemes)),
    pairs: pairsOf([...wordsOf(source.title), ...body.words, ...comments.words], bitsPerWord),
  };
}

/**
 * The BM25 weight of a word in a text of this length, as if it occurred once, since the index doesn't store frequencies. Below
 * 1.7.
 */
const weightOf = (words: number, average: number): number => Math.fround(2.2 / (1.3 + (0.9 * words) / average));

function attributeLexemes({ repositoryId, authorId, milestone, ...source }: Source): string[] {
  return [
    lexemeOf.repository(repositoryId),
    ...(source.pull ? pullLexemes(source.pull) : [lexemeOf.fact('issue')]),
    lexemeOf.fact(source.state),
    lexemeOf.fact(source.locked ? 'locked' : 'unlocked'),
    ...(source.stateReason ? [lexemeOf.fact(source.stateReason)] : []),
    ...(authorId === null ? [] : [lexemeOf.author(authorId)]),
    ...source.assignees.map(lexemeOf.assignee),
    ...source.commenters.map(lexemeOf.commenter),
    ...source.labels.map(lexemeOf.label),
    milestone === null ? lexemeOf.without('milestone') : lexemeOf.milestone(milestone),
    ...(source.labels.length === 0 ? [lexemeOf.without('label')] : []),
    ...(source.assignees.length === 0 ? [lexemeOf.without('assignee')] : []),
  ];
}

function pullLexemes({ isDraft, isMerged, headRef, baseRef, commits }: PullSource): string[] {
  return [
    lexemeOf.fact('pull'),
    lexemeOf.fact(isMerged ? 'merged' : 'unmerged'),
    lexemeOf.fact(isDraft ? 'draft' : 'ready'),
    ...beginningsOf(headRef).map(lexemeOf.head),
    lexemeOf.base(baseRef),
    ...commits.map(lexemeOf.commit),
  ];
}

const maxBeginnings = 20;

/** A branch's name, and its beginnings that end with a word: `fix/pump-seal` begins with `fix` and `fix/pump`. */
const beginningsOf = (name: string): string[] => [
  name,
  ...[...name.matchAll(/[\p{L}\p{N}](?=[^\p{L}\p{N}])/gu)]
    .slice(0, maxBeginnings)
    .map(({ index, 0: { length } }) => name.slice(0, index + length)),
];

const mention =
  /(?<![\p{L}\p{N}_/-])@([a-z\d](?:[a-z\d]|[-_](?=[a-z\d])){0,98})(?:\/([a-z\d][a-z\d._-]{0,98}))?(?![\p{L}\p{N}/])/giu;
const maxMentions = 1_000;

/** The lexemes of the users and teams that a text mentions with `@`. */
export function mentionsIn(text: string): string[] {
  const named = new Set<string>();
  for (const [, login, team] of text.matchAll(mention)) {
    if (login) named.add(team ? lexemeOf.team(login, trimEndOf(team, '._-')) : lexemeOf.mention(login));
    if (named.size >= maxMentions) break;
  }
  return [...named];
}

/** PostgreSQL keeps at most 1 MiB of lexemes in a tsvector. */
const maxBytes = 900_000;

/** The first distinct lexemes, up to `maxBytes`. */
function withinBounds(lexemes: readonly string[]): string[] {
  const first: string[] = [];
  let bytes = 0;
  for (const lexeme of new Set(lexemes)) {
    bytes += Buffer.byteLength(lexeme);
    if (bytes > maxBytes) break;
    first.push(lexeme);
  }
  return first;
}
