// Everything that a list shows can be read, and complete lists omit nothing. Compares the SQL for access, and the lists that use
// it, with a direct implementation of the documents, in random organizations.
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  isAffiliated,
  isCovered,
  managesSecurity,
  managesSecurityIn,
  mayReadIn,
  organizationKnownTo,
  reachedBy,
  readableBy,
  readableByAccount,
  readersOf,
  roleLevelOf,
  teamVisibleTo,
} from '#access/sql.ts';
import type { Account, Viewer } from '#access/viewer.ts';
import { asId } from '#lib/id.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { type Caller, drawGraph, type Graph, insertGraphs, type OrganizationRole, Reading } from './graphs.ts';

/** The number of graphs, and their seed. Use `HEARTH_TEST_GRAPHS=10000` for a long run. Requests are made in a few of them. */
const total = Number(process.env.HEARTH_TEST_GRAPHS ?? 40);
const seed = Number(process.env.HEARTH_TEST_SEED ?? 3);
/** The number of graphs that are stored and queried together. */
const batch = 10;
/** The maximum milliseconds of a long run. */
const timeout = 300_000 + total * 150;

const opened = await world();
const { db, clock } = opened;
const { rows: roles } =
  await sql<OrganizationRole>`select id, name, base_role from organization_roles where organization_id is null`.execute(db);

const random = randomOf(seed);
let last = 1_000_000;
const next = (): number => ++last;

/** Draws graphs and stores them. */
async function makeGraphs(count: number): Promise<Graph[]> {
  const graphs = Array.from({ length: count }, () => drawGraph({ random, roles, next }));
  await opened.change((scope) => insertGraphs(scope.tx, graphs, clock.now));
  return graphs;
}

/**
 * The rows of many small statements, a few at a time. PostgreSQL would take longer to plan one large statement than to run it,
 * and all statements together would wait too long for connections.
 */
async function allRows<Row>(selects: readonly RawBuilder<unknown>[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < selects.length; at += 6) {
    const found = await Promise.all(selects.slice(at, at + 6).map((select) => sql<Row>`${select}`.execute(db)));
    rows.push(...found.flatMap((each) => each.rows));
  }
  return rows;
}

const viewerOf = ({ user, grant }: Caller): Viewer => ({
  grant,
  ...(user === undefined ? {} : { account: { id: user } as Account }), // the SQL needs no other fields of an account
});

const told = (graph: Graph, caller: Caller, what: string): string =>
  `${what}: ${JSON.stringify({ user: caller.user, grant: caller.grant })} in ${JSON.stringify({ ...graph, callers: [] })}`;

/** The SQL results for each caller and each repository of its graph. */
type Answer = Record<
  'level' | 'reached' | 'readable' | 'issues' | 'contents' | 'byAccount' | 'affiliated' | 'manages' | 'covered',
  number | boolean
>;

function answersOf(graph: Graph, caller: Caller, at: string): RawBuilder<unknown> {
  const viewer = viewerOf(caller);
  const ids = graph.repositories.map(({ id }) => id);
  const covered = graph.organizations.map(({ id }) => isCovered({ owner: asId<'accounts'>(id), viewer }));
  return sql`select ${at}::text as at, r.id, ${roleLevelOf(caller.user)} as level, ${reachedBy(caller.grant)} as reached,
    ${readableBy(viewer)} as readable, ${readableBy(viewer, 'contents')} as contents,
    ${readableBy(viewer)} and ${mayReadIn(viewer, 'issues')} as issues,
    ${readableByAccount(caller.user ?? 0)} as "byAccount", ${isAffiliated(caller.user ?? 0)} as affiliated,
    ${managesSecurityIn(caller.user)} as manages, ${sql.join(covered, sql` or `)} as covered
    from repositories r where r.id = any (${ids})`;
}

function expectedAnswers(reading: Reading, caller: Caller, repository: Graph['repositories'][number]): Answer {
  const { grant, user } = caller;
  const isOpen = repository.visibility === 'public';
  return {
    level: reading.level(user, repository),
    reached: reading.reaches(caller, repository),
    readable: reading.reads(caller, repository),
    contents: reading.reads(caller, repository, 'contents'),
    issues: reading.reads(caller, repository, 'issues'),
    byAccount: isOpen || repository.visibility === 'internal' || reading.ownLevel(user, repository) > 0,
    affiliated: repository.visibility === 'internal' || reading.ownLevel(user, repository) > 0,
    manages: !repository.isFork && reading.managesSecurity(user, repository.owner),
    covered:
      reading.graph.organizations.some(({ id }) => id === repository.owner) &&
      reading.reaches(caller, repository) &&
      (!repository.isFork || reading.ownLevel(user, repository) > 0),
    ...(grant.kind === 'none' ? { reached: false, covered: false } : {}),
  };
}

