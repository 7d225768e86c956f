import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const ada = await w.user('ada');
const engine = await w.repo(ada, { name: 'engine' });
const secret = await w.repo(ada, { name: 'secret', visibility: 'private' });
const [owner, stranger, nobody] = [await w.as(ada), await w.as(await w.user('eve')), await w.as(undefined)];

test('a repository is found by its id as by its name', async () => {
  for (const client of [owner, stranger, nobody]) {
    const found = await client.get(`/repositories/${engine.id}`);
    expect(found).toMatchObject({ status: 200, body: { id: engine.id, full_name: 'ada/engine' } });
    expect(found.body).toEqual((await client.get('/repos/ada/engine')).body);
  }
  expect((await owner.get(`/repositories/${secret.id}`)).body).toEqual((await owner.get('/repos/ada/secret')).body);
});

test('one that may not be seen is answered as one that is not there', async () => {
  const absent = await stranger.get('/repositories/999999');
  expect(absent.status).toBe(404);
  for (const client of [stranger, nobody]) {
    const hidden = await client.get(`/repositories/${secret.id}`);
    expect([hidden.status, hidden.body]).toEqual([404, absent.body]);
  }
  for (const id of ['0', 'engine', '1e3', '-1', '99999999999999999999'])
    expect([id, (await owner.get(`/repositories/${id}`)).status]).toEqual([id, 404]);
});

test('credentials that do not reach it do not see it', async () => {
  const weak = await w.as(await w.token(ada, []));
  expect((await weak.get(`/repositories/${secret.id}`)).status).toBe(404);
  const other = await w.as(await w.fineGrained(ada, ada, { metadata: 'read' }, [engine]));
  expect((await other.get(`/repositories/${secret.id}`)).status).toBe(404);
  const reaching = await w.as(await w.fineGrained(ada, ada, { metadata: 'read' }, [secret]));
  expect((await reaching.get(`/repositories/${secret.id}`)).status).toBe(200);
});

test('its id stays when its name changes, without a redirect', async () => {
  const moving = await w.repo(ada, { name: 'before' });
  expect((await owner.patch('/repos/ada/before', { name: 'after' })).status).toBe(200);
  expect((await owner.get('/repos/ada/before')).status).toBe(301);
  expect(await owner.get(`/repositories/${moving.id}`)).toMatchObject({ status: 200, body: { full_name: 'ada/after' } });
  expect((await owner.delete('/repos/ada/after')).status).toBe(204);
  expect((await owner.get(`/repositories/${moving.id}`)).status).toBe(404);
});

test('it takes as many statements as by its name', async () => {
  expect(await w.statements(ada, `/repositories/${engine.id}`)).toBe(await w.statements(ada, '/repos/ada/engine'));
});
