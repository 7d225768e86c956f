import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCommits, listCommits } from '#git/history/history.ts';
import { walkHistory } from '#git/history/walk.ts';
import { emptyTree, type Oid } from '#git/objects/oid.ts';
import { type NewObject, oidOf } from '#git/objects/pack.ts';
import { commitBytes, writeObjects } from '#git/objects/write-objects.ts';
import { countGitProcesses } from '#git/process/process.ts';
import type { GitRepository } from '#git/repo.ts';
import { ada, git, newRepo } from './support.ts';

/** What a commit is made of: its date in seconds, and how far before it its parents are. */
type Plan = { date: number; parents: number[] };

/** Dates that lie close together, so that many are equal, and some are before those of their parents. */
const history = fc.array(
  fc.record({ date: fc.integer({ min: 1, max: 12 }), parents: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }) }),
  { minLength: 1, maxLength: 30 },
);

let made = 0;

/** Writes these commits, the last of which is usually one with many ancestors. */
async function write(repo: GitRepository, plans: readonly Plan[]): Promise<Oid[]> {
  const oids: Oid[] = [];
  const objects: NewObject[] = [{ type: 'tree', data: Buffer.alloc(0) }];
  for (const { date, parents } of plans) {
    const who = { ...ada, date: new Date(date * 1_000) };
    const known = [...new Set(parents)].flatMap((back) => oids[oids.length - back] ?? []);
    const data = commitBytes({ tree: emptyTree, parents: known, author: ada, committer: who, message: `Change ${made++}\n` });
    objects.push({ type: 'commit', data });
    oids.push(oidOf({ type: 'commit', data }));
  }
  await writeObjects(repo, objects);
  return oids;
}

const listedByGit = async (repo: GitRepository, from: Oid): Promise<Oid[]> =>
  (await git(repo.path, 'rev-list', from)).trimEnd().split('\n');

test('any history is listed in the order of git', async () => {
  const repo = await newRepo();
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 30 }), async (plans, count) => {
      const oids = await write(repo, plans);
      const from = oids.at(-1) ?? '';
      const all = await listedByGit(repo, from);
      expect(await walkHistory(repo, from, count)).toEqual(all.slice(0, count));
      const pages = [await listCommits(repo, { from, limit: 7 }), await listCommits(repo, { from, offset: 7, limit: 30 })];
      expect(pages.flat().map(({ oid }) => oid)).toEqual(all);
      expect(await countCommits(repo, { from, maxCount: 20 })).toBe(Math.min(all.length, 20));
    }),
    { numRuns: 25 },
  );
});

test('the numbers of commits upon a counted one are those of git, merges included', async () => {
  const repo = await newRepo();
  await fc.assert(
    fc.asyncProperty(history, async (plans) => {
      const oids = await write(repo, plans);
      await listCommits(repo, { from: oids.at(-1) ?? '', limit: 30 });
      for (const from of oids) expect(await countCommits(repo, { from })).toBe((await listedByGit(repo, from)).length);
    }),
    { numRuns: 4 },
  );
});

const straight = (length: number): Plan[] => Array.from({ length }, (_, index) => ({ date: index + 1, parents: [1] }));

test('after a push, a page is read without a process', async () => {
  const repo = await newRepo();
  const oids = await write(repo, straight(150));
  const page = async (from: Oid) => {
    const { result, started } = await countGitProcesses(async () => {
      const commits = await listCommits(repo, { from, limit: 101 });
      return { oids: commits.map(({ oid }) => oid), total: await countCommits(repo, { from, maxCount: 10_000 }) };
    });
    return { ...result, started };
  };
  const newestFirst = oids.toReversed();
  expect((await page(oids[145] ?? '')).started).toEqual(expect.arrayContaining(['rev-list']));
  expect(await page(oids[149] ?? '')).toEqual({ oids: newestFirst.slice(0, 101), total: 150, started: [] });
});

test('what is far down a history is listed by git', async () => {
  const repo = await newRepo();
  const oids = await write(repo, straight(1_100));
  const from = oids.at(-1) ?? '';
  expect(await walkHistory(repo, from, 60)).toBeUndefined();
  const deep = await listCommits(repo, { from, offset: 1_050, limit: 5 });
  expect(deep.map(({ oid }) => oid)).toEqual(oids.toReversed().slice(1_050, 1_055));
});

test('commits that git reads in a way of its own are left to git', async () => {
  const repo = await newRepo();
  const [base = ''] = await write(repo, [{ date: 5, parents: [] }]);
  const odd = [
    `tree ${emptyTree}\nparent ${base}\nauthor A <a@b> 1 +0000\ncommitter A > B <a@b> 7 +0000\n\nOdd\n`,
    `tree ${emptyTree}\nparent ${base}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 0 +0000\n\nOdd\n`,
  ];
  for (const text of odd) {
    const oid = writeAnyway(repo, text);
    expect(await walkHistory(repo, oid, 5)).toBeUndefined();
    expect((await listCommits(repo, { from: oid, limit: 5 })).map((commit) => commit.oid)).toEqual(await listedByGit(repo, oid));
  }
});

/** Writes an object that the checks of pushes refuse, as an imported repository may hold. */
function writeAnyway(repo: GitRepository, text: string): Oid {
  const args = ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'];
  return execFileSync('git', args, { cwd: repo.path, input: text, encoding: 'utf8' }).trim();
}