/** Compares the SQL results for repositories with the documents. Returns the differences. */
async function comparedRepositories(graphs: readonly Graph[]): Promise<string[]> {
  const asked = graphs.flatMap((graph) => graph.callers.map((caller) => ({ graph, caller, reading: new Reading(graph) })));
  const selects = asked.map(({ graph, caller }, at) => answersOf(graph, caller, `${at}`));
  const rows = await allRows<{ at: string; id: number } & Answer>(selects);
  expect(rows.length).toBe(asked.length * 5);
  return rows.flatMap(({ at, id, ...answer }) => {
    const { graph, caller, reading } = asked[Number(at)] as (typeof asked)[number];
    const repository = graph.repositories.find((one) => one.id === id);
    if (!repository) throw new Error('A row is of one of the repositories asked for');
    const expected = expectedAnswers(reading, caller, repository);
    const wrong = Object.keys(expected).filter((name) => expected[name as keyof Answer] !== answer[name as keyof Answer]);
    return wrong.map((name) => told(graph, caller, `${name} of ${id} is ${answer[name as keyof Answer]}`));
  });
}

/** How often a caller was a security manager of an organization. */
let managers = 0;

/** The same for teams, the organizations that credentials know, and the readers of each repository. */
async function comparedTeams(graphs: readonly Graph[]): Promise<string[]> {
  const asked = graphs.flatMap((graph) => graph.callers.map((caller) => ({ graph, caller, reading: new Reading(graph) })));
  const selects = asked.map(({ graph, caller }, at) => {
    const teams = graph.teams.map(({ id }) => id);
    const organizations = graph.organizations.map(({ id }) => id);
    return sql`
      select ${`${at}`}::text as at, t.id, ${teamVisibleTo(viewerOf(caller), 't')} as seen, false as managed from teams t
      where t.id = any (${teams})
      union all select ${`${at}`}::text, o.id, ${organizationKnownTo(caller.grant, sql`o.id`)},
        ${managesSecurity(sql`o.id`, caller.user)} from accounts o
        where o.id = any (${organizations})`;
  });
  const rows = await allRows<{ at: string; id: number; seen: boolean; managed: boolean }>(selects);
  return rows.flatMap(({ at, id, seen, managed }) => {
    const { graph, caller, reading } = asked[Number(at)] as (typeof asked)[number];
    const team = graph.teams.find((one) => one.id === id);
    const expected = team ? reading.seesTeam(caller, team) : reading.knows(caller, id);
    const isManaged = team === undefined && reading.managesSecurity(caller.user, id);
    managers += Number(isManaged);
    return expected === seen && isManaged === managed
      ? []
      : [told(graph, caller, `whether ${id} is seen: ${seen}, and its security managed: ${managed}`)];
  });
}

async function comparedReaders(graphs: readonly Graph[]): Promise<string[]> {
  const selects = graphs.map(({ repositories, users }) => {
    const ofEach = repositories.map(
      (one) => sql`select ${one.id}::bigint as repository, a.id as reader from accounts a
        where a.id = any (${users.map(({ id }) => id)}) and ${readersOf(one, sql`a.id`)}`,
    );
    return sql.join(ofEach, sql` union all `);
  });
  const rows = await allRows<{ repository: number; reader: number }>(selects);
  const found = new Set(rows.map(({ repository, reader }) => `${repository} ${reader}`));
  return graphs.flatMap((graph) => {
    const reading = new Reading(graph);
    return graph.repositories.flatMap((repository) =>
      graph.users.flatMap(({ id }) =>
        found.has(`${repository.id} ${id}`) === reading.level(id, repository) > 0
          ? []
          : [`${id} as a reader of ${repository.id}: ${JSON.stringify({ ...graph, callers: [] })}`],
      ),
    );
  });
}

test('the SQL of access says what the documents say of random organizations', { timeout }, async () => {
  const wrong: string[] = [];
  let analyzed = 0;
  for (let made = 0; made < total && wrong.length === 0; made += batch) {
    const graphs = await makeGraphs(Math.min(batch, total - made));
    // With the statistics of a few graphs, PostgreSQL would plan to read whole tables when there are thousands of rows.
    if (made >= 2 * analyzed) {
      await sql`analyze`.execute(db);
      analyzed = made + graphs.length;
    }
    if (made > 0 && made % 1000 === 0) console.info(`${made} of ${total} graphs`);
    for (const compare of [comparedRepositories, comparedTeams, comparedReaders]) wrong.push(...(await compare(graphs)));
  }
  expect(wrong.length, wrong[0]).toBe(0);
  expect(managers).toBeGreaterThan(total / 4);
});

