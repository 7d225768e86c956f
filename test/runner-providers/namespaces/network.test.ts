import { expect, test } from 'vitest';
import { planNetwork } from '#runner-providers/namespaces/network.ts';

const run = '/run/hearth';
const plan = (address: string) => planNetwork({ address, network: 'internet' }, run);
const server = (host: string, port: number) => ({ host, port, socket: '/run/hearth/server.sock' });
const proxy = (port = 3128) => ({ host: '127.0.0.1', port, socket: '/run/hearth/proxy.sock' });

test.each([
  ['http://127.0.0.1:3000', [server('127.0.0.1', 3000), proxy()], '', false],
  ['http://localhost:3000', [server('127.0.0.1', 3000), proxy()], '', false],
  ['http://0.0.0.0:3000', [server('127.0.0.1', 3000), proxy()], '', false],
  ['http://[::1]:3000', [server('::1', 3000), proxy()], '', false],
  ['http://[::]:3000', [server('::1', 3000), proxy()], '', false],
  ['https://code.example.com', [server('127.0.0.1', 443), proxy()], '127.0.0.1 code.example.com\n', true],
  ['http://code.example.com', [server('127.0.0.1', 80), proxy()], '127.0.0.1 code.example.com\n', true],
  ['http://127.0.0.1:3128', [server('127.0.0.1', 3128), proxy(3129)], '', false],
  // An address of another network can't be one of the sandbox's: the proxy leads to it.
  ['http://192.168.1.5:3000', [proxy()], '', false],
  ['http://[fd00::1]:3000', [proxy()], '', false],
])('%s is listened for', (address, forwards, hosts, hasLowPort) => {
  expect(plan(address)).toMatchObject({ forwards, hosts, hasLowPort });
});

test('programs go to the server directly, and elsewhere by the proxy', () => {
  expect(plan('https://code.example.com').variables).toMatchObject({
    https_proxy: 'http://127.0.0.1:3128',
    no_proxy: 'localhost,127.0.0.1,::1,code.example.com',
  });
  expect(plan('http://192.168.1.5').variables).toMatchObject({ no_proxy: 'localhost,127.0.0.1,::1' });
});

test('the network of the host needs nothing', () => {
  expect(planNetwork({ address: 'https://code.example.com', network: 'host' }, run)).toEqual({
    server: { host: 'code.example.com', port: 443 },
    forwards: [],
    hosts: '',
    variables: {},
    hasLowPort: false,
  });
});
