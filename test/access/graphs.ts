// Random organizations with people, nested teams, roles and repositories, and the documents' answer to who may read what in them.
import { sql } from 'kysely';
import { scopes as everyScope } from '#access/scopes.ts';
import type { Grant } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { hashToken, newToken } from '#lib/token.ts';

type Random = (bound: number) => number;

const levels = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
const levelOf = (role: string | null): number => (role === null ? 0 : levels.indexOf(role));

type Repository = { id: number; owner: number; visibility: 'public' | 'internal' | 'private'; name: string; isFork: boolean };
type Team = { id: number; organization: number; parent: number | undefined; privacy: 'closed' | 'secret' };
type Installation = {
  id: number;
  app: number;
  account: number;
  suspended: boolean;
  /** Undefined: all repositories of the account. */
  selected: number[] | undefined;
  permissions: Record<string, string>;
};

/** A credential: the server's data about it (`grant`) and, if requests are made, the token itself. */
export type Caller = { user: number | undefined; grant: Grant; token: string | undefined };

export type Graph = {
  users: { id: number; login: string }[];
  organizations: { id: number; login: string; base: string }[];
  memberships: { organization: number; user: number; role: 'owner' | 'member' }[];
  teams: Team[];
  teamMembers: { team: number; user: number }[];
  teamRepositories: { team: number; repository: number; role: string }[];
  collaborators: { repository: number; user: number; role: string }[];
  assignments: {
    organization: number;
    role: number;
    level: number;
    isSecurity: boolean;
    user: number | undefined;
    team: number | undefined;
  }[];
  repositories: Repository[];
  apps: { id: number; bot: number }[];
  installations: Installation[];
  callers: Caller[];
};

/** The existing organization roles, with the level that each gives in every repository. */
export type OrganizationRole = { id: number; name: string; base_role: string | null };

type Drawing = { random: Random; roles: readonly OrganizationRole[]; next: () => number };

/**
 * Makes a random graph: two organizations with a founder and four more people, up to six teams, five repositories, an app, and a
 * credential of each kind.
 */
export function drawGraph({ random, roles, next }: Drawing): Graph {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const some = <T>(from: readonly T[], oneIn: number): T[] => from.filter(() => random(oneIn) === 0);
  const people = Array.from({ length: 4 }, next).map((id) => ({ id, login: `person-${id}` }));
  const founder = next();
  const organizations = Array.from({ length: 2 }, next).map((id) => ({
    id,
    login: `group-${id}`,
    base: pick(['none', 'none', 'read', 'write', 'admin']),
  }));
  const memberships = organizations.flatMap(({ id }) => [
    { organization: id, user: founder, role: 'owner' as const },
    ...some(people, 2).map((user) => ({
      organization: id,
      user: user.id,
      role: random(4) === 0 ? ('owner' as const) : ('member' as const),
    })),
  ]);
  const owners = [...organizations, ...organizations, pick(people)].map(({ id }) => id);
  const repositories = Array.from({ length: 5 }, next).map((id) => {
    const isFork = random(6) === 0; // a private fork for fixing a vulnerability
    return {
      id,
      owner: pick(owners),
      visibility: isFork ? ('private' as const) : pick(['public', 'internal', 'private', 'private', 'private'] as const),
      name: `thing-${id}`,
      isFork,
    };
  });
  const teams: Team[] = [];
  for (const { id: organization } of organizations)
    for (const id of Array.from({ length: random(4) }, next)) {
      const parent =
        random(2) === 0 ? undefined : teams.findLast((team) => team.organization === organization && team.privacy === 'closed');
      teams.push({ id, organization, parent: parent?.id, privacy: parent || random(2) === 0 ? 'closed' : 'secret' });
    }
  const membersOf = (organization: number) => memberships.filter((one) => one.organization === organization);
  const ownedBy = (owner: number) => repositories.filter((one) => one.owner === owner);
  const app = { id: next(), bot: next() };
  const installations = organizations
    .filter(() => random(3) > 0)
    .map(({ id: account }) => ({
      id: next(),
      app: app.id,
      account,
      suspended: random(4) === 0,
      selected: random(2) === 0 ? undefined : some(ownedBy(account), 2).map(({ id }) => id),
      permissions: Object.fromEntries(some(['issues', 'contents', 'members'], 2).map((name) => [name, pick(['read', 'write'])])),
    }));
  const graph: Graph = {
    users: [...people, { id: founder, login: `person-${founder}` }],
    organizations,
    memberships,
    teams,
    teamMembers: teams.flatMap((team) => some(membersOf(team.organization), 3).map(({ user }) => ({ team: team.id, user }))),
    teamRepositories: teams.flatMap((team) =>
      some(ownedBy(team.organization), 3).map(({ id }) => ({ team: team.id, repository: id, role: pick(levels.slice(1)) })),
    ),
    collaborators: repositories.flatMap(({ id, owner }) =>
      some(people, 6)
        .filter((user) => user.id !== owner)
        .map((user) => ({ repository: id, user: user.id, role: pick(levels.slice(1)) })),
    ),
    assignments: [
      ...some(memberships, 6).map(({ organization, user }) => ({ organization, user, team: undefined })),
      ...some(teams, 5).map(({ id, organization }) => ({ organization, user: undefined, team: id })),
    ].map((one) => {
      const role = pick(roles);
      return { ...one, role: role.id, level: levelOf(role.base_role), isSecurity: role.name === 'security_manager' };
    }),
    repositories,
    apps: [app],
    installations,
    callers: [],
  };
  graph.callers = callersOf(graph, { random, roles, next });
  return graph;
}

