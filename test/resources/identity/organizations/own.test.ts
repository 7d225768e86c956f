import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, fineGrained, token } = w;

test('hidden organization membership: a credential learns only of the organizations that it reaches', async () => {
  const ada = await user();
  const [one, other] = [await org(ada), await org(ada)];
  const seen = async (who: string) => (await (await as(who)).get('/user/orgs')).body.map(({ login }: { login: string }) => login);
  expect(await seen(await token(ada, ['read:org']))).toEqual([one.login, other.login]);
  expect(await seen(await fineGrained(ada, one, {}))).toEqual([one.login]);
  expect(await seen(await fineGrained(ada, ada, {}))).toEqual([]);
  const app = await installApp(w, { on: other, permissions: {} });
  expect(await seen(await app.userToken(ada))).toEqual([other.login]);
});
