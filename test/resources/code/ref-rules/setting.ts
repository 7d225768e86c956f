import type { Account } from '#access/viewer.ts';
import { git, scratch } from '#test/git/support.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { type PullSetting, pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { addressOf } from '#test/server/git-http/support.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

/** A repository in which Bob, who may write, tries what rules refuse. */
export type RuleSetting = PullSetting & {
  bob: Account;
  /** Bob's requests. */
  api: Client;
  /** Adds a commit to a branch without being asked by rules; the commit. */
  bring(branch: string, given: Parameters<typeof addCommit>[1]): Promise<string>;
  /** Bob's clone. */
  folder: string;
  /** Pushes by `git push`; what git says, or undefined if it succeeds. */
  push(...args: string[]): Promise<string | undefined>;
  /** Makes a ruleset, and returns its id. */
  rule(rule: { type: string; parameters?: object }, more?: object): Promise<number>;
};

export async function ruleSetting(
  w: World,
  ...args: Parameters<typeof pullSetting> extends [unknown, ...infer Rest] ? Rest : never
): Promise<RuleSetting> {
  const setting = await pullSetting(w, ...args);
  const { repo, client, base, owner } = setting;
  const bob = await w.user();
  await w.collaborator(repo, bob, 'write');
  const api = await w.as(bob);
  const folder = await scratch();
  await git(folder, 'clone', '-q', addressOf(w, { owner, name: repo.name }, await w.token(bob)), '.');
  const gitRepository = diskOf(w, repo);
  return {
    ...setting,
    bob,
    api,
    folder,
    async bring(branch, given) {
      const oid = await addCommit(gitRepository, given);
      await client.post(`${base}/git/refs`, { ref: `refs/heads/${branch}`, sha: oid });
      await git(folder, 'fetch', '-q', 'origin');
      return oid;
    },
    async push(...refs) {
      return git(folder, 'push', 'origin', ...refs).then(
        () => undefined,
        (error: { stderr?: string }) => error.stderr ?? String(error),
      );
    },
    async rule(rule, more = {}) {
      const ruleset = {
        name: `Rules of ${rule.type}`,
        enforcement: 'active',
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
        rules: [rule],
        ...more,
      };
      const { status, body } = await client.post(`${base}/rulesets`, ruleset);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id;
    },
  };
}
