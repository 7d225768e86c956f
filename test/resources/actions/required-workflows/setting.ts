import type { RepositoryRow } from '#access/viewer.ts';
import { pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import { fresh, type World } from '#test/support/world.ts';

export const checkPath = '.github/workflows/check.yml';
export const checkFile = `name: Check
on: [pull_request, merge_group]
jobs:
  check:
    runs-on: ubuntu-latest
    steps: [{run: make check}]
`;

type Task = NonNullable<Awaited<ReturnType<TestRunner['fetch']>>>;
type Wanted = { visibility?: RepositoryRow['visibility']; file?: string; rule?: object; enforcement?: string; rules?: object[] };

/**
 * A repository of an organization, and another one, `tools`, with a workflow that a ruleset of the organization requires of what
 * comes into its main branches. `rule` has further parameters of the rule.
 */
export async function requiredSetting(
  w: World,
  { visibility = 'public', file = checkFile, rule = {}, enforcement = 'active', rules = [] }: Wanted = {},
) {
  const setting = await pullSetting(w, { ownedBy: 'organization', visibility });
  const { ada, owner, client, base, repo } = setting;
  const tools = await w.repo(owner, { name: fresh('tools'), visibility, by: ada });
  const toolsHead = await commitFiles(w, tools, { [checkPath]: file });
  const ruleset = await client.post(`/orgs/${owner.login}/rulesets`, {
    name: 'Checked',
    enforcement,
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] }, repository_name: { include: [repo.name] } },
    rules: [{ type: 'workflows', parameters: { workflows: [{ repository_id: tools.id, path: checkPath, ...rule }] } }, ...rules],
  });
  if (ruleset.status !== 201) throw new Error(JSON.stringify(ruleset.body));
  await w.settle();
  return {
    ...setting,
    tools,
    toolsHead,
    ruleset: ruleset.body,
    rulesetPath: `/orgs/${owner.login}/rulesets/${ruleset.body.id}`,
    /** The name of the required workflow, as messages and runs have it. */
    name: `${owner.login}/${tools.name}/${checkPath}@refs/heads/main`,
    runs: async () => {
      await w.settle();
      return (await client.get(`${base}/actions/runs`)).body.workflow_runs.reverse();
    },
    /** Opens a pull request that adds a file, and gives its number and its head. */
    async propose(name: string, files: Record<string, string> = { [`${name}.txt`]: name }, message?: string) {
      const head = await setting.commit(name, files, message);
      const number = await setting.open(name);
      await w.settle();
      return { number, head };
    },
    merge: (number: number) => client.put(`${base}/pulls/${number}/merge`, {}),
    /** Has a runner of the repository take the next job, and end it. What it was given is returned. */
    async runNext(result: 'success' | 'failure' | 'cancelled', work?: (task: Task) => Promise<void>) {
      const runner = await startRunner(w, repo, { name: fresh('runner') });
      const task = await runner.fetch();
      if (!task) throw new Error('No job waits');
      await work?.(task);
      await runner.end(task, result);
      await w.settle();
    },
  };
}
