import { sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import type { Reader } from '#search/read.ts';
import type { TextField } from './terms.ts';

/** The texts of an issue. */
export type Texts = { title: string; body: string; comments: { id: Id<'issue_comments'>; body: string }[] };

type TextsOptions = {
  searchedFields: readonly TextField[];
  /** The maximum number of characters of each issue's first comments. */
  maxCharacters: number;
  /** The maximum number of bytes of all texts. One issue is always loaded, even if it alone has more. */
  batchSize?: number;
};

const defaultBytes = 4 * 1024 * 1024;

/** The texts of issues by their ids, in one statement. The last issues are missing if all texts together exceed `batchSize`. */
export async function loadTexts(
  db: Reader,
  issues: readonly Id<'issues'>[],
  { searchedFields, maxCharacters, batchSize = defaultBytes }: TextsOptions,
): Promise<Map<number, Texts>> {
  if (issues.length === 0) return new Map();
  const commentCondition = searchedFields.includes('comments') ? sql`c.issue_id = i.id` : sql`false`;
  const { rows } = await sql<Texts & { id: number }>`
    with sizes as (
      select i.id, given.place, coalesce(octet_length(i.body), 0)
        + least(${maxCharacters},
          (select coalesce(sum(octet_length(c.body)), 0) from issue_comments c where ${commentCondition})) as size
      from unnest(${issues}::bigint[]) with ordinality as given (id, place) join issues i on i.id = given.id
    ), sized as (select id, size, sum(size) over (order by place) as upto from sizes)
    select i.id, i.title, coalesce(i.body, '') as body, coalesce((
      select jsonb_agg(jsonb_build_object('id', c.id, 'body', c.body) order by c.id) from (
        select c.id, c.body, sum(length(c.body)) over (order by c.id) - length(c.body) as before from issue_comments c
        where ${commentCondition}
      ) as c where c.before < ${maxCharacters}), '[]') as comments
    from sized join issues i on i.id = sized.id where sized.upto <= ${batchSize} or sized.upto = sized.size`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The texts of the searched fields. */
export const textsIn = (texts: Texts, searchedFields: readonly TextField[]): string[] =>
  searchedFields.flatMap((index) => (index === 'comments' ? texts.comments.map(({ body }) => body) : [texts[index]]));
