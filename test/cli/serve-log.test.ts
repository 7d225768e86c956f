import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commit, version } from '#lib/release.ts';
import { scratch } from '#test/git/support.ts';
import { serve } from './support.ts';

test('a server logs its start, its migrations, each of its listeners and its stop, as docs/logs.md shows them', async () => {
  const ports = ['--ssh-port', '0', '--pages-port', '0', '--pages-url', 'http://pages.localhost'];
  const server = await serve(await scratch(), [...ports, '--log', 'info']);
  expect(await server.end()).toBe(0);
  const read = (text: string) => [...text.matchAll(/^ *(\{.*\})$/gm)].map(([, line = '']) => JSON.parse(line));
  const lines = read(server.log());
  const samples = read(readFileSync('docs/logs.md', 'utf8').split('## Start and stop')[1]?.split('## ')[0] ?? '');
  const fieldsOf = ({ hostname: _, ...line }: object & { hostname?: string }) => Object.keys(line).sort();
  expect(samples).toHaveLength(7);
  for (const sample of samples) {
    const line = lines.find(({ msg }) => msg === sample.msg);
    expect(fieldsOf(line ?? {}), sample.msg).toEqual(fieldsOf(sample));
  }
  expect(lines[0]).toMatchObject({ msg: 'starting', version, commit });
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  const listening = lines.filter(({ listener }) => listener).map(({ port }) => port);
  expect(new Set(listening.filter((port) => port > 0)).size).toBe(3);
  expect(String(listening[0])).toBe(new URL(server.url).port);
});