test('the readers of a repository are found without a look at other organizations', async () => {
  const { organizations, repositories } = (await makeGraphs(100)).at(-1) as Graph;
  await sql`analyze`.execute(db);
  const owned = repositories.filter(({ owner }) => organizations.some(({ id }) => id === owner));
  const selects = owned.map(
    (one) => sql`select a.id from accounts a where ${readersOf({ ...one, visibility: 'private' }, sql`a.id`)}`,
  );
  expect(selects.length).toBeGreaterThan(0);
  for (const select of selects) {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
      explain (analyze, buffers, format json) ${select}`.execute(db);
    // In blocks of 8 kB. Reading the roles of every organization would take some 600.
    expect(rows[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(200);
  }
});

type Ids = readonly number[];
const sorted = (ids: Iterable<number>): number[] => [...ids].toSorted((a, b) => a - b);
const loginOf = ({ users, organizations }: Graph, id: number): string =>
  [...users, ...organizations].find((one) => one.id === id)?.login ?? '';

/** Everybody watches and has starred everything, and each repository has an issue, which the app's hook may receive. */
async function fill(graph: Graph): Promise<void> {
  const { repositories, users, apps, organizations } = graph;
  const pairs = JSON.stringify(repositories.flatMap(({ id }) => users.map((user) => ({ repository: id, account: user.id }))));
  const wanted = sql`jsonb_to_recordset(${pairs}::jsonb) as p(repository bigint, account bigint)`;
  await sql`insert into repository_subscriptions (repository_id, account_id, created_at)
    select repository, account, ${clock.now} from ${wanted}`.execute(db);
  await sql`insert into stars (repository_id, account_id, created_at)
    select repository, account, ${clock.now} from ${wanted}`.execute(db);
  for (const { id } of apps)
    await sql`insert into webhooks (app_id, events, url, base_url, created_at, updated_at)
      values (${id}, ${['issues']}, 'http://127.0.0.1:9/', 'http://127.0.0.1', ${clock.now}, ${clock.now})`.execute(db);
  for (const { owner, name } of repositories) {
    const founder = organizations.some(({ id }) => id === owner) ? users.at(-1) : users.find(({ id }) => id === owner);
    const client = await opened.as(founder as Account);
    const { status } = await client.post(`/repos/${loginOf(graph, owner)}/${name}/issues`, { title: 'needle' });
    expect(status).toBe(201);
  }
}

/** Totals over all graphs. Empty lists, or reads that all have the same result, would prove nothing. */
const seen = { told: 0, shown: 0, found: 0, hidden: 0 };

/** Compares the receivers of an issue's notification or webhook with the people who may read it. */
async function comparedDeliveries(graph: Graph): Promise<string[]> {
  const reading = new Reading(graph);
  const { repositories, users, installations } = graph;
  const ids = repositories.map(({ id }) => id);
  const { rows } = await sql<{ at: string }>`
    select account_id || ' ' || repository_id as at from notification_threads where repository_id = any (${ids})
    union all select 'installation ' || installation_id || ' ' || repository_id from webhook_deliveries
      where repository_id = any (${ids}) and event = 'issues'`.execute(db);
  const authors = new Map(
    repositories.map(({ id, owner }) => [id, users.find((one) => one.id === owner)?.id ?? users.at(-1)?.id]),
  );
  const readers = repositories.flatMap((repository) =>
    users
      .filter(({ id }) => id !== authors.get(repository.id) && reading.level(id, repository) > 0)
      .map(({ id }) => `${id} ${repository.id}`),
  );
  const reached = repositories.filter(({ isFork }) => !isFork);
  const installed = reached.flatMap(({ id, owner }) =>
    installations
      .filter(({ account, suspended, permissions }) => account === owner && !suspended && 'issues' in permissions)
      .filter(({ selected }) => selected === undefined || selected.includes(id))
      .map((one) => `installation ${one.id} ${id}`),
  );
  seen.told += rows.length;
  const [found, expected] = [rows.map(({ at }) => at).toSorted(), [...readers, ...installed].toSorted()];
  return found.join() === expected.join() ? [] : [`${found.join()} were told, and not ${expected.join()}`];
}

/** Notifications that people got while they could read a repository: here, for every repository. */
const fillInboxes = ({ repositories, users }: Graph) =>
  sql`insert into notification_threads (account_id, repository_id, subject_id, reason, event_id, updated_at)
    select a.id, s.repository_id, s.id, 'subscribed', 1, ${clock.now} from notification_subjects s, accounts a
    where s.repository_id = any (${repositories.map(({ id }) => id)}) and a.id = any (${users.map(({ id }) => id)})
    on conflict do nothing`.execute(db);

/** A list of repositories, or of their contents. */
type Asked = { path: string; expected: Ids; of: (item: Record<string, never>) => number | string };

/** The lists that a caller may request, each with the repositories that it shows something of. */
function listsFor(graph: Graph, caller: Caller): Asked[] {
  const reading = new Reading(graph);
  const { user, grant } = caller;
  const { repositories, organizations, users } = graph;
  const readable = repositories.filter((one) => reading.reads(caller, one));
  const ids = (some: typeof repositories): Ids => sorted(some.map(({ id }) => id));
  const ofRepository = ({ id }: { id: number }) => id;
  const ofName = ({ repository }: { repository: { id: number } }) => repository.id;
  const ofUrl = ({ repository_url }: { repository_url: string }) => Number(/thing-(\d+)$/.exec(repository_url)?.[1]);
  const isAmong = (one: (typeof repositories)[number]): boolean =>
    one.owner === user ||
    reading.roleIn(one.owner, user) !== undefined ||
    graph.collaborators.some(({ repository, user: collaborator }) => repository === one.id && collaborator === user);
  const lists: (Omit<Asked, 'of'> & { of: unknown })[] = [
    ...organizations.map(({ id, login }) => ({
      path: `/orgs/${login}/repos`,
      expected: ids(readable.filter(({ owner }) => owner === id)),
      of: ofRepository,
    })),
    ...users.slice(0, 2).flatMap(({ id, login }) => [
      { path: `/users/${login}/repos`, expected: ids(readable.filter(({ owner }) => owner === id)), of: ofRepository },
      { path: `/users/${login}/starred`, expected: ids(readable.filter((one) => reading.level(id, one) > 0)), of: ofRepository },
    ]),
    {
      path: `/search/issues?q=needle+is:issue+${organizations.map(({ login }) => `user:${login}`).join('+')}`,
      expected: ids(
        repositories.filter((one) => organizations.some(({ id }) => id === one.owner) && reading.reads(caller, one, 'issues')),
      ),
      of: ofUrl,
    },
  ];
  const isPerson = user !== undefined && grant.kind !== 'installation';
  if (isPerson)
    lists.push({
      path: '/user/repos',
      expected: ids(
        repositories.filter(
          (one) =>
            isAmong(one) &&
            (one.visibility === 'internal' || reading.ownLevel(user, one) > 0) &&
            (one.visibility === 'public' || reading.reaches(caller, one)),
        ),
      ),
      of: ofRepository,
    });
  if (isPerson && grant.kind === 'classic_pat' && grant.scopes.includes('notifications'))
    lists.push({
      path: '/notifications?all=true',
      expected: ids(repositories.filter((one) => reading.level(user, one) > 0)),
      of: ofName,
    });
  if (grant.kind === 'installation')
    lists.push({
      path: '/installation/repositories',
      expected: ids(repositories.filter((one) => reading.reaches(caller, one))),
      of: ofRepository,
    });
  return lists as Asked[];
}

/** The result of a list, as the ids of repositories. */
async function shownBy(client: Client, { path, of }: Asked): Promise<{ status: number; shown: Ids }> {
  const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=50`);
  const items = status === 200 ? (Array.isArray(body) ? body : (body.items ?? body.repositories)) : [];
  return { status, shown: sorted(new Set(items.map(of))) };
}

async function comparedRequests(graph: Graph): Promise<string[]> {
  const reading = new Reading(graph);
  const wrong: string[] = [];
  for (const caller of graph.callers.filter(({ grant }) => grant.kind !== 'session')) {
    const client = clientOf(opened.url, caller.token);
    for (const asked of listsFor(graph, caller)) {
      const { status, shown } = await shownBy(client, asked);
      seen.shown += shown.length;
      // If nothing about an owner may be known, a search that names all of them is refused (document 1, Search, rule 6).
      const isRefused = status === 422 && asked.expected.length === 0;
      if (!isRefused && (status !== 200 || shown.join() !== asked.expected.join()))
        wrong.push(told(graph, caller, `${asked.path} shows ${shown.join()} (${status}), and not ${asked.expected.join()}`));
    }
    for (const repository of graph.repositories) {
      const { status } = await client.get(`/repos/${loginOf(graph, repository.owner)}/${repository.name}`);
      const expected = reading.reads(caller, repository) ? 200 : 404;
      seen[expected === 200 ? 'found' : 'hidden'] += 1;
      if (status !== expected) wrong.push(told(graph, caller, `${repository.name} is answered by ${status}`));
    }
  }
  return wrong;
}

test('lists, searches, notifications and webhooks show what a read allows, and leave nothing out', { timeout }, async () => {
  const wrong: string[] = [];
  for (const graph of await makeGraphs(Math.max(3, Math.floor(total / 200)))) {
    await fill(graph);
    await opened.settle();
    wrong.push(...(await comparedDeliveries(graph)));
    await fillInboxes(graph);
    wrong.push(...(await comparedRequests(graph)));
  }
  expect(wrong.length, wrong.slice(0, 3).join('\n')).toBe(0);
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(20);
});
