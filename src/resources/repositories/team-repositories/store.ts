import { type RawBuilder, sql } from 'kysely';
import { readableBy } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { TeamRow } from '#resources/identity/teams/index.ts';

/** A repository with the level of a team's role in it, 1 (read) to 5 (admin). */
export type RepositoryWithLevel = RepositoryRow & { level: number };

/** The strongest role of a team or its parent teams in a repository; null if the team has no role. */
const levelIn = ({ ancestors }: TeamRow, repository: RawBuilder<unknown>) => sql<number | null>`(
  select max(role_level(tr.role)) from team_repositories tr
  where tr.repository_id = ${repository} and tr.team_id = any (${ancestors}::bigint[]))`;

/** The repositories that a team has a role in, directly or through a parent team, and that the viewer may read. */
export const listRepositoriesOf = (db: Db, team: TeamRow, viewer: Viewer, page: Page): Promise<Listed<RepositoryWithLevel>> =>
  list(
    db,
    db
      .selectFrom('repositories as r')
      .selectAll()
      .select(levelIn(team, sql`r.id`).$castTo<number>().as('level'))
      .where(
        sql<boolean>`r.id in (select tr.repository_id from team_repositories tr
          where tr.team_id = any (${team.ancestors}::bigint[]))`,
      )
      .where(readableBy(viewer))
      .orderBy('r.id'),
    page,
  );

/** The level of a team's role in a repository; 0 if it has none. */
export async function findTeamLevel(db: Db, team: TeamRow, repository: Id<'repositories'>): Promise<number> {
  const { rows } = await sql<{ level: number | null }>`select ${levelIn(team, sql`${repository}`)} as level`.execute(db);
  return rows[0]?.level ?? 0;
}
