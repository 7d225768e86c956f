import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countStatements } from '#database/client.ts';
import { printTable } from '../search/measure.ts';
import { openStage, type Stage } from '../search/stage.ts';
import { processorTimeOf } from '../support/processes.ts';
import { type Filled, fill, type Size } from './fill.ts';
import { explain, recordStatements } from './statements.ts';

/**
 * The cost of requests in a small and in a large installation, and of late pages compared with the first. Figures are processor
 * time, statements and PostgreSQL's buffers, so a busy machine doesn't matter. Use `--only issues` for rows with this in their
 * name, and `--plans` for the plans.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    plans: { type: 'boolean', default: false },
    size: { type: 'string', default: '1' },
  },
});
const requests = Number(values.requests);
/** A fraction of the large installation, for a shorter run. */
const part = Number(values.size);
const small: Size = { issues: 200, repositories: 100, members: 100, threads: 1_000 };
const large: Size = {
  issues: 100_000 * part,
  repositories: 10_000 * part,
  members: 10_000 * part,
  threads: 100_000 * part,
};

type Row = {
  name: string;
  path: string;
  as?: 'owner' | 'reader';
  body?: object;
  /** Later pages of the large installation, which are compared with the first. */
  pages?: readonly number[];
};

const engine = '/repos/acme/engine';
const deep = [2, 300, 3_000 * part];
const deepest = [2, 300 * part];
const rows: readonly Row[] = [
  { name: 'repository', path: engine },
  { name: 'one issue', path: `${engine}/issues/77` },
  { name: 'issues', path: `${engine}/issues?state=all`, pages: deep },
  { name: 'issues, open', path: `${engine}/issues`, pages: [2, 300, 2_000 * part] },
  { name: 'issues, closed', path: `${engine}/issues?state=closed`, pages: [2, 300] },
  { name: 'issues, oldest first', path: `${engine}/issues?state=all&direction=asc`, pages: deep },
  { name: 'issues by update', path: `${engine}/issues?state=all&sort=updated`, pages: deep },
  { name: 'issues by comments', path: `${engine}/issues?state=all&sort=comments`, pages: deep },
  { name: 'issues, open, by comments', path: `${engine}/issues?sort=comments`, pages: [2, 300] },
  { name: 'issues with a label', path: `${engine}/issues?state=all&labels=area%203`, pages: [2, 300] },
  { name: 'issues with two labels', path: `${engine}/issues?state=all&labels=area%203,area%2010` },
  { name: 'issues of an assignee', path: `${engine}/issues?state=all&assignee=reader` },
  { name: 'issues of an author', path: `${engine}/issues?state=all&creator=member-7` },
  { name: 'issues without assignee', path: `${engine}/issues?state=all&assignee=none`, pages: [2, 300] },
  { name: 'comments of an issue', path: `${engine}/issues/1/comments`, pages: deep },
  { name: 'comments of a repository', path: `${engine}/issues/comments`, pages: deep },
  { name: 'comments of a repository by update', path: `${engine}/issues/comments?sort=updated`, pages: deep },
  { name: 'events of an issue', path: `${engine}/issues/2/events`, pages: deep },
  { name: 'events of a repository', path: `${engine}/issues/events`, pages: deep },
  { name: 'timeline, events', path: `${engine}/issues/2/timeline`, pages: deep },
  { name: 'timeline, half comments', path: `${engine}/issues/3/timeline`, pages: deep },
  { name: 'labels', path: `${engine}/labels` },
  { name: 'labels of an issue', path: `${engine}/issues/77/labels` },
  { name: 'assignees', path: `${engine}/assignees`, pages: deepest },
  { name: 'collaborators', path: `${engine}/collaborators`, as: 'owner', pages: deepest },
  { name: 'direct collaborators', path: `${engine}/collaborators?affiliation=direct`, as: 'owner' },
  { name: "one's own repositories", path: '/user/repos', pages: deepest },
  { name: "one's own repositories by push", path: '/user/repos?sort=pushed', pages: deepest },
  { name: "an organization's repositories", path: '/orgs/acme/repos', pages: deepest },
  { name: "an organization's repositories by name", path: '/orgs/acme/repos?sort=full_name', pages: deepest },
  { name: "an organization's repositories by push", path: '/orgs/acme/repos?sort=pushed', pages: deepest },
  { name: 'members', path: '/orgs/acme/members', pages: deepest },
  { name: 'owners', path: '/orgs/acme/members?role=admin' },
  { name: 'teams of a repository', path: `${engine}/teams`, as: 'owner' },
  { name: 'outside collaborators', path: '/orgs/acme/outside_collaborators', as: 'owner' },
  { name: "an organization's webhooks", path: '/orgs/acme/hooks', as: 'owner' },
  { name: "an organization's issues", path: '/orgs/acme/issues?filter=all', pages: [2, 300] },
  { name: "an organization's issues of one's own", path: '/orgs/acme/issues' },
  { name: "issues of one's own", path: '/issues' },
  { name: "issues of one's own repositories", path: '/user/issues?filter=all&state=all', pages: deep },
  { name: 'notifications', path: '/notifications?all=true&per_page=30', pages: deep },
  { name: 'notifications, unread', path: '/notifications?per_page=30', pages: [2, 300] },
  { name: 'issue search', path: '/search/issues?q=valve' },
  { name: 'issue search in a repository', path: '/search/issues?q=valve+repo%3Aacme%2Fengine' },
  { name: 'repository search', path: '/search/repositories?q=valve' },
  { name: 'repository search in an organization', path: '/search/repositories?q=valve+org%3Aacme' },
  { name: 'new comment', path: `${engine}/issues/78/comments`, body: { body: 'It leaks here, too.' } },
  {
    name: 'new issue',
    path: `${engine}/issues`,
    body: { title: 'It leaks', labels: ['area 1', 'area 2', 'area 3'] },
    as: 'owner',
  },
];
const wanted = rows.filter(({ name }) => name.includes(values.only));

