import { sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import type { Place } from './terms.ts';

/** What an issue and its comments say. */
export type Texts = { title: string; body: string; comments: { id: Id<'issue_comments'>; body: string }[] };

/**
 * The texts of some issues, by their ids, in one statement; of each one's comments the first ones, up to `most` characters in all.
 */
export async function loadTexts(
  db: Reader,
  issues: readonly Id<'issues'>[],
  { places, most }: { places: readonly Place[]; most: number },
): Promise<Map<number, Texts>> {
  if (issues.length === 0) return new Map();
  const wanted = places.includes('comments') ? sql`c.issue_id = i.id` : sql`false`;
  const { rows } = await sql<Texts & { id: number }>`
    select i.id, i.title, coalesce(i.body, '') as body, coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'body', c.body) order by c.id) from (
        select c.id, c.body, sum(length(c.body)) over (order by c.id) - length(c.body) as before from issue_comments c where ${wanted}
      ) as c where c.before < ${most}), '[]') as comments
    from issues i where i.id = any(${issues}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The texts in which a search looks, each by itself. */
export const textsIn = (texts: Texts, places: readonly Place[]): string[] =>
  places.flatMap((place) => (place === 'comments' ? texts.comments.map(({ body }) => body) : [texts[place]]));
