// The three kinds of actors that lists name: what requests call them, who can be named, and how replies show them.

import { type RawBuilder, sql } from 'kysely';
import { type TSchema, Type } from 'typebox';
import { roleLevel } from '#access/roles.ts';
import { permissionIn, teamVisibleTo } from '#access/sql.ts';
import type { RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { loadAccounts, presentUser, User } from '#resources/identity/accounts/index.ts';
import { loadVisibleTeams, presentTeams, Team } from '#resources/identity/teams/index.ts';
import { App, loadApps, presentApp } from '#resources/repositories/apps/index.ts';
import type { Actor } from './store.ts';

/** Where actors are named: the repository, and who names them. */
export type Naming = { readonly repo: RepositoryRow; readonly by: SignedIn };

type Kind<Shown extends object> = {
  readonly column: keyof Actor;
  readonly schema: TSchema;
  /** Its table, with the columns that hold ids and names. */
  readonly table: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly name: RawBuilder<string>;
  /** Whether a row of the table may be named: it can write to the repository, and who names it may see it. */
  mayBeNamed(naming: Naming): RawBuilder<boolean>;
  /** As replies show them: those that the viewer may see, in the order of their ids. Actors of other kinds are left out. */
  present(scope: Scope, actors: readonly Actor[]): Promise<Shown[]>;
};

const kind = <Shown extends object>(declared: Kind<Shown>): Kind<Shown> => declared;

const writes = sql.lit(roleLevel('write'));
const inOrder = <Row extends { id: number }>(rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => a.id - b.id);

export const actorKinds = {
  users: kind({
    column: 'user_id',
    schema: User,
    table: sql`accounts a`,
    id: sql`a.id`,
    name: sql`a.login`,
    mayBeNamed: ({ repo }) => sql`a.kind = 'user' and exists (select from repository_roles role
      where role.repository_id = ${repo.id} and role.account_id = a.id and role.level >= ${writes})`,
    async present({ db, links }, actors) {
      const accounts = await loadAccounts(db, gather(actors, 'user_id'));
      return inOrder(accounts.values()).map((account) => presentUser(links, account));
    },
  }),
  teams: kind({
    column: 'team_id',
    schema: Team,
    table: sql`teams t`,
    id: sql`t.id`,
    name: sql`t.slug`,
    mayBeNamed: ({ repo, by }) => sql`t.organization_id = ${repo.owner_id} and ${teamVisibleTo(by, 't')}
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
    table: sql`apps`,
    id: sql`apps.id`,
    name: sql`apps.slug`,
    mayBeNamed: ({ repo }) => sql`exists (select from installations i
      where i.app_id = apps.id and i.account_id = ${repo.owner_id} and i.suspended_at is null
        and ${permissionIn(sql`i.permissions`, 'contents:write')}
        and (i.repository_selection = 'all' or exists (select from installation_repositories ir
          where ir.installation_id = i.id and ir.repository_id = ${repo.id})))`,
    async present({ db, links }, actors) {
      const apps = await loadApps(db, gather(actors, 'app_id'));
      return inOrder(apps.values()).map((app) => presentApp(links, app, app.owner));
    },
  }),
};

export type ActorKind = keyof typeof actorKinds;
export const kindNames = Object.keys(actorKinds) as ActorKind[]; // the keys of the table above

/** Names of actors of each kind, as requests have them. */
export type ActorNames = { readonly [K in ActorKind]?: readonly string[] | undefined };

/** Names of people, teams or apps, or of checks. */
export const names = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 });

/** A body that is a list of names, or has it in a field. */
export const NamesIn = (field: string) =>
  Type.Unsafe<readonly string[] | Readonly<Record<string, readonly string[]>>>(
    Type.Union([names, Type.Object({ [field]: names })], { title: 'BranchProtection' }),
  );

/** The names of such a body. */
export const namesOf = (
  body: readonly string[] | Readonly<Record<string, readonly string[]>>,
  field: string,
): readonly string[] => (isList(body) ? body : (body[field] ?? []));

const isList = (body: readonly string[] | Readonly<Record<string, readonly string[]>>): body is readonly string[] =>
  Array.isArray(body);
