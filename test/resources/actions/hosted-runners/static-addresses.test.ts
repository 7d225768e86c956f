import { expect, test } from 'vitest';
import { setting } from './setting.ts';

const wanted = { name: 'builder', image: { id: 'ubuntu-24.04', source: 'service' }, size: '4-core' };
const refused = {
  status: 422,
  body: {
    errors: [{ field: 'enable_static_ip', code: 'invalid', message: 'The runners of this server have no static addresses' }],
  },
};

test('a static address is refused where the provider gives none', async () => {
  const { here, client, group, path } = await setting();
  const { body } = await client.post(path, { ...wanted, runner_group_id: group, enable_static_ip: false });
  await here.settle();
  await here.unchanged(['hosted_runners', 'events'], async () => {
    expect(await client.post(path, { ...wanted, name: 'other', runner_group_id: group, enable_static_ip: true })).toMatchObject(
      refused,
    );
    expect(await client.patch(`${path}/${body.id}`, { enable_static_ip: true })).toMatchObject(refused);
  });
  expect((await client.get(`${path}/limits`)).body.public_ips).toEqual({ current_usage: 0, maximum: 0 });
});
