import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { fresh, type World } from '#test/support/world.ts';

/** Texts of so many lines, each with its number. */
export const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

/** A text whose lines of these numbers, from 1, are others; null removes one. */
export const changed = (text: string, changes: Record<number, string | null>): string =>
  text
    .split('\n')
    .slice(0, -1)
    .flatMap((line, at) => {
      const change = changes[at + 1];
      return change === null ? [] : [change ?? line];
    })
    .map((line) => `${line}\n`)
    .join('');

/** A pull request of ada's that changes lines 5 and 20 of a file of 30 lines and adds another, and bob, who reviews it. */
export async function reviewSetting(w: World) {
  const setting = await pullSetting(w);
  const { repo, base, commit, open } = setting;
  const bob = await w.user();
  const asBob = await w.as(bob);
  const before = lines(30);
  const branch = fresh('topic');
  const under = await commit('main', { 'engine.txt': before });
  const { client } = setting;
  await client.post(`${base}/git/refs`, { ref: `refs/heads/${branch}`, sha: under });
  const after = changed(before, { 5: 'five', 20: 'twenty\nand more' });
  const head = await commit(branch, { 'engine.txt': after, 'new.txt': 'one\ntwo\n' });
  const number = await open(branch);
  await w.settle();
  const pull = `${base}/pulls/${number}`;
  return { ...setting, repo, bob, asBob, branch, before, after, under, head, number, pull };
}
