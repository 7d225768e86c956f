import { sql } from 'kysely';
import { change, type Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { seeded } from './random.ts';

const syllables =
  `ba be bo ca co da de di do fa fi ga go ha ki la le li lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te
  ti to va ve vi za`.split(/\s+/);
const vocabulary = 60_000;
/** The exponent of Zipf's law for English texts. */
const exponent = 1.07;

/** The word with a rank. The most common is first, and common words are short. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/** Draws ranks with the frequency of words in texts. */
export function makeSpeaker(seed: number): { rank(): number; words(count: number): string; random(): number } {
  const random = seeded(seed);
  const sums = new Float64Array(vocabulary);
  let sum = 0;
  for (let rank = 0; rank < vocabulary; rank++) sums[rank] = sum += 1 / (rank + 3) ** exponent;
  const rank = () => {
    const wanted = random() * sum;
    let [low, high] = [0, vocabulary - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { rank, random, words: (count) => Array.from({ length: count }, () => wordOf(rank())).join(' ') };
}

const perRepository = 1_000;
const batchSize = 1_000;
const labels = ['bug', 'enhancement', 'question', 'documentation', 'good first issue', 'wontfix'];

/**
 * Writes issues `from` up to `to` with their comments, labels and assignees, a thousand to each repository, in the form that
 * events would leave.
 */
export async function writeIssues(
  db: Db,
  { from, to, owner, people }: { from: number; to: number; owner: Id<'accounts'>; people: readonly Id<'accounts'>[] },
): Promise<void> {
  const speaker = makeSpeaker(from + 1);
  const { random } = speaker;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T; // in range
  /** The lengths of texts: many short ones, and a few very long ones. */
  const length = (usual: number) =>
    Math.max(1, Math.round(usual * Math.exp(0.8 * (random() + random() + random() + random() - 2))));
  const start = Date.UTC(2020, 0, 1);
  for (let at = from; at < to; at += batchSize) {
    const repository = await repositoryFor(db, owner, at / perRepository);
    const issues = Array.from({ length: Math.min(batchSize, to - at) }, (_, index) => ({
      number: index + 1,
      title: speaker.words(length(7)),
      body: speaker.words(length(60)),
      author: pick(people),
      assignee: random() < 0.3 ? pick(people) : null,
      closed: random() < 0.6,
      created: new Date(start + Math.floor(random() * 2_000 * 86_400) * 1_000),
      plus: random() < 0.2 ? Math.floor(1 / (random() + 0.01)) : 0,
      labels: labels.filter(() => random() < 0.2),
      comments: Array.from({ length: Math.floor(random() * 5) }, () => ({
        body: speaker.words(length(25)),
        author: pick(people),
      })),
    }));
    await change(db, async (tx) => {
      const { rows } = await sql<{ id: number }>`
        insert into issues (repository_id, number, title, body, author_id, state, reactions, comments_count, created_at,
          updated_at)
        select ${repository}, * from unnest(${issues.map((i) => i.number)}::int[], ${issues.map((i) => i.title)}::text[],
          ${issues.map((i) => i.body)}::text[], ${issues.map((i) => i.author)}::bigint[],
          ${issues.map((i) => (i.closed ? 'closed' : 'open'))}::text[],
          ${issues.map((i) => (i.plus > 0 ? `{"+1": ${i.plus}}` : '{}'))}::jsonb[],
          ${issues.map((i) => i.comments.length)}::int[],
          ${issues.map((i) => i.created)}::timestamptz[], ${issues.map((i) => i.created)}::timestamptz[]) returning id`.execute(
        tx,
      );
      const idOf = (index: number) => rows[index]?.id ?? 0;
      const said = issues.flatMap(({ comments, created }, index) =>
        comments.map((comment) => ({ ...comment, created, issue: idOf(index) })),
      );
      await sql`insert into issue_comments (repository_id, issue_id, author_id, body, created_at, updated_at)
        select ${repository}, issue, author, body, at, at
        from unnest(${said.map((s) => s.issue)}::bigint[], ${said.map((s) => s.author)}::bigint[],
          ${said.map((s) => s.body)}::text[],
          ${said.map((s) => s.created)}::timestamptz[]) as s (issue, author, body, at)`.execute(tx);
      const labelled = issues.flatMap((issue, index) => issue.labels.map((name) => ({ issue: idOf(index), name })));
      await sql`insert into issue_labels select l.issue, labels.id from unnest(${labelled.map((l) => l.issue)}::bigint[],
          ${labelled.map((l) => l.name)}::text[]) as l (issue, name)
        join labels on labels.repository_id = ${repository} and labels.name = l.name`.execute(tx);
      const assigned = issues.flatMap(({ assignee, created }, index) =>
        assignee === null ? [] : [{ issue: idOf(index), assignee, created }],
      );
      await sql`insert into issue_assignees select * from unnest(${assigned.map((a) => a.issue)}::bigint[],
          ${assigned.map((a) => a.assignee)}::bigint[], ${assigned.map((a) => a.created)}::timestamptz[])`.execute(tx);
    });
  }
}

async function repositoryFor(db: Db, owner: Id<'accounts'>, number: number): Promise<Id<'repositories'>> {
  const now = new Date();
  const { id } = await db
    .insertInto('repositories')
    .values({ owner_id: owner, name: `repository-${number}`, pushed_at: now, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('labels')
    .values(labels.map((name) => ({ repository_id: id, name, color: '000000' })))
    .execute();
  return id;
}
