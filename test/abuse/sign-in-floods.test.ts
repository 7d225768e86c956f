// Strangers at many addresses keep nobody out who signed in before.
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { changePassword } from '#resources/platform/oauth/index.ts';
import { hashPassword } from '#resources/platform/oauth/passwords.ts';
import { world } from '#test/support/world.ts';

const form = 4_096;
const here = await world({
  trustedProxies: ['127.0.0.1'],
  resourceLimits: {
    requests: {
      formBody: form,
      bodiesAnonymous: 4 * form,
      bodiesPerAddress: form,
      bodiesContendedTime: 50,
      bodyTime: 300_000,
      concurrentAnonymous: 2,
    },
    oauth: { waitingTime: 300_000 },
  },
});
const password = 'correct horse battery staple';
const bob = await here.user('bob');
const hash = await hashPassword(password);
await here.change((scope) => changePassword(scope, bob.id, hash));

async function signIn(address: string, login: string, text = password): Promise<number> {
  const reply = await fetch(`${here.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': address, origin: here.url },
    body: new URLSearchParams({ login, password: text }),
  });
  return reply.status;
}

test('an account signs in at its address while strangers at twenty others try passwords', async () => {
  expect(await signIn('192.0.2.1', 'bob')).toBe(303);
  const done: string[] = [];
  const strangers = Array.from({ length: 20 }, async (_, number) => {
    expect(await signIn(`198.51.100.${number}`, `nobody${number}`, 'wrong')).toBe(401);
    done.push('stranger');
  });
  await expect.poll(() => here.hearth.services.passwordLimiter.waiting).toBeGreaterThan(10);
  expect(await signIn('192.0.2.1', 'bob')).toBe(303);
  const before = done.length;
  await Promise.all(strangers);
  expect(before).toBeLessThan(15);
});

test('forms that never end make room for the next one', async () => {
  const { hostname, port } = new URL(here.url);
  const replies: string[] = [];
  for (let number = 0; number < 4; number++) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('data', (part) => replies.push(part.toString('latin1').slice(0, 12))).on('error', () => undefined);
    const headers = ['Host: localhost', `X-Forwarded-For: 198.51.100.${number}`, `Content-Length: ${form}`];
    socket.write(`POST /login HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\nlogin=a`);
  }
  await expect.poll(() => here.hearth.services.limiters.bodies.running).toBe(4 * form);
  expect(await signIn('192.0.2.1', 'bob')).toBe(303);
  expect(replies).toEqual(['HTTP/1.1 408']);
});
