import { expect, test } from 'vitest';
import { complaint, installation } from './support.ts';

test('the owner of the actions that workflows name is made on request alone, and doctor names it', async () => {
  const { run } = await installation();
  await run('user', 'create', 'ada');
  expect((await run('doctor')).out).toContain('none has a reserved name');
  expect(complaint(await run('org', 'create', 'actions', '--owner', 'ada'))).toContain('must not be a reserved word');
  expect(await run('org', 'create', 'actions', '--owner', 'ada', '--for-actions')).toMatchObject({ code: 0 });
  expect((await run('doctor')).out).toContain(
    'reserved names: actions; workflows take the repositories of `actions` instead of those of the origin',
  );
  expect(complaint(await run('org', 'create', 'login', '--owner', 'ada', '--for-actions'))).toContain(
    'must not be a reserved word',
  );
});
