import { parseArgs } from 'node:util';
import { scopeWithoutRequest } from '#endpoint/change-in.ts';
import { listOpenInto } from '#resources/collaboration/pulls/store.ts';
import { testMerges } from '#resources/collaboration/pulls/test-merges.ts';
import { median, printTable, quantile } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';
import { addLargeRepository } from '../support/large-repository.ts';

/**
 * The cost of pull requests in a repository with many files: opening and merging one, and testing all open ones after a push to
 * their base. Use `--files 1000 --pulls 20` for a shorter run.
 */
const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, pulls: { type: 'string', default: '100' } },
});
const count = Number(values.pulls);
const merges = 30;

await using stage = await openStage();
const { hearth, db } = stage;
const files = Number(values.files);
const { id, send, addBranch } = await addLargeRepository(stage, { files });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const opening: number[] = [];
const numbers: number[] = [];
for (let at = 0; at < count + merges; at++) {
  await addBranch(`topic-${at}`, { path: `part-${at % 100}/new-${at}.txt`, content: `${at}\n` });
  opening.push(
    await timed(async () => {
      const { number } = await send<{ number: number }>('POST', '/pulls', {
        title: `Merge ${at}`,
        head: `topic-${at}`,
        base: 'main',
      });
      numbers.push(number);
    }),
  );
}

const merging: number[] = [];
const methods = ['merge', 'squash', 'rebase'] as const;
for (const [at, number] of numbers.slice(0, merges).entries())
  merging.push(await timed(() => send('PUT', `/pulls/${number}/merge`, { merge_method: methods[at % methods.length] })));

const open = await listOpenInto(db, id, ['main']);
const testing = await timed(() => testMerges(scopeWithoutRequest({ db, services: hearth.services, now: new Date() }), id, open));
const reading: number[] = [];
for (const number of numbers.slice(merges)) reading.push(await timed(() => send('GET', `/pulls/${number}`)));

printTable(
  [`${files} files`, 'median ms', 'p95 ms'],
  [
    ['opening', median(opening), quantile(opening, 0.95)],
    ['merging onto a base that moved', median(merging), quantile(merging, 0.95)],
    ['reading', median(reading), quantile(reading, 0.95)],
    [`testing ${open.length} after a push to their base, in all`, testing, testing],
  ],
);
