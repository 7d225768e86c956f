import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import type { World } from '#test/support/world.ts';

/** The parameters of the rule, where a test has no others. */
export const defaults = {
  check_response_timeout_minutes: 10,
  grouping_strategy: 'ALLGREEN',
  max_entries_to_build: 5,
  max_entries_to_merge: 5,
  merge_method: 'MERGE',
  min_entries_to_merge: 1,
  min_entries_to_merge_wait_minutes: 0,
};

/** A repository whose main branch has a merge queue, by the rule of a ruleset, and one required check. */
export async function queueSetting(w: World, { rules = [] }: { rules?: readonly { parameters: object }[] } = {}) {
  const setting = await pullSetting(w);
  const { client, base, commit, open } = setting;
  const required = { required_status_checks: [{ context: 'test' }], strict_required_status_checks_policy: true };
  const ruleset = await client.post(`${base}/rulesets`, {
    name: 'Queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [
      { type: 'merge_queue', parameters: { ...defaults, ...rules[0]?.parameters } },
      { type: 'required_status_checks', parameters: required },
    ],
  });
  if (ruleset.status !== 201) throw new Error(JSON.stringify(ruleset.body));
  const report = (sha: string, state: string) => client.post(`${base}/statuses/${sha}`, { state, context: 'test' });
  const entry = async (number: number) => (await client.get(`${base}/pulls/${number}/queue-entry`)).body;
  return {
    ...setting,
    ruleset: ruleset.body,
    report,
    entry,
    enqueue: (number: number, wanted?: object) => client.put(`${base}/pulls/${number}/queue-entry`, wanted),
    queue: async () => (await client.get(`${base}/merge-queues/main`)).body,
    /** Opens a pull request that adds a file, and whose own check has passed. */
    async ready(name: string, files: Record<string, string> = { [`${name}.txt`]: `${name}\n` }) {
      const head = await commit(name, files);
      const number = await open(name);
      await report(head, 'success');
      await w.settle();
      return { number, head };
    },
    /** Reports what the check says of the group of a pull request. */
    async check(number: number, state: string) {
      const { merge_group } = await entry(number);
      if (!merge_group) throw new Error(`The pull request ${number} has no group`);
      await report(merge_group.head_sha, state);
      await w.settle();
    },
  };
}