function callersOf({ users, organizations, repositories, installations, apps }: Graph, { random, next }: Drawing): Caller[] {
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const owner = pick([...organizations, ...organizations, ...users]).id;
  const permissions = { ...(random(2) === 0 ? { issues: 'read' } : {}), ...(random(2) === 0 ? { contents: 'read' } : {}) };
  const [app] = apps;
  const made = (user: number | undefined, kind: Grant['kind'], more: object): Caller => {
    const token = newToken('hrp_'); // prefixes are for people and scanners, and the row has the kind
    return { user, grant: { kind, tokenId: next(), ...more } as unknown as Grant, token };
  };
  const person = (): number => pick(users).id;
  return [
    { user: undefined, grant: { kind: 'none' }, token: undefined },
    made(person(), 'classic_pat', { scopes: ['repo', 'notifications'] }),
    made(person(), 'classic_pat', { scopes: pick([['public_repo'], [], ['read:org']]) }),
    made(person(), 'oauth_app', { scopes: pick([['repo'], ['repo:status'], []]), appId: app?.id }),
    ...(['all', 'selected', 'public'] as const).map((selection) =>
      made(person(), 'fine_grained_pat', {
        ownerId: owner,
        selection,
        permissions,
        repositories:
          selection === 'selected'
            ? repositories.filter((one) => one.owner === owner && random(2) === 0).map(({ id }) => id)
            : [],
      }),
    ),
    made(person(), 'app_user', { appId: app?.id, permissions: {} }),
    // Sessions never reach the API, so no requests are made with them.
    {
      user: person(),
      grant: { kind: 'session', sessionId: next() as Id<'sessions'>, scopes: everyScope, isRecent: false },
      token: undefined,
    },
    ...installations
      .filter(({ suspended }) => !suspended)
      .map((installation) => {
        const narrowed = random(2) === 0;
        const ownSelection = installation.selected === undefined ? 'all' : 'installation';
        return made(app?.bot, 'installation', {
          appId: installation.app,
          installationId: installation.id,
          ownerId: installation.account,
          selection: narrowed ? 'token' : ownSelection,
          permissions: installation.permissions,
          repositories: narrowed
            ? repositories.filter((one) => one.owner === installation.account && random(2) === 0).map(({ id }) => id)
            : [],
        });
      }),
  ];
}

