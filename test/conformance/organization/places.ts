import type { Account, RepositoryRow } from '#access/viewer.ts';
import { groupOf, publish } from '#test/resources/actions/hosted-runners/setting.ts';
import { cloudA } from '#test/resources/actions/private-registries/setting.ts';
import type { Client } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';

/** An organization with one of each resource that an organization's owner administers. */
export type Places = {
  client: Client;
  org: Account;
  repo: RepositoryRow;
  group: number;
  field: number;
  option: number;
  /** The value for a path word. */
  word(path: string, name: string): string | number;
  /** A path of this organization, with some words replaced. */
  at(path: string, other?: Readonly<Record<string, string | number>>): string;
};

export async function makePlaces(here: World, owner: Account): Promise<Places> {
  const org = await here.org(owner);
  const client = await here.as(owner);
  const repo = await here.repo(org, { visibility: 'private', by: owner });
  const make = async (path: string, body: object) => {
    const reply = await client.post(path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const [inOrg, inRepo] = [`/orgs/${org.login}`, `/repos/${org.login}/${repo.name}`];

  const group = await groupOf(here, org);
  const image = { id: 'ubuntu-24.04', source: 'service' };
  const runner = await make(`${inOrg}/actions/hosted-runners`, {
    name: 'maker',
    image,
    size: '4-core',
    runner_group_id: group,
    image_gen: true,
  });
  await here.settle();
  const published = await publish({ here, org });
  const registry = await make(`${inOrg}/private-registries`, cloudA);
  const options = [{ name: 'High', color: 'red', priority: 1 }];
  const field = await make(`${inOrg}/issue-fields`, { name: 'Priority', data_type: 'single_select', options });
  const issue = await make(`${inRepo}/issues`, { title: 'One' });
  const hook = await make(`${inOrg}/hooks`, { name: 'web', config: { url: 'https://ci.example/org' } });
  const repoHook = await make(`${inRepo}/hooks`, { config: { url: 'https://ci.example/repo' } });
  await here.settle();
  const deliveryOf = async (path: string): Promise<number> => (await client.get(`${path}/deliveries`)).body[0].id;

  const words = {
    org: org.login,
    owner: org.login,
    repo: repo.name,
    hosted_runner_id: runner.id,
    image_definition_id: published.image,
    version: published.version,
    secret_name: registry.name,
    issue_field_id: field.id,
    issue_number: issue.number,
  };
  const hooks = {
    '/orgs': { hook_id: hook.id, delivery_id: await deliveryOf(`${inOrg}/hooks/${hook.id}`) },
    '/repos': { hook_id: repoHook.id, delivery_id: await deliveryOf(`${inRepo}/hooks/${repoHook.id}`) },
  };
  const wordsOf = (path: string): Record<string, string | number> => ({
    ...words,
    ...hooks[path.startsWith('/orgs') ? '/orgs' : '/repos'],
  });
  return {
    client,
    org,
    repo,
    group,
    field: field.id,
    option: field.options[0].id,
    word: (path, name) => wordsOf(path)[name] ?? 'nothing',
    at: (path, other = {}) =>
      Object.entries({ ...wordsOf(path), ...other }).reduce(
        (made, [word, value]) => made.replace(`{${word}}`, String(value)),
        path,
      ),
  };
}
