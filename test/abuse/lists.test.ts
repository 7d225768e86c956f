import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { databaseLimits } from '#database/limits.ts';
import { repoOf } from '#git/store.ts';
import { allEndpoints } from '#resources/all.ts';
import { issueLimits, issueListLimits } from '#resources/collaboration/issues/limits.ts';
import { searchLimits } from '#search/limits.ts';
import { qualifiers, type SearchKind } from '#search/query/qualifiers.ts';
import type { ValueType } from '#search/query/values.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

// Every list parameter and every qualifier of a search, repeated to its limit and beyond it. Meanwhile somebody else is answered,
// and PostgreSQL takes no more memory than for a simple request.
const refs = 99;
const here = await world({ connections: 8, resourceLimits: { git: { listedRefs: refs } } });
const { as, user, org: makeOrg, repo: makeRepo, hearth, db } = here;
const ada = await user('ada');
const acme = await makeOrg(ada, 'acme');
const engine = await makeRepo(acme, { name: 'engine', by: ada });
await commitFiles(here, engine, { 'main.ts': 'export const widget = 1;\n' });
const client = await as(ada);
await client.post('/repos/acme/engine/issues', { title: 'A widget stalls', labels: ['bug', 'urgent'] });
await here.settle();

const headers = { authorization: `Bearer ${await here.token(ada)}` };
const stranger = { authorization: `Bearer ${await here.token(await user('eve'))}` };
type Reply = { statusCode: number; body: string };
const ask = (url: string, as = headers): Promise<Reply> => hearth.app.inject({ url: `/api/v3${url}`, headers: as });

const hasProc = existsSync('/proc/self/clear_refs');
const kilobytes = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** Lets every connection begin anew, since memory that was taken once isn't always given back. */
async function renewConnections(): Promise<void> {
  const { pool, pipeline, clientConfig } = hearth.database;
  const other = new pg.Client(clientConfig);
  await other.connect();
  await other.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await other.end();
  // Until the server knows of it, a statement may still be sent on one of those that ended.
  const known = () => pool.totalCount + hearth.worker.database.pool.totalCount + (pipeline?.connections.total ?? 0);
  await expect.poll(known).toBe(0);
  await expect.poll(async () => (await backends()).length).toBeLessThanOrEqual(1);
}