/** The documents' answers about a graph, in plain loops that are independent of the SQL. */
export class Reading {
  readonly graph: Graph;
  constructor(graph: Graph) {
    this.graph = graph;
  }

  /** A team and its parent teams. */
  chainOf(team: number): number[] {
    const { parent } = this.graph.teams.find(({ id }) => id === team) ?? {};
    return [team, ...(parent === undefined ? [] : this.chainOf(parent))];
  }

  roleIn(organization: number, user: number | undefined): 'owner' | 'member' | undefined {
    return this.graph.memberships.find((one) => one.organization === organization && one.user === user)?.role;
  }

  /** The highest level, 0 to 5, that a user has in a repository from any source. Public read access doesn't count. */
  ownLevel(user: number | undefined, { id, owner, isFork }: Repository): number {
    if (user === undefined) return 0;
    if (owner === user) return 5;
    const { organizations, collaborators, teamMembers, teamRepositories, assignments } = this.graph;
    const found = [0];
    // In private forks, roles in all repositories of an organization count only for administrators.
    const inAll = (level: number): number => (isFork && level < 5 ? 0 : level);
    const role = this.roleIn(owner, user);
    if (role === 'owner') found.push(5);
    if (role === 'member') found.push(inAll(levelOf(organizations.find((one) => one.id === owner)?.base ?? null)));
    for (const one of collaborators) if (one.repository === id && one.user === user) found.push(levelOf(one.role));
    for (const { team } of teamMembers.filter((one) => one.user === user)) {
      const chain = this.chainOf(team);
      for (const one of teamRepositories) if (one.repository === id && chain.includes(one.team)) found.push(levelOf(one.role));
      for (const one of assignments)
        if (one.organization === owner && one.team !== undefined && chain.includes(one.team)) found.push(inAll(one.level));
    }
    for (const one of assignments) if (one.organization === owner && one.user === user) found.push(inAll(one.level));
    return Math.max(...found);
  }

  /** Whether a user is a security manager of an organization, directly or through a team. */
  managesSecurity(user: number | undefined, organization: number): boolean {
    if (user === undefined) return false;
    const { assignments, teamMembers } = this.graph;
    const teams = teamMembers.filter((one) => one.user === user).flatMap(({ team }) => this.chainOf(team));
    return assignments.some(
      (one) =>
        one.isSecurity &&
        one.organization === organization &&
        (one.team === undefined ? one.user === user : teams.includes(one.team)),
    );
  }

  level(user: number | undefined, repository: Repository): number {
    const open = repository.visibility === 'public' || (repository.visibility === 'internal' && user !== undefined);
    return Math.max(this.ownLevel(user, repository), open ? 1 : 0);
  }

  /** The installation through which an app's token or an app's user reaches an account. */
  private installedOn(grant: Grant, account: number): Installation | undefined {
    return this.graph.installations.find(
      (one) =>
        !one.suspended &&
        one.account === account &&
        (grant.kind === 'installation' ? one.id === grant.installationId : grant.kind === 'app_user' && one.app === grant.appId),
    );
  }

  /** Whether a credential was made for a repository. */
  reaches({ grant }: Caller, { id, owner, visibility, isFork }: Repository): boolean {
    const listed = 'repositories' in grant ? (grant.repositories as number[]) : [];
    switch (grant.kind) {
      case 'classic_pat':
      case 'oauth_app':
        return visibility === 'public' || grant.scopes.some((scope) => scope === 'repo');
      case 'session':
        return true;
      case 'fine_grained_pat':
        return grant.ownerId === owner && (grant.selection === 'all' || (grant.selection === 'selected' && listed.includes(id)));
      case 'app_user':
      case 'installation': {
        const installation = this.installedOn(grant, owner);
        if (!installation || isFork) return false;
        const isInstalled = installation.selected === undefined || installation.selected.includes(id);
        return isInstalled && !(grant.kind === 'installation' && grant.selection === 'token' && !listed.includes(id));
      }
      default:
        return false;
    }
  }

