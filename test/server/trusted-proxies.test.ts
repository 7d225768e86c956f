import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { world } from '#test/support/world.ts';

const { hearth } = await world({ limits: { ...defaultLimits, coreAnonymous: 2 }, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });

/** Asks for `/meta` without a credential: from an address, on behalf of others. */
async function ask(remoteAddress: string, headers: Record<string, string> = {}) {
  const reply = await hearth.app.inject({ url: '/api/v3/meta', remoteAddress, headers });
  return { status: reply.statusCode, used: reply.headers['x-ratelimit-used'] };
}

test('callers behind a trusted proxy are counted each by their own address', async () => {
  const from = (address: string) => ask('127.0.0.1', { 'x-forwarded-for': address });
  expect(await from('198.51.100.7')).toEqual({ status: 200, used: '1' });
  expect(await from('198.51.100.7')).toEqual({ status: 200, used: '2' });
  expect((await from('198.51.100.7')).status).toBe(403);
  expect(await from('198.51.100.8')).toEqual({ status: 200, used: '1' });
});

test('behind several proxies, the last address that none of them has is the caller, whatever stands before it', async () => {
  const from = (chain: string) => ask('127.0.0.1', { 'x-forwarded-for': chain });
  expect((await from('203.0.113.1, 198.51.100.20, 10.0.0.3')).used).toBe('1');
  expect((await from('203.0.113.2, 198.51.100.20, 10.0.0.4')).used).toBe('2');
  expect((await from('203.0.113.3, 198.51.100.20')).status).toBe(403);
});

test('nobody else is believed', async () => {
  const from = (address: string) => ask('192.0.2.5', { 'x-forwarded-for': address });
  expect((await from('198.51.100.30')).used).toBe('1');
  expect((await from('198.51.100.31')).used).toBe('2');
  expect((await from('198.51.100.32')).status).toBe(403);
});

test('addresses in replies are those at which people reach the proxy', async () => {
  const address = async (remoteAddress: string) => {
    const headers = { host: 'localhost:3000', 'x-forwarded-host': 'code.example.com', 'x-forwarded-proto': 'https' };
    const reply = await hearth.app.inject({ url: '/api/v3/repos/nobody/nothing', remoteAddress, headers });
    return reply.json<{ documentation_url: string }>().documentation_url;
  };
  expect(await address('10.1.2.3')).toBe('https://code.example.com/docs');
  expect(await address('192.0.2.6')).toBe('http://localhost:3000/docs');
});
