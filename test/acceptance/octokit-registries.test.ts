import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { registriesFor } from '#resources/actions/private-registries/index.ts';
import { sealBox } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

test('Octokit’s methods for private registries, with a secret sealed as the public documentation shows', async () => {
  const owner = await here.user();
  const account = await here.org(owner);
  const org = account.login;
  const repo = await here.repo(account, { visibility: 'private', by: owner });
  const auth = await here.token(owner, ['admin:org']);
  const { rest, paginate } = new Octokit({
    auth,
    baseUrl: `${here.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });

  const { data: key } = await rest.privateRegistries.getOrgPublicKey({ org });
  const encrypted_value = await sealBox(key.key, 'correct horse');

  // Octokit takes a parameter `url` for the address of the request itself, in its generated method too: the fields go in `data`.
  type Wanted = Parameters<typeof rest.privateRegistries.createOrgPrivateRegistry>[0];
  const create = (data: object) => rest.privateRegistries.createOrgPrivateRegistry({ org, data } as unknown as Wanted);
  const { data: made } = await create({
    registry_type: 'maven_repository',
    url: 'https://maven.example/',
    username: 'ada',
    key_id: key.key_id,
    encrypted_value,
    visibility: 'selected',
    selected_repository_ids: [repo.id],
  });
  expect(made).toMatchObject({ name: 'MAVEN_REPOSITORY_SECRET', selected_repository_ids: [repo.id] });
  expect(await registriesFor(here.db, here.hearth.services.secrets, repo)).toMatchObject([{ secret: 'correct horse' }]);

  const azure = await create({
    registry_type: 'npm_registry',
    url: 'https://npm.example/',
    visibility: 'all',
    auth_type: 'oidc_azure',
    tenant_id: 't',
    client_id: 'c',
  });
  expect(azure.data).toMatchObject({ auth_type: 'oidc_azure', tenant_id: 't' });
  const all = await paginate(rest.privateRegistries.listOrgPrivateRegistries, { org, per_page: 1 });
  expect(all).toHaveLength(2);
  const secret_name = made.name;
  await rest.privateRegistries.updateOrgPrivateRegistry({ org, secret_name, visibility: 'all' });
  const { data: read } = await rest.privateRegistries.getOrgPrivateRegistry({ org, secret_name });
  expect(read.visibility).toBe('all');
  expect((await rest.privateRegistries.deleteOrgPrivateRegistry({ org, secret_name })).status).toBe(204);
  await expect(rest.privateRegistries.getOrgPrivateRegistry({ org, secret_name })).rejects.toMatchObject({ status: 404 });
});