async function backends(): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where datname = current_database()`.execute(db);
  return rows.map(({ pid }) => pid);
}

/** Megabytes that the largest of the backends took at its height, with what all of them share. */
const height = async (): Promise<number> => Math.max(...(await backends()).map((pid) => kilobytes(pid, 'VmHWM'))) / 1024;

/** Asks while somebody else asks for something simple. Each answers, and PostgreSQL took little. */
async function attack(url: string): Promise<Reply> {
  const [reply, other] = await Promise.all([ask(url), ask('/user', stranger)]);
  expect(other.statusCode, `another caller during ${url.slice(0, 200)}`).toBe(200);
  return reply;
}

const words = (count: number): string[] => Array.from({ length: count }, (_, at) => `l${at}`);

test('labels: as many as are allowed are one condition, and one more is refused', async () => {
  const most = issueListLimits.labels.value;
  const lists = allEndpoints.filter(
    ({ query }) => query !== undefined && 'labels' in ((query as { properties?: object }).properties ?? {}),
  );
  expect(lists.map(({ path }) => path).sort()).toEqual([
    '/issues',
    '/orgs/{org}/issues',
    '/repos/{owner}/{repo}/issues',
    '/user/issues',
  ]);
  for (const { path } of lists) {
    const to = path.replace('{org}', 'acme').replace('{owner}', 'acme').replace('{repo}', 'engine');
    expect((await attack(`${to}?labels=${words(most)}`)).statusCode).toBe(200);
    const beyond = await attack(`${to}?labels=${words(most + 1)}`);
    expect([beyond.statusCode, JSON.parse(beyond.body).errors[0].field]).toEqual([422, 'labels']);
    expect(
      (
        await attack(
          `${to}?${words(150)
            .map((name) => `labels=${name}`)
            .join('&')}`,
        )
      ).statusCode,
    ).toBe(422);
  }
});

test('labels: how many there are makes no difference to the statement, nor to what it finds', async () => {
  const path = '/repos/acme/engine/issues?labels=';
  const found = async (labels: string) => JSON.parse((await ask(`${path}${labels}`)).body).length;
  expect(await found('bug')).toBe(1);
  expect(await found('BUG,urgent,bug')).toBe(1);
  expect(await found('bug,urgent,missing')).toBe(0);
  for (const many of ['/issues?filter=all&labels=', '/orgs/acme/issues?filter=all&labels=', '/user/issues?filter=all&labels=']) {
    expect(JSON.parse((await ask(`${many}urgent,Bug`)).body)).toHaveLength(1);
    expect(JSON.parse((await ask(`${many}urgent,missing`)).body)).toHaveLength(0);
  }
});

const paths: Record<SearchKind, string> = {
  code: '/search/code',
  commits: '/search/commits',
  issues: '/search/issues',
  repositories: '/search/repositories',
  users: '/search/users',
};

function sampleOf(type: ValueType, at: number): string {
  switch (type.type) {
    case 'number':
      return `>${at}`;
    case 'date':
      return `>20${10 + (at % 80)}-01-01`;
    case 'flag':
      return at % 2 === 0 ? 'true' : 'false';
    case 'choice':
    case 'set':
    case 'sort':
      return `"${type.of[at % type.of.length]}"`;
    case 'repository':
      return at === 0 ? 'acme/engine' : `acme/r${at}`;
    case 'team':
      return `acme/t${at}`;
    case 'hash':
      return (0xabcdef0 + at).toString(16);
    case 'login':
      return at === 0 ? 'acme' : `user-${at}`;
    default:
      return `w${at}`;
  }
}

type Attack = { name: string; query: string; isAllowed: boolean };

/** A qualifier as often as it may stand in a query, once more, negated, as alternatives, and as a list. */
function* attacksBy(kind: SearchKind, name: string, type: ValueType): Generator<Attack> {
  const { qualifiers: many, lookups, values } = searchLimits;
  const isScope = ['repo', 'user', 'org'].includes(name);
  const isLookup =
    name.startsWith('field.') ||
    name.endsWith('-issues') ||
    /reviewed-by|review-requested/.test(name) ||
    (kind === 'users' && ['repos', 'language'].includes(name));
  const most = isScope ? 700 : isLookup ? lookups.value : many.value;
  const each = (at: number): string => `${name}${name === 'field.x' ? at : ''}:${sampleOf(type, at)}`;
  const repeated = (count: number, sign = '') => Array.from({ length: count }, (_, at) => `${sign}${each(at)}`);
  const all = repeated(most);
  yield { name: 'repeated', query: all.join(' '), isAllowed: true };
  yield { name: 'excluded', query: repeated(most, '-').join(' '), isAllowed: true };
  if (kind !== 'code') yield { name: 'alternatives', query: all.join(' ').replace(' ', ' OR '), isAllowed: true };
  if (!isScope) yield { name: 'once too often', query: repeated(most + 1).join(' '), isAllowed: false };
  if (type.type === 'words' || type.type === 'set') {
    const list = (count: number) => `${name}:${Array.from({ length: count }, (_, at) => sampleOf(type, at)).join(',')}`;
    yield { name: 'a list', query: list(values.value), isAllowed: true };
    // A set has few values. What is repeated counts once.
    yield { name: 'a list that is too long', query: list(values.value + 1), isAllowed: type.type === 'set' };
  }
}

const kinds = Object.keys(paths) as SearchKind[];

test.each(kinds)(
  '%s: every qualifier, repeated to its limit, is answered within its memory; past that, 422 names the query',
  async (kind) => {
    const specs: [string, ValueType][] = Object.entries(qualifiers[kind]).map(([name, { value }]) => [name, value]);
    if (kind === 'issues') specs.push(['field.x', { type: 'text' }]);
    const texts = kind === 'issues' ? ['widget', '"widget stalls"'] : ['widget'];
    await renewConnections();
    await ask('/user');
    const idle = hasProc ? await height() : 0;
    for (const [name, type] of specs)
      for (const { name: how, query, isAllowed } of attacksBy(kind, name, type))
        for (const text of texts)
          for (const advanced of kind === 'issues' && !['repo', 'user', 'org'].includes(name)
            ? ['', '&advanced_search=true']
            : ['']) {
            const reply = await attack(`${paths[kind]}?q=${encodeURIComponent(`${text} ${query}`)}${advanced}`);
            const label = `${kind} ${name} ${how} ${advanced} ${reply.body.slice(0, 300)}`;
            // Some say nothing that can be searched: those whose repositories don't exist, or that exclude every place.
            expect(isAllowed ? [200, 422] : [422], label).toContain(reply.statusCode);
            if (!isAllowed) expect(JSON.parse(reply.body).errors[0].field, label).toBe('q');
            if (reply.statusCode === 422 && isAllowed) expect(reply.body, label).not.toContain('More than');
          }
    if (hasProc) expect((await height()) - idle, 'megabytes of one backend').toBeLessThan(100);
  },
);

test('searches that are long and never the same leave nothing behind in PostgreSQL', async () => {
  await renewConnections();
  const search = (at: number) =>
    ask(
      `/search/issues?q=${encodeURIComponent(
        `widget ${words(95)
          .map((word) => `-label:${word}x${at}`)
          .join(' ')} w${at}`,
      )}`,
    );
  await search(0);
  const before = hasProc ? await memoryOfAll() : 0;
  for (let at = 1; at < 60; at++) expect((await search(at)).statusCode).toBe(200);
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db);
  expect(rows.filter(({ statement }) => statement.length > databaseLimits.preparedText.value)).toEqual([]);
  if (hasProc) expect((await memoryOfAll()) - before, 'megabytes of all backends').toBeLessThan(60);
});

const memoryOfAll = async (): Promise<number> =>
  (await backends()).reduce((sum, pid) => sum + kilobytes(pid, 'RssAnon'), 0) / 1024;

test('pages far beyond the end are empty, and no statement walks there', async () => {
  for (const path of [
    '/repos/acme/engine/issues',
    '/repos/acme/engine/labels',
    '/users/ada/repos',
    '/repos/acme/engine/assignees',
  ]) {
    const reply = await attack(`${path}?per_page=100&page=99999999`);
    expect([path, reply.statusCode, JSON.parse(reply.body)]).toEqual([path, 200, []]);
  }
});

test('an issue has no more labels than everybody is given who lists issues', async () => {
  const most = issueLimits.labels.value;
  const labels = (from: number) => Array.from({ length: most }, (_, at) => `many-${from + at}`);
  const path = '/repos/acme/engine/issues';
  expect((await client.post(path, { title: 'Many', labels: labels(0) })).body.labels).toHaveLength(most);
  const more = await client.post(`${path}/2/labels`, { labels: ['one-more'] });
  expect([more.status, more.body.errors[0]]).toMatchObject([422, { field: 'labels' }]);
  expect((await client.put(`${path}/2/labels`, { labels: labels(1) })).body).toHaveLength(most);
});

test('more references than one reply holds are refused', async () => {
  const { sha } = (await client.get('/repos/acme/engine/commits/main')).body as { sha: string };
  const lines = Array.from({ length: refs + 1 }, (_, at) => `create refs/tags/many/${at} ${sha}\n`);
  const { path } = repoOf(hearth.services.git, engine.id);
  execFileSync('git', ['--git-dir', path, 'update-ref', '--stdin'], { input: lines.join('') });
  const all = await client.get('/repos/acme/engine/git/matching-refs/tags');
  expect([all.status, all.body.message]).toEqual([413, expect.stringContaining(`${refs}`)]);
  expect((await client.get('/repos/acme/engine/git/matching-refs/tags/many/9')).body).toHaveLength(11);
});
