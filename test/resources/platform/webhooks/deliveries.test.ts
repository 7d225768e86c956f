import { expect, onTestFinished, test } from 'vitest';
import { initialValues } from '#lib/limits.ts';
import { deliveryLimits } from '#webhook-delivery/limits.ts';
import { hookOf, setting } from './setting.ts';

type At = Awaited<ReturnType<typeof setting>>;

/** Pings a hook, and what its delivery then tells. */
async function pinged({ here, owner, org }: At, id: number) {
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}`;
  await client.post(`${path}/pings`);
  await here.settle();
  const [item] = (await client.get(`${path}/deliveries`)).body;
  return (await client.get(`${path}/deliveries/${item.id}`)).body;
}

test('a delivery tells what was sent and what came back', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  target.answer = (response) => response.writeHead(201, { 'x-answer': 'yes' }).end('thanks\0');
  const id = await hookOf(here, org, owner, target.url, { config: { content_type: 'json', secret: 's' } });
  const delivery = await pinged(at, id);
  const sent = target.requests.at(-1);

  expect(delivery).toMatchObject({
    guid: sent?.headers['x-service-delivery'],
    delivered_at: '2026-01-01T00:00:00Z',
    redelivery: false,
    status: 'OK',
    status_code: 201,
    event: 'ping',
    action: null,
    installation_id: null,
    repository_id: null,
    throttled_at: null,
    url: target.url,
    request: {
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Event': 'ping',
        'X-Hub-Signature-256': sent?.headers['x-hub-signature-256'],
      },
      payload: JSON.parse(sent?.body ?? ''),
    },
    response: { headers: { 'x-answer': 'yes' }, payload: 'thanks\u{fffd}' },
  });
  expect(delivery.duration).toBeLessThan(5);
});

test('deliveries come newest first, page by page, and by status', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url);
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}/deliveries`;
  target.answer = (response) => response.writeHead(500).end();
  for (let i = 0; i < 4; i++) await pinged(at, id);

  const all = (await client.get(path)).body;
  expect(all.map((one: { status_code: number }) => one.status_code)).toEqual([500, 500, 500, 500, 200]);
  const first = await client.get(`${path}?per_page=2`);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.link ?? '')?.[1] ?? '';
  expect(first.body).toEqual(all.slice(0, 2));
  const second = await client.get(next.slice(next.indexOf('/orgs/')));
  expect(second.body).toEqual(all.slice(2, 4));
  const rest = /<([^>]+)>; rel="next"/.exec(second.headers.link ?? '')?.[1] ?? '';
  const third = await client.get(rest.slice(rest.indexOf('/orgs/')));
  expect(third.body).toEqual(all.slice(4));
  expect(third.headers.link).not.toContain('rel="next"');
  expect((await client.get(`${path}?status=success`)).body).toEqual(all.slice(4));
  expect((await client.get(`${path}?status=failure`)).body).toHaveLength(4);
  expect((await client.get(`${path}?status=other`)).status).toBe(422);
  expect((await client.get(`${path}?cursor=12`)).status).toBe(400);
});

