import { expect } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { pullSetting, push } from '#test/resources/collaboration/pulls/setting.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World } from '#test/support/world.ts';

/** The parameters of a rule that wants pull requests, and nothing of them. */
export const reviewed = {
  dismiss_stale_reviews_on_push: false,
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_approving_review_count: 0,
  required_review_thread_resolution: false,
};

export type Person = { account: Account; api: Client };

/**
 * A repository of Ada's, in which people with roles review pull requests into `main`, and the keeper bypasses the rules made by
 * `rule`.
 */
export async function mergeSetting(
  w: World,
  ...args: Parameters<typeof pullSetting> extends [unknown, ...infer Rest] ? Rest : never
) {
  const setting = await pullSetting(w, ...args);
  const { repo, base, client, commit, tested } = setting;
  /** Somebody with a role in the repository, or with none. */
  async function person(role?: 'read' | 'triage' | 'write' | 'admin', more: { email?: string } = {}): Promise<Person> {
    const account = await w.user(undefined, more);
    if (role) await w.collaborator(repo, account, role);
    return { account, api: await w.as(account) };
  }
  const keeper = await person('write');
  const gitRepository = diskOf(w, repo);
  let branches = 0;
  return {
    ...setting,
    person,
    keeper,
    /** Makes a ruleset with a rule that wants pull requests into `main`; its id. */
    async rule(parameters: object, more: object = {}): Promise<number> {
      const { status, body } = await client.post(`${base}/rulesets`, {
        name: fresh('Reviewed'),
        enforcement: 'active',
        conditions: { ref_name: { include: ['refs/heads/main'], exclude: [] } },
        bypass_actors: [{ actor_id: keeper.account.id, actor_type: 'User', bypass_mode: 'always' }],
        rules: [{ type: 'pull_request', parameters: { ...reviewed, ...parameters } }],
        ...more,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return body.id;
    },
    /** Adds a commit to `main`, past all rules; the commit. */
    async advance(files: Record<string, string>): Promise<string> {
      const parent = await setting.tip('main');
      const oid = await addCommit(gitRepository, { files, parents: [parent], message: 'Advance' });
      await push(w, keeper.account, repo, 'main', oid);
      return oid;
    },
    /** Moves a branch to a new commit on top of others, as this account does. */
    async moveTo(by: Account, branch: string, given: Parameters<typeof addCommit>[1]): Promise<string> {
      const oid = await addCommit(gitRepository, given);
      await push(w, by, repo, branch, oid);
      await w.settle();
      return oid;
    },
    /** Opens a pull request that changes these files. */
    async bring(files: Record<string, string>, by: Client = client) {
      const branch = `topic-${++branches}`;
      const head = await commit(branch, files);
      const wanted = { title: `Merge ${branch}`, head: branch, base: 'main' };
      const { status, body } = await by.post(`${base}/pulls`, wanted);
      expect(status, JSON.stringify(body)).toBe(201);
      await w.settle();
      const path = `${base}/pulls/${body.number}`;
      return {
        path,
        branch,
        head,
        number: Number(body.number),
        /** Reviews it; the review's id. */
        async review({ api }: Person, event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT', more: object = {}): Promise<number> {
          const answer = await api.post(`${path}/reviews`, { event, body: event, ...more });
          expect(answer.status, JSON.stringify(answer.body)).toBe(200);
          return answer.body.id;
        },
        /** The states of its reviews. */
        states: async (): Promise<string[]> =>
          (await client.get(`${path}/reviews`)).body.map(({ state }: { state: string }) => state),
        /** Whether rules keep it from being merged, as `mergeable_state` tells it. */
        state: async () => (await tested(Number(body.number))).mergeable_state,
        /** Tries to merge it: why that is refused, or undefined where it is merged. */
        async merge(by: Client = client, merge_method = 'merge'): Promise<string | undefined> {
          const { status, body } = await by.put(`${path}/merge`, { merge_method });
          if (status === 200) return undefined;
          expect(status).toBe(405);
          return body.message;
        },
      };
    },
  };
}
