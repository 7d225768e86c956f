// The three kinds of actors that lists name: what requests call them, who can be named, and how replies show them.
import { type RawBuilder, sql } from 'kysely';
import type { TSchema } from 'typebox';
import { roleLevel } from '#access/roles.ts';
import { teamVisibleTo } from '#access/sql.ts';
import type { RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { ViewerContext } from '#endpoint/context.ts';
import { gather } from '#lib/collections.ts';
import { loadAccounts, presentUser, User } from '#resources/accounts/index.ts';
import { App, loadApps, presentApp } from '#resources/apps/index.ts';
import { loadVisibleTeams, presentTeams, Team } from '#resources/teams/index.ts';
import type { Actor } from './store.ts';

const writes = sql.lit(roleLevel('write'));

type Asked = { readonly repo: RepositoryRow; readonly by: SignedIn; readonly names: readonly string[] };

type Kind<Shown> = {
  readonly column: keyof Actor;
  readonly schema: TSchema;
  /** Selects those with these names, in lower case, who may write to the repository, as `name` and `id`. */
  select(asked: Asked): RawBuilder<unknown>;
  /** As replies show them: those that the viewer may see. Ids of other kinds are null. */
  present(context: ViewerContext, actors: readonly Actor[]): Promise<Shown[]>;
};

const inOrder = <Row extends { id: number }>(rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => a.id - b.id);

const kind = <Shown>(declared: Kind<Shown>): Kind<Shown> => declared;

export const actorKinds = {
  users: kind({
    column: 'user_id',
    schema: User,
    select: ({ repo, names }) => sql`select lower(a.login) as name, a.id from accounts a
      where lower(a.login) = any (${[...names]}::text[]) and a.kind = 'user' and exists (select from repository_roles role
        where role.repository_id = ${repo.id} and role.account_id = a.id and role.level >= ${writes})`,
    async present({ db, links }, actors) {
      const accounts = await loadAccounts(db, gather(actors, 'user_id'));
      return inOrder(accounts.values()).map((account) => presentUser(links, account));
    },
  }),
  teams: kind({
    column: 'team_id',
    schema: Team,
    select: ({ repo, by, names }) => sql`select lower(t.slug) as name, t.id from teams t
      where t.organization_id = ${repo.owner_id} and lower(t.slug) = any (${[...names]}::text[]) and ${teamVisibleTo(by, 't')}
        and exists (select from team_repositories tr
          where tr.repository_id = ${repo.id} and tr.team_id = any (t.ancestors) and role_level(tr.role) >= ${writes})`,
    async present(context, actors) {
      const ids = actors.flatMap(({ team_id }) => team_id ?? []);
      return presentTeams(context, inOrder(await loadVisibleTeams(context.db, context.viewer, ids)));
    },
  }),
  apps: kind({
    column: 'app_id',
    schema: App,
    select: ({ repo, names }) => sql`select lower(apps.slug) as name, apps.id from apps
      join installations i on i.app_id = apps.id and i.account_id = ${repo.owner_id} and i.suspended_at is null
      where lower(apps.slug) = any (${[...names]}::text[]) and i.permissions ->> 'contents' = 'write'
        and (i.repository_selection = 'all' or exists (select from installation_repositories ir
          where ir.installation_id = i.id and ir.repository_id = ${repo.id}))`,
    async present({ db, links }, actors) {
      const apps = await loadApps(db, gather(actors, 'app_id'));
      return inOrder(apps.values()).map((app) => presentApp(links, app, app.owner));
    },
  }),
};

export type ActorKind = keyof typeof actorKinds;
export const kindNames = Object.keys(actorKinds) as ActorKind[];

/** Names of actors of each kind, as requests have them. */
export type ActorNames = { readonly [K in ActorKind]?: readonly string[] | undefined };

const none: Actor = { user_id: null, team_id: null, app_id: null };

/** Those of the names that there are, by kind and name in lower case: `users octocat`. One statement for all kinds. */
export async function findActors(
  db: ViewerContext['db'],
  asked: Omit<Asked, 'names'>,
  names: { readonly [K in ActorKind]: readonly string[] },
): Promise<ReadonlyMap<string, Actor>> {
  const wanted = kindNames.filter((kind) => names[kind].length > 0);
  if (wanted.length === 0) return new Map();
  const parts = wanted.map(
    (kind) =>
      sql`select ${sql.lit(kind)} as kind, found.* from (${actorKinds[kind].select({ ...asked, names: names[kind] })}) found`,
  );
  const { rows } = await sql<{ kind: ActorKind; name: string; id: number }>`${sql.join(parts, sql` union all `)}`.execute(db);
  return new Map(rows.map(({ kind, name, id }) => [`${kind} ${name}`, { ...none, [actorKinds[kind].column]: id }]));
}
