import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { indexMissingIssues } from '#search/issues/index-issues.ts';
import { makeSpeaker, wordOf, writeIssues } from './issue-corpus.ts';
import { median, printTable, quantile, type Times, timeEach } from './measure.ts';
import { openStage } from './stage.ts';

/** Issue search at two sizes of the same installation. Use `node bench/search/issues.ts --issues 50000` for a smaller run. */
const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '200000' },
    queries: { type: 'string', default: '40' },
  },
});
const most = Number(values.issues);
const sizes = [most / 10, most];
const say = (text: string) => process.stderr.write(`${text}\n`);

await using stage = await openStage();
const { db, owner } = stage;

/** Query parameters. */
type Asked = { q: string; sort?: string; advanced_search?: string; search_type?: string };
type Kind = { name: string; make(): Asked };

/** Typical queries. Words are chosen by rank, so that both sizes get the same queries. */
function kindsOf(): Kind[] {
  const { random, rank } = makeSpeaker(7);
  const between = (low: number, high: number) => wordOf(low + Math.floor(random() * (high - low)));
  const rare = () => between(20_000, 50_000);
  const middle = () => between(1_000, 5_000);
  const common = () => between(20, 100);
  const repository = () => `repo:bench/repository-${Math.floor((random() * (most / 10)) / 1_000)}`;
  return [
    { name: 'rare word', make: () => ({ q: rare() }) },
    { name: 'middling word', make: () => ({ q: middle() }) },
    { name: 'common word', make: () => ({ q: common() }) },
    { name: 'two words', make: () => ({ q: `${middle()} ${common()}` }) },
    { name: 'as spoken: three words', make: () => ({ q: `${wordOf(rank())} ${wordOf(rank())} ${wordOf(rank())}` }) },
    {
      name: 'three words, hybrid',
      make: () => ({ q: `${wordOf(rank())} ${wordOf(rank())} ${wordOf(rank())}`, search_type: 'hybrid' }),
    },
    {
      name: 'three words, open bugs, semantic',
      make: () => ({ q: `${wordOf(rank())} ${wordOf(rank())} ${wordOf(rank())} is:open label:bug`, search_type: 'semantic' }),
    },
    { name: 'phrase', make: () => ({ q: `"${between(0, 30)} ${between(100, 400)}"` }) },
    { name: 'common word in:title', make: () => ({ q: `${common()} in:title` }) },
    { name: 'word, open bugs', make: () => ({ q: `${middle()} is:open label:bug` }) },
    { name: 'common word in one repository', make: () => ({ q: `${common()} ${repository()}` }) },
    { name: 'open bugs of one repository', make: () => ({ q: `is:open label:bug ${repository()}` }) },
    { name: 'open issues of an author', make: () => ({ q: `is:open author:person-${Math.floor(random() * 500)}` }) },
    { name: 'common word, sort=reactions', make: () => ({ q: common(), sort: 'reactions' }) },
    { name: 'everything open, sort=created', make: () => ({ q: 'is:open', sort: 'created' }) },
    {
      name: 'advanced: (a OR b) AND label',
      make: () => ({ q: `(${middle()} OR ${middle()}) AND (label:bug OR label:question)`, advanced_search: 'true' }),
    },
  ];
}

type Measured = { hits: number; plain: Times; matched: Times };

async function measure(): Promise<Map<string, Measured>> {
  const found = new Map<string, Measured>();
  for (const { name, make } of kindsOf()) {
    const asked = Array.from({ length: Number(values.queries) }, make);
    let hits = 0;
    const { again: plain } = await timeEach(asked, async (one) => {
      hits += (await stage.search('issues', one)).total_count;
    });
    const { again: matched } = await timeEach(asked, (one) => stage.search('issues', one, { matches: true }));
    found.set(name, { hits: Math.round(hits / 2 / asked.length), plain, matched });
    say(`${name}: ${median(plain).toFixed(1)} ms`);
  }
  return found;
}

async function main(): Promise<void> {
  const people: Id<'accounts'>[] = [];
  for (let at = 0; at < 500; at++) people.push(await stage.addAccount(`person-${at}`));
  const measured: Map<string, Measured>[] = [];
  let from = 0;
  for (const to of sizes) {
    await writeIssues(db, { from, to, owner, people });
    say(`${to} issues written`);
    const start = performance.now();
    await indexMissingIssues(db);
    const perSecond = (to - from) / ((performance.now() - start) / 1000);
    const embedding = performance.now();
    await stage.hearth.services.embeddings?.embedMissing(db);
    say(`embedded ${((to - from) / ((performance.now() - embedding) / 1000)).toFixed(0)} issues/s`);
    await sql`vacuum analyze`.execute(db);
    const { rows } = await sql<{ index: number; texts: number; comments: number }>`
      select pg_total_relation_size('issue_documents') as index, (select sum(length(title) + length(body)) from issues) as texts,
        (select sum(length(body)) from issue_comments) as comments`.execute(db);
    const [size] = rows;
    const bytes = Number(size?.texts) + Number(size?.comments);
    console.log(
      `${to} issues, ${(bytes / 1e6).toFixed(0)} MB of text: indexed at ${perSecond.toFixed(0)} issues/s; index and ` +
        `table ${((size?.index ?? 0) / 1e6).toFixed(0)} MB = ${((size?.index ?? 0) / bytes).toFixed(2)}x the text`,
    );
    measured.push(await measure());
    from = to;
  }
  const [small, large] = measured;
  const rows = kindsOf().map(({ name }) => {
    const [a, b] = [small?.get(name), large?.get(name)];
    if (!a || !b) throw new Error(name);
    return [
      name,
      `${b.hits}`,
      median(a.plain),
      median(b.plain),
      `${(median(b.plain) / median(a.plain)).toFixed(1)}x`,
      quantile(b.plain, 0.95),
      median(b.matched),
      quantile(b.matched, 0.95),
    ];
  });
  printTable(
    ['milliseconds', 'hits', `median at ${sizes[0]}`, `median at ${most}`, 'growth', 'p95', '+matches median', 'p95'],
    rows,
  );
  const all = measured.map((kinds) => median([...kinds.values()].flatMap(({ plain }) => plain)));
  console.log(
    `all queries: median ${all[0]?.toFixed(1)} ms at ${sizes[0]}, ${all[1]?.toFixed(1)} ms at ${most}: ` +
      `${((all[1] ?? 0) / (all[0] ?? 1)).toFixed(1)}x`,
  );
}

await main();
