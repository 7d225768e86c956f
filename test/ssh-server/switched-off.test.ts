import { expect, test } from 'vitest';
import { hasOpenSsh, sshWorld } from './support.ts';

test.skipIf(!hasOpenSsh)(
  'deploy keys of an organization that has switched them off are refused, and let in again afterwards',
  async () => {
    const { here, ssh, keyFile } = await sshWorld();
    const owner = await here.user();
    const org = await here.org(owner);
    const client = await here.as(owner);
    const repo = await here.repo(org, { by: owner });
    const keys = `/repos/${org.login}/${repo.name}/keys`;
    const key = keyFile();
    const { body } = await client.post(keys, { key: key.line });
    const greeting = { code: 1, err: expect.stringContaining(`Hi ${org.login}/${repo.name}!`) };
    expect(await ssh(key)).toMatchObject(greeting);

    await client.patch(`/orgs/${org.login}`, { deploy_keys_enabled_for_repositories: false });
    expect(await ssh(key)).toMatchObject({ code: 255, err: expect.stringContaining('Permission denied (publickey)') });
    expect((await client.get(`${keys}/${body.id}`)).body.enabled).toBe(false);
    await here.unchanged(['public_keys', 'events'], async () => {
      expect(await client.post(keys, { key: keyFile().line })).toMatchObject({
        status: 422,
        body: { message: 'Deploy keys are disabled for this repository' },
      });
    });
    const own = await here.repo(owner);
    expect((await client.post(`/repos/${owner.login}/${own.name}/keys`, { key: keyFile().line })).status).toBe(201);

    await client.patch(`/orgs/${org.login}`, { deploy_keys_enabled_for_repositories: true });
    expect(await ssh(key)).toMatchObject(greeting);
  },
);
