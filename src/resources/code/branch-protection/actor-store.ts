import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { type ActorKind, actorKinds, kindNames, type Naming } from './actor-kinds.ts';
import type { Actor } from './store.ts';

type NamedActor = Actor & { readonly kind: ActorKind; readonly name: string };

/** The actors of all kinds for which there is a condition, in one statement. */
async function selectActors(db: Db, conditionOf: (kind: ActorKind) => RawBuilder<boolean> | undefined): Promise<NamedActor[]> {
  const parts = kindNames.flatMap((kind) => {
    const { table, id, name } = actorKinds[kind];
    const condition = conditionOf(kind);
    return condition ? [sql`select ${sql.lit(kind)} as kind, ${id} as id, ${name} as name from ${table} where ${condition}`] : [];
  });
  if (parts.length === 0) return [];
  type Row = { kind: ActorKind; id: number; name: string };
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)}`.execute(db);
  const none: Actor = { user_id: null, team_id: null, app_id: null };
  return rows.map(({ kind, id, name }) => ({ ...none, [actorKinds[kind].column]: id, kind, name }));
}

/** Those of some names, in lower case, that lists of a repository may have. */
export const findActors = (
  db: Db,
  naming: Naming,
  names: { readonly [K in ActorKind]: readonly string[] },
): Promise<NamedActor[]> =>
  selectActors(db, (kind) =>
    names[kind].length === 0
      ? undefined
      : sql`lower(${actorKinds[kind].name}) = any (${[...names[kind]]}::text[]) and ${actorKinds[kind].mayBeNamed(naming)}`,
  );

/** The actors of lists, with their names. */
export const loadNames = (db: Db, actors: readonly Actor[]): Promise<NamedActor[]> =>
  selectActors(db, (kind) => {
    const ids = actors.flatMap((actor) => actor[actorKinds[kind].column] ?? []);
    return ids.length === 0 ? undefined : sql`${actorKinds[kind].id} = any (${ids}::bigint[])`;
  });
