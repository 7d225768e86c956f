import { sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { leaves, type Node } from '#search/query/tree.ts';
import type { Reader } from '#search/read.ts';

/** The accounts of a query by their logins, as spelled in the query. */
export type People = ReadonlyMap<string, { id: Id<'accounts'>; login: string }>;

/** Looks up all accounts of a query in one statement. `@me` is the viewer. */
export async function findPeople(db: Reader, query: Node, viewerId: Id<'accounts'> | undefined): Promise<People> {
  const logins = [...leaves(query)].flatMap((leaf) =>
    leaf.kind === 'qualifier' && leaf.value.type === 'login' ? [leaf.value.login] : [],
  );
  if (logins.length === 0) return new Map();
  const me = logins.includes('@me') ? (viewerId ?? null) : null;
  const { rows } = await sql<{ id: Id<'accounts'>; login: string }>`
    select id, login from accounts
    where lower(login) = any(${logins.map((login) => login.toLowerCase())}::text[]) or id = ${me}`.execute(db);
  return new Map(
    logins.flatMap((login) => {
      const account = rows.find((row) => (login === '@me' ? row.id === me : row.login.toLowerCase() === login.toLowerCase()));
      return account ? [[login, account] as const] : [];
    }),
  );
}