  private holds({ grant }: Caller, owner: number, permission: string): boolean {
    if (grant.kind === 'app_user') return permission in (this.installedOn(grant, owner)?.permissions ?? {});
    return !('permissions' in grant) || permission in grant.permissions;
  }

  /** Whether a caller may read a repository, and the data there that needs this permission. */
  reads(caller: Caller, repository: Repository, permission?: string): boolean {
    if (repository.visibility === 'public') return true;
    const { grant, user } = caller;
    if (!this.reaches(caller, repository)) return false;
    if (permission !== undefined && !this.holds(caller, repository.owner, permission)) return false;
    return grant.kind === 'installation' || this.level(user, repository) > 0;
  }

  /** Whether a caller may know the members of an organization. */
  knows({ grant }: Caller, organization: number): boolean {
    if (grant.kind === 'none') return false;
    if (grant.kind === 'classic_pat' || grant.kind === 'oauth_app' || grant.kind === 'session') return true;
    if (grant.kind === 'app_user' || grant.kind === 'installation') return this.installedOn(grant, organization) !== undefined;
    return 'ownerId' in grant && grant.ownerId === organization;
  }

  /** Whether a caller may see a team: apps and owners see all teams, and members see closed teams and their own. */
  seesTeam(caller: Caller, { id, organization, privacy }: Team): boolean {
    if (caller.grant.kind === 'installation') return this.knows(caller, organization);
    const role = this.roleIn(organization, caller.user);
    if (role !== 'member') return role === 'owner';
    return privacy === 'closed' || this.graph.teamMembers.some((one) => one.team === id && one.user === caller.user);
  }
}

/** Stores graphs, with one statement for each table. */
export async function insertGraphs(tx: Tx, graphs: readonly Graph[], now: Date): Promise<void> {
  const insert = async (table: string, rows: readonly object[]): Promise<void> => {
    const [first] = rows;
    if (!first) return;
    const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)));
    await sql`insert into ${sql.table(table)} (${columns}) overriding system value
      select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)`.execute(tx);
  };
  const all = <T>(of: (graph: Graph) => readonly T[]): T[] => graphs.flatMap((graph) => [...of(graph)]);
  const times = { created_at: now, updated_at: now };
  const account = (kind: string) => (one: { id: number; login: string }) => ({
    id: one.id,
    kind,
    login: one.login,
    blog: '',
    site_admin: false,
    ...times,
  });
  await insert('accounts', [
    ...all(({ users }) => users).map(account('user')),
    ...all(({ organizations }) => organizations).map(account('organization')),
    ...all(({ apps }) => apps).map(({ bot }) => account('bot')({ id: bot, login: `bot-${bot}[bot]` })),
  ]);
  await insert(
    'organizations',
    all(({ organizations }) => organizations).map(({ id, base }) => ({ account_id: id, default_repository_permission: base })),
  );
  await insert(
    'memberships',
    all(({ memberships }) => memberships).map(({ organization, user, role }) => ({
      organization_id: organization,
      user_id: user,
      role,
      public: false,
      created_at: now,
    })),
  );
  await insert(
    'repositories',
    all(({ repositories }) => repositories).map(({ id, owner, visibility, name, isFork }) => ({
      id,
      owner_id: owner,
      name,
      visibility,
      is_private_fork: isFork,
      ...times,
    })),
  );
  await insert(
    'teams',
    graphs.flatMap((graph) => {
      const reading = new Reading(graph);
      return graph.teams.map(({ id, organization, parent, privacy }) => ({
        id,
        organization_id: organization,
        parent_id: parent ?? null,
        ancestors: reading.chainOf(id).toReversed(),
        slug: `team-${id}`,
        name: `team-${id}`,
        privacy,
        ...times,
      }));
    }),
  );
  await insert(
    'team_members',
    all(({ teamMembers }) => teamMembers).map(({ team, user }) => ({
      team_id: team,
      user_id: user,
      role: 'member',
      created_at: now,
    })),
  );
  await insert(
    'team_repositories',
    all(({ teamRepositories }) => teamRepositories).map(({ team, repository, role }) => ({
      team_id: team,
      repository_id: repository,
      role,
      created_at: now,
    })),
  );
  await insert(
    'collaborators',
    all(({ collaborators }) => collaborators).map(({ repository, user, role }) => ({
      repository_id: repository,
      user_id: user,
      role,
      created_at: now,
    })),
  );
  const assignments = all((graph) => graph.assignments).map(({ organization, role, user, team }) => ({
    organization_id: organization,
    role_id: role,
    user_id: user ?? null,
    team_id: team ?? null,
    created_at: now,
  }));
  await sql`insert into organization_role_assignments (organization_id, role_id, user_id, team_id, created_at)
    select organization_id, role_id, user_id, team_id, created_at
    from jsonb_populate_recordset(null::organization_role_assignments, ${JSON.stringify(assignments)}::jsonb)`.execute(tx);
  await insert(
    'apps',
    graphs.flatMap(({ apps, organizations }) =>
      apps.map(({ id, bot }) => ({
        id,
        kind: 'app',
        owner_id: organizations[0]?.id,
        bot_id: bot,
        slug: `app-${id}`,
        name: `app-${id}`,
        external_url: 'https://app.example',
        client_id: `client-${id}`,
        permissions: {},
        ...times,
      })),
    ),
  );
  const installations = all((graph) => graph.installations);
  await insert(
    'installations',
    installations.map(({ id, app, account: on, suspended, selected, permissions }) => ({
      id,
      app_id: app,
      account_id: on,
      repository_selection: selected ? 'selected' : 'all',
      permissions,
      suspended_at: suspended ? now : null,
      events: ['issues'],
      ...times,
    })),
  );
  await insert(
    'installation_repositories',
    installations.flatMap(({ id, selected }) =>
      (selected ?? []).map((repository_id) => ({ installation_id: id, repository_id })),
    ),
  );
  await insertTokens(
    insert,
    all(({ callers }) => callers),
    now,
  );
}

