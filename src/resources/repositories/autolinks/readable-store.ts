import { sql } from 'kysely';
import { readableBy } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';

type RepositoryName = { readonly owner: string; readonly repo: string };

/** An autolink, with the repository whose texts it applies to. */
type NamedAutolink = RepositoryName & {
  readonly key_prefix: string;
  readonly url_template: string;
  readonly is_alphanumeric: boolean;
};

/** The autolinks of the given repositories, named in lower case, that the viewer may read. */
export async function findReadableAutolinks(
  db: Db,
  viewer: Viewer,
  repositories: readonly RepositoryName[],
): Promise<NamedAutolink[]> {
  if (repositories.length === 0) return [];
  const { rows } = await sql<NamedAutolink>`
    select w.owner, w.repo, l.key_prefix, l.url_template, l.is_alphanumeric
    from unnest(${repositories.map(({ owner }) => owner)}::text[],
      ${repositories.map(({ repo }) => repo)}::text[]) as w (owner, repo)
    join accounts o on lower(o.login) = w.owner
    join repositories r on r.owner_id = o.id and lower(r.name) = w.repo
    join autolinks l on l.repository_id = r.id
    where ${readableBy(viewer)} order by l.id`.execute(db);
  return rows;
}
