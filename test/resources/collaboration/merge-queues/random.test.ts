// A few random steps through the API. Thousands of them, on a server that is killed: bench/merge-queues/run.ts
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { push } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { queueSetting } from './setting.ts';

const w = await world();
const steps = 60;
const seed = Number(process.env.HEARTH_TEST_SEED ?? 20_261_124);

const kinds = ['open', 'open', 'check', 'check', 'check', 'check', 'remove', 'amend', 'push', 'jump'] as const;
const wanted = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(1_000), passes: fc.boolean() });
/** Checks pass more often than not, so that queues move. */
const passes = ({ at, passes: coin }: { at: number; passes: boolean }) => coin || at % 3 === 0;

type Entry = { pull_request: { number: number }; merge_group: { head_sha: string } | null };

test('whatever happens, a branch gets tested groups alone, and each entry ends with a reason', {
  timeout: 60_000 * steps,
}, async () => {
  const { client, base, repo, ada, ruleset, ready, enqueue, entry, queue, report, commit, tip } = await queueSetting(w);
  // An administrator may push past the queue.
  const bypass_actors = [{ actor_id: 5, actor_type: 'RepositoryRole', bypass_mode: 'always' }];
  expect((await client.put(`${base}/rulesets/${ruleset.id}`, { bypass_actors })).status).toBe(200);
  const reported = new Map<string, boolean>();
  const pulls: number[] = [];
  let opened = 0;
  let current = await tip('main');
  const look = async () => {
    await w.settle();
    const now = await tip('main');
    if (now === current) return;
    expect(reported.get(now)).toBe(true);
    const { status } = await client.get(`${base}/compare/${current}...${now}`).then(({ body }) => body);
    expect(status).toBe('ahead');
    current = now;
  };
  for (const step of fc.sample(wanted, { numRuns: steps, seed })) {
    const entries: Entry[] = (await queue()).entries;
    const chosen = entries[step.at % Math.max(entries.length, 1)];
    if (step.kind === 'open' || step.kind === 'jump') {
      const name = `topic-${++opened}`;
      const { number } = await ready(name, { [`${name}.txt`]: `${name}\n`, [`shared-${step.at % 5}.txt`]: `${name}\n` });
      const { status } = await enqueue(number, { jump: step.kind === 'jump' });
      // One that conflicts with what was merged can't enter.
      expect([201, 405]).toContain(status);
      if (status === 201) pulls.push(number);
    } else if (step.kind === 'push') {
      const files = { [`pushed-${step.at}.txt`]: `${step.at}\n` };
      const made = await addCommit(diskOf(w, repo), { files, parents: [current], message: 'Past the queue' });
      await push(w, ada, repo, 'main', made);
      current = made;
    } else if (chosen && step.kind === 'remove') {
      expect((await client.delete(`${base}/pulls/${chosen.pull_request.number}/queue-entry`)).status).toBe(204);
    } else if (chosen && step.kind === 'amend') {
      const { body } = await client.get(`${base}/pulls/${chosen.pull_request.number}`);
      await commit(body.head.ref, { [`amended-${step.at}.txt`]: `${step.at}\n` });
    } else if (chosen?.merge_group && !reported.has(chosen.merge_group.head_sha)) {
      reported.set(chosen.merge_group.head_sha, passes(step));
      await report(chosen.merge_group.head_sha, passes(step) ? 'success' : 'failure');
    }
    await look();
  }
  for (let left = (await queue()).entries as Entry[]; left.length > 0; left = (await queue()).entries) {
    for (const { merge_group: group } of left)
      if (group && !reported.has(group.head_sha)) {
        reported.set(group.head_sha, true);
        await report(group.head_sha, 'success');
      }
    await look();
  }
  const ended = await Promise.all(pulls.map(entry));
  expect(ended.filter(({ state, removal_reason }) => !['merged', 'removed'].includes(state) || removal_reason === null)).toEqual(
    [],
  );
  expect(ended.some(({ state }) => state === 'merged')).toBe(true);
  for (const { state, pull_request } of ended)
    expect((await client.get(`${base}/pulls/${pull_request.number}`)).body.merged).toBe(state === 'merged');
  expect((await client.get(`${base}/git/matching-refs/heads/queue`)).body).toEqual([]);
  execFileSync('git', ['fsck', '--no-dangling'], { cwd: diskOf(w, repo).path, stdio: 'pipe' });
});
