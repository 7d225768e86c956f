import { fresh, type World } from '#test/support/world.ts';

/** An organization with a private repository that has an environment, and who may do what there. */
export async function setting(w: World) {
  const owner = await w.user(fresh('owner'));
  const [writer, reader] = [await w.user(fresh('writer')), await w.user(fresh('reader'))];
  const org = await w.org(owner);
  const repo = await w.repo(org, { visibility: 'private', by: owner });
  await w.collaborator(repo, writer, 'write');
  await w.collaborator(repo, reader, 'triage');
  const client = await w.as(owner);
  const inRepo = `/repos/${org.login}/${repo.name}`;
  const { body: environment } = await client.put(`${inRepo}/environments/production`, {});
  return { owner, writer, reader, org, repo, client, inRepo, environment };
}

/** The addresses of the secrets, or the variables, of an organization, a repository and an environment of it. */
export const pathsOf = (kind: 'secrets' | 'variables', { org, inRepo }: { org: { login: string }; inRepo: string }) => ({
  org: `/orgs/${org.login}/actions/${kind}`,
  repo: `${inRepo}/actions/${kind}`,
  environment: `${inRepo}/environments/production/${kind}`,
});
export type Places = keyof ReturnType<typeof pathsOf>;
export const places = ['org', 'repo', 'environment'] as const satisfies readonly Places[];