test('document 1, pagination: a list of deliveries leads to the next page and back to the previous one', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url);
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}/deliveries`;
  for (let i = 0; i < 6; i++) await pinged(at, id);
  const all = (await client.get(path)).body;
  const walk = async (from: string, rel: string): Promise<unknown[][]> => {
    const { body, headers } = await client.get(from);
    const to = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1];
    return [body, ...(to === undefined ? [] : await walk(to.slice(to.indexOf('/orgs/')), rel))];
  };

  const forward = await walk(`${path}?per_page=2`, 'next');
  const back = await walk(`${path}?per_page=2&cursor=v1_${all[4].id}`, 'prev');

  expect(forward).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4, 6), all.slice(6)]);
  expect(back).toEqual([all.slice(5, 7), all.slice(3, 5), all.slice(1, 3), all.slice(0, 1)]);
  expect((await client.get(`${path}?per_page=2`)).headers.link).not.toContain('rel="prev"');
  const behind = await client.get(`${path}?status=success&cursor=v1_after_${all[0].id}`);
  expect(behind).toMatchObject({ status: 200, body: [] });
  expect(behind.headers.link).toMatch(/^<[^>]+cursor=v1_\d+>; rel="next"$/);
  expect((await client.get(`${path}?status=failure&cursor=v1_${all[4].id}`)).headers).not.toHaveProperty('link');
});

test('a redelivery is a delivery of its own under the same GUID, with the same payload', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url, { config: { content_type: 'json' } });
  const client = await here.as(owner);
  const path = `/orgs/${org.login}/hooks/${id}/deliveries`;
  const [first] = (await client.get(path)).body;

  const reply = await client.post(`${path}/${first.id}/attempts`);
  await here.settle();

  expect(reply).toMatchObject({ status: 202, body: {} });
  const [again] = (await client.get(path)).body;
  expect(again).toMatchObject({ guid: first.guid, redelivery: true, status_code: 200 });
  expect(again.id).not.toBe(first.id);
  expect(target.requests.map(({ body }) => body)).toEqual([target.requests[0]?.body, target.requests[0]?.body]);
  expect((await client.post(`${path}/${again.id}/attempts`)).status).toBe(202);
});

test('a delivery of another hook is absent', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url);
  const other = await hookOf(here, org, owner, `${target.url}/other`);
  const client = await here.as(owner);
  const [first] = (await client.get(`/orgs/${org.login}/hooks/${id}/deliveries`)).body;
  expect((await client.get(`/orgs/${org.login}/hooks/${other}/deliveries/${first.id}`)).status).toBe(404);
  expect((await client.post(`/orgs/${org.login}/hooks/${other}/deliveries/${first.id}/attempts`)).status).toBe(404);
});

test('a redirect is recorded as it is, and not followed', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  target.answer = (response) => response.writeHead(302, { location: `${target.url}/elsewhere` }).end();
  const id = await hookOf(here, org, owner, target.url);
  expect(await pinged(at, id)).toMatchObject({
    status_code: 302,
    response: { headers: { location: `${target.url}/elsewhere` } },
  });
  expect(target.requests.map(({ path }) => path)).toEqual(['/hook', '/hook']);
});

test('64 KiB of a reply are kept', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  target.answer = (response) => response.end('x'.repeat(200_000));
  const id = await hookOf(here, org, owner, target.url);
  const { response } = await pinged(at, id);
  expect(response.payload).toBe('x'.repeat(65_536));
});

test('a receiver that isn’t there is a failure, told as one', async () => {
  const at = await setting();
  const { here, owner, org } = at;
  const id = await hookOf(here, org, owner, 'http://127.0.0.1:1/');
  expect(await pinged(at, id)).toMatchObject({
    status: 'failed to connect to host',
    status_code: 502,
    response: { headers: null },
  });
});

test('a receiver that hangs is cut off after the time that it has, ten seconds, and holds up nobody', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const limits: { sendTime: number } = here.hearth.services.resourceLimits.of(deliveryLimits);
  expect(limits.sendTime).toBe(10_000);
  limits.sendTime = 2_000;
  onTestFinished(() => {
    limits.sendTime = initialValues(deliveryLimits).sendTime;
  });
  target.answer = (response, { body }) => {
    if (!body.includes('hanging')) response.end();
  };
  const client = await here.as(owner);
  const ids: number[] = [];
  for (const name of ['hanging', 'healthy'])
    ids.push((await client.post(`/orgs/${org.login}/hooks`, { name: 'web', config: { url: `${target.url}/${name}` } })).body.id);
  await here.settle();
  const [hanging, healthy] = await Promise.all(
    ids.map(async (id) => (await client.get(`/orgs/${org.login}/hooks/${id}/deliveries`)).body[0]),
  );
  expect(hanging).toMatchObject({ status: 'timed out', status_code: 504 });
  expect(hanging.duration).toBeGreaterThan(1.9);
  expect(hanging.duration).toBeLessThan(7);
  expect(healthy).toMatchObject({ status_code: 200 });
  expect(healthy.duration).toBeLessThan(hanging.duration);
});

test('deliveries leave after seven days, what waits stays', async () => {
  const at = await setting();
  const { here, owner, org, target } = at;
  const id = await hookOf(here, org, owner, target.url);
  const client = await here.as(owner);
  const before = here.clock.now;
  here.clock.now = new Date(before.getTime() + 8 * 86_400_000);
  await client.post(`/orgs/${org.login}/hooks/${id}/pings`);
  await here.settle();
  const { removeOldDeliveries } = await import('#resources/platform/webhooks/jobs.ts');
  await removeOldDeliveries.run({}, here.jobContext());
  const left = (await client.get(`/orgs/${org.login}/hooks/${id}/deliveries`)).body;
  here.clock.now = before;
  expect(left.map((one: { delivered_at: string }) => one.delivered_at)).toEqual(['2026-01-09T00:00:00Z']);
});
