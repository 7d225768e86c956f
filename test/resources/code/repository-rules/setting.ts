import type { Account } from '#access/viewer.ts';
import type { Client } from '#test/support/client.ts';
import { fresh, type World } from '#test/support/world.ts';

type Rule = { type: string; parameters?: object };

/** An organization whose rules Bob tries, a member who may administer its repositories. */
export type RepositoryRuleSetting = {
  ada: Account;
  bob: Account;
  acme: Account;
  owner: Client;
  /** Bob's requests. */
  api: Client;
  /** Makes a repository that Bob administers; its name. */
  add(more?: { name?: string; visibility?: 'public' | 'private' | 'internal' }): Promise<string>;
  /** Makes a ruleset about repositories, and returns its id. */
  rule(rules: Rule | readonly Rule[], more?: object): Promise<number>;
  /** The latest results of rules in the organization. */
  // biome-ignore lint/suspicious/noExplicitAny: the body of a reply
  suites(query?: string): Promise<any[]>;
};

export async function repositoryRuleSetting(w: World): Promise<RepositoryRuleSetting> {
  const ada = await w.user();
  const acme = await w.org(ada);
  const bob = await w.user();
  await w.member(acme, bob);
  const [owner, api] = [await w.as(ada), await w.as(bob)];
  return {
    ada,
    bob,
    acme,
    owner,
    api,
    async add({ name = fresh('repo'), visibility = 'public' } = {}) {
      const repo = await w.repo(acme, { name, visibility, by: ada });
      await w.collaborator(repo, bob, 'admin');
      return name;
    },
    async rule(rules, more = {}) {
      const ruleset = {
        name: fresh('Rules'),
        target: 'repository',
        enforcement: 'active',
        conditions: { repository_name: { include: ['~ALL'], exclude: [] } },
        rules: [rules].flat(),
        ...more,
      };
      const { status, body } = await owner.post(`/orgs/${acme.login}/rulesets`, ruleset);
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    async suites(query = '') {
      return (await owner.get(`/orgs/${acme.login}/rulesets/rule-suites${query}`)).body;
    },
  };
}