/** For one request: milliseconds of processor time, statements, and PostgreSQL's buffers if it only reads. */
type Cost = { node: number; postgres: number; statements: number; buffers: number | undefined };

type Measuring = { stage: Stage; tokens: Filled['tokens']; postmaster: number };

async function measure({ stage, tokens, postmaster }: Measuring, row: Row, page?: number): Promise<Cost | undefined> {
  const { name, body, as = 'reader' } = row;
  const path = page === undefined ? row.path : `${row.path}${row.path.includes('?') ? '&' : '?'}page=${page}`;
  const ask = async (): Promise<void> => {
    const reply = await stage.hearth.app.inject({
      method: body ? 'POST' : 'GET',
      url: `/api/v3${path}`,
      headers: { authorization: `Bearer ${tokens[as]}` },
      ...(body ? { payload: body } : {}),
    });
    if (reply.statusCode >= 400) throw new Error(`${name}: ${path} is answered by ${reply.payload.slice(0, 300)}`);
    if (page !== undefined && reply.payload === '[]') throw new Error(`${name}: page ${page} is empty`);
  };
  try {
    for (let at = 0; at < Math.min(requests, 12); at++) await ask();
    const { statements } = await countStatements(ask);
    const buffers = body ? undefined : await buffersOf(stage, ask, `${name}${page === undefined ? '' : `, page ${page}`}`);
    const before = await times(postmaster);
    for (let at = 0; at < requests; at++) await ask();
    const after = await times(postmaster);
    return {
      node: (after.node - before.node) / requests,
      postgres: (after.postgres - before.postgres) / requests,
      statements: statements.length,
      buffers,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

async function times(postmaster: number): Promise<{ node: number; postgres: number }> {
  const { user, system } = process.cpuUsage();
  return { node: (user + system) / 1_000, postgres: await processorTimeOf(postmaster) };
}

async function buffersOf(stage: Stage, ask: () => Promise<void>, title: string): Promise<number> {
  const explained = await explain(stage.address, await recordStatements(ask));
  if (values.plans)
    for (const { text, buffers, milliseconds, plan } of explained)
      process.stderr.write(`\n## ${title}: ${buffers} buffers, ${milliseconds} ms\n${text}\n${plan}\n`);
  return explained.reduce((sum, { buffers }) => sum + buffers, 0);
}

type Costs = { first: Cost | undefined; later: Map<number, Cost | undefined> };

async function measureAll(size: Size, { withPages }: { withPages: boolean }): Promise<Map<Row, Costs>> {
  await using stage = await openStage();
  const { tokens } = await fill(stage, size);
  const postmaster = Number((await readFile(join(stage.folder, 'data/postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
  const measuring = { stage, tokens, postmaster };
  const costs = new Map<Row, Costs>();
  for (const row of wanted) {
    const first = await measure(measuring, row);
    const later = new Map<number, Cost | undefined>();
    if (withPages) for (const page of row.pages ?? []) later.set(page, await measure(measuring, row, page));
    costs.set(row, { first, later });
  }
  return costs;
}

const total = (cost: Cost | undefined): number => (cost ? cost.node + cost.postgres : Number.NaN);
const both = (a: number | undefined, b: number | undefined): string => (a === b ? `${a ?? '–'}` : `${a ?? '–'} → ${b ?? '–'}`);
const shown = (milliseconds: number): string => milliseconds.toFixed(2);
const ratio = (a: number, b: number): string => `${(b / a).toFixed(2)}x`;

const inSmall = await measureAll(small, { withPages: false });
const inLarge = await measureAll(large, { withPages: true });
printTable(
  ['small → large', 'Node ms', 'PostgreSQL ms', 'both', 'ratio', 'statements', 'buffers'],
  wanted.map((row) => {
    const [a, b] = [inSmall.get(row)?.first, inLarge.get(row)?.first];
    const pair = (of: (cost: Cost) => number) => `${a ? shown(of(a)) : '–'} → ${b ? shown(of(b)) : '–'}`;
    return [
      row.name,
      pair(({ node }) => node),
      pair(({ postgres }) => postgres),
      pair(total),
      ratio(total(a), total(b)),
      both(a?.statements, b?.statements),
      both(a?.buffers, b?.buffers),
    ];
  }),
);
console.log();
printTable(
  ['large: pages', 'page', 'Node ms', 'PostgreSQL ms', 'both', 'beside page 1', 'statements', 'buffers'],
  wanted.flatMap((row) => {
    const costs = inLarge.get(row);
    if (!costs || costs.later.size === 0) return [];
    return [[1, costs.first] as const, ...costs.later].map(([page, cost]) => [
      row.name,
      `${page}`,
      cost ? shown(cost.node) : '–',
      cost ? shown(cost.postgres) : '–',
      shown(total(cost)),
      ratio(total(costs.first), total(cost)),
      `${cost?.statements ?? '–'}`,
      `${cost?.buffers ?? '–'}`,
    ]);
  }),
);
