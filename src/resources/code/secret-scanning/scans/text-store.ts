// Texts of issues and pull requests.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { gather, grouped } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';

/** The tables that hold texts, in the order in which they are scanned. */
const textTables = ['issues', 'issue_comments', 'reviews', 'review_comments'] as const;
type TextTable = (typeof textTables)[number];

/** A row that holds texts. */
export type TextRow = { [Table in TextTable]: { readonly table: Table; readonly id: Id<Table> } }[TextTable];

/** Which text it is, in the columns of its places. */
export type TextLocation = {
  readonly part: NonNullable<DB['secret_locations']['part']>;
  readonly issue_id: Id<'issues'>;
  readonly comment_id: Id<'issue_comments'> | null;
  readonly review_id: Id<'reviews'> | null;
  readonly review_comment_id: Id<'review_comments'> | null;
};

export type Text = TextLocation & { readonly repository_id: RepositoryId; readonly text: string };

/** The row that holds a text. */
export function rowOf({ issue_id, comment_id, review_id, review_comment_id }: TextLocation): TextRow {
  if (comment_id !== null) return { table: 'issue_comments', id: comment_id };
  if (review_id !== null) return { table: 'reviews', id: review_id };
  if (review_comment_id !== null) return { table: 'review_comments', id: review_comment_id };
  return { table: 'issues', id: issue_id };
}

type KeyedText = Text & Pick<TextCursor, 'at' | 'id'>;

/** The texts of some rows, each with where a list of them goes on after it. */
const textsOf: Readonly<Record<TextTable, (rows: RawBuilder<unknown>) => RawBuilder<KeyedText>>> = {
  issues: (rows) => sql`
    select s.repository_id, t.part, s.id as issue_id, null::bigint as comment_id, null::bigint as review_id,
      null::bigint as review_comment_id, t.text, '-infinity' as at, s.number::bigint as id
    from ${rows} as s cross join lateral (values ('title', s.title), ('body', coalesce(s.body, ''))) as t(part, text)`,
  issue_comments: (rows) => sql`
    select s.repository_id, 'comment' as part, s.issue_id, s.id as comment_id, null::bigint as review_id,
      null::bigint as review_comment_id, s.body as text, '-infinity' as at, s.id from ${rows} as s`,
  reviews: (rows) => sql`
    select s.repository_id, 'review' as part, s.issue_id, null::bigint as comment_id, s.id as review_id,
      null::bigint as review_comment_id, s.body as text, s.submitted_at::text as at, s.id from ${rows} as s`,
  review_comments: (rows) => sql`
    select s.repository_id, 'review_comment' as part, s.issue_id, null::bigint as comment_id, null::bigint as review_id,
      s.id as review_comment_id, s.body as text, '-infinity' as at, s.id from ${rows} as s`,
};

/** The texts that some rows hold, of which events told. */
export async function loadTexts(db: Db, wanted: readonly TextRow[]): Promise<Text[]> {
  if (wanted.length === 0) return [];
  const selects = [...grouped(wanted, ({ table }) => table)].map(([table, rows]) =>
    textsOf[table](sql`(select * from ${sql.table(table)} where id = any (${gather(rows, 'id')}::bigint[]))`),
  );
  return (await sql<Text>`${sql.join(selects, sql` union all `)}`.execute(db)).rows;
}

/** Where a list of all texts of a repository goes on: in a table, after a row, or after an issue with this number. */
export type TextCursor = { readonly table: TextTable; readonly at: string; readonly id: number };

const beginOf = (table: TextTable): TextCursor => ({ table, at: '-infinity', id: 0 });
export const firstText = beginOf('issues');

/** The next rows of each table, along an index. Reviews that wait to be submitted are left out. */
const rowsAfter: Readonly<Record<TextTable, (repository: RepositoryId, after: TextCursor) => RawBuilder<unknown>>> = {
  issues: (repository, { id }) => sql`issues where repository_id = ${repository} and number > ${id} order by number`,
  issue_comments: (repository, { id }) => sql`issue_comments where repository_id = ${repository} and id > ${id} order by id`,
  reviews: (repository, { at, id }) => sql`reviews where repository_id = ${repository}
    and (submitted_at, id) > (${at}::timestamptz, ${id}::bigint) order by submitted_at, id`,
  review_comments: (repository, { id }) => sql`review_comments where repository_id = ${repository} and id > ${id}
    and submitted_at is not null order by id`,
};

/** The next texts of a repository, those of `limit` rows, and where the list goes on; nowhere after the last of them. */
export async function listTextsAfter(
  db: Db,
  repository: RepositoryId,
  after: TextCursor,
  limit: number,
): Promise<{ texts: Text[]; next: TextCursor | undefined }> {
  const { table } = after;
  const rows = sql`(select * from ${rowsAfter[table](repository, after)} limit ${limit})`;
  const { rows: texts } =
    await sql<KeyedText>`select * from (${textsOf[table](rows)}) as t order by t.at::timestamptz, t.id`.execute(db);
  const last = texts.at(-1);
  const following = textTables[textTables.indexOf(table) + 1];
  const next = last ? { table, at: last.at, id: last.id } : following && beginOf(following);
  return { texts, next };
}

/** Of these texts, those whose rows are still there; these can't be deleted until the transaction ends. */
export async function keepPresentTexts<Located extends { readonly text: TextLocation }>(
  tx: Tx,
  located: readonly Located[],
): Promise<Located[]> {
  const rows = grouped(located, ({ text }) => rowOf(text).table);
  const present: Located[] = [];
  for (const table of textTables) {
    const some = rows.get(table) ?? [];
    if (some.length === 0) continue;
    const ids = some.map(({ text }) => rowOf(text).id);
    const found = await sql<{ id: number }>`
      select id from ${sql.table(table)} where id = any (${ids}::bigint[]) order by id for key share`.execute(tx);
    const there = new Set(gather(found.rows, 'id'));
    present.push(...some.filter(({ text }) => there.has(rowOf(text).id)));
  }
  return present;
}