async function insertTokens(
  insert: (table: string, rows: readonly object[]) => Promise<void>,
  callers: readonly Caller[],
  now: Date,
): Promise<void> {
  const selections: Readonly<Record<string, string>> = { token: 'selected', selected: 'selected', public: 'public' };
  const given = callers.flatMap(({ grant, user, token }) =>
    'tokenId' in grant && token !== undefined ? [{ grant, user, token }] : [],
  );
  await insert(
    'tokens',
    given.map(({ grant, user, token }) => ({
      id: grant.tokenId,
      kind: grant.kind,
      hash: `\\x${hashToken(token).toString('hex')}`,
      last_eight: token.slice(-8),
      account_id: user,
      name: '',
      app_id: grant.kind === 'fine_grained_pat' ? null : (grant.appId ?? null),
      installation_id: grant.kind === 'installation' ? grant.installationId : null,
      scopes: 'scopes' in grant ? grant.scopes : [],
      owner_id: grant.kind === 'fine_grained_pat' ? grant.ownerId : null,
      access: grant.kind === 'fine_grained_pat' ? 'granted' : null,
      granted_at: grant.kind === 'fine_grained_pat' ? now : null,
      repository_selection:
        grant.kind === 'fine_grained_pat' || (grant.kind === 'installation' && grant.selection === 'token')
          ? (selections[grant.selection] ?? 'all')
          : null,
      permissions: grant.kind === 'fine_grained_pat' ? grant.permissions : {},
      created_at: now,
      last_used_at: now,
    })),
  );
  await insert(
    'token_repositories',
    given.flatMap(({ grant }) =>
      'repositories' in grant
        ? (grant.repositories as number[]).map((repository_id) => ({ token_id: grant.tokenId, repository_id }))
        : [],
    ),
  );
}
