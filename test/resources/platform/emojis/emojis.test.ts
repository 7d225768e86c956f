import { expect, test } from 'vitest';
import { Emojis } from '#resources/platform/emojis/schemas.ts';
import { world } from '#test/support/world.ts';
import { emitBody } from '#vocabulary/body.ts';

const { as, url, user, statements, hearth } = await world();
const client = await as(undefined);
const { status, body } = await client.get('/emojis');

test('the names of emojis with addresses on this server, to everybody', () => {
  expect(status).toBe(200);
  const names = Object.keys(body);
  expect(names.length).toBeGreaterThan(1_800);
  expect(body['+1']).toBe(`${url}/images/emoji/1f44d.svg`);
  expect(body.thumbsup).toBe(body['+1']);
  expect(names).toEqual(expect.arrayContaining(['-1', '100', 'heart', 'tada', 'rocket', 'eyes', 'smile', 'de']));
});

test('every address answers with an image that shows the emoji', async () => {
  const addresses = [...new Set(Object.values<string>(body))];
  for (const address of addresses) {
    const image = await hearth.app.inject({ url: address });
    expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    const [, shown = ''] = />([^<>]+)<\/text>/.exec(image.payload) ?? [];
    const points = Array.from(shown, (one) => one.codePointAt(0)?.toString(16)).join('-');
    expect(address).toBe(`${url}/images/emoji/${points}.svg`);
  }
});

test.each(['1f44d', '1F44D.svg', '0.svg', '..%2f..%2fapi', 'constructor'])('there is no image %s', async (file) => {
  expect((await fetch(`${url}/images/emoji/${file}`)).status).toBe(404);
});

test('an image is for any client, may be kept, and runs nothing', async () => {
  const { headers } = await fetch(`${url}/images/emoji/1f44d.svg`, { headers: { accept: 'image/*' } });
  expect(headers.get('cache-control')).toBe('public, max-age=86400');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'");
});

test('it sends one statement, as does the list of templates', async () => {
  const ada = await user();
  expect(await statements(ada, '/emojis')).toBe(1);
  expect(await statements(ada, '/gitignore/templates')).toBe(1);
  expect(await statements(ada, '/gitignore/templates/Node')).toBe(1);
});

test('names are names, whatever they mean in the public vocabulary', () => {
  expect(emitBody('github', body, Emojis)).toEqual(body);
});
