import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { allFamilies } from '#resources/all.ts';
import type { PayloadBuilder } from '#resources/event-kinds.ts';
import { eventNames, neverSent } from '#webhook-delivery/event-names.ts';

/** Events that the webhooks themselves cause, without a family's event. */
const ofWebhooks = ['meta', 'ping'];

type Builders = Readonly<Record<string, PayloadBuilder<never> | 'no webhook'>>;

const sent = new Set<string>([
  ...ofWebhooks,
  ...allFamilies.flatMap(({ events = {} }) =>
    Object.values(events as Builders).flatMap((builder) =>
      builder === 'no webhook' ? [] : builder.types.map(({ name }) => name),
    ),
  ),
]);

test('each name is sent, or has a reason why it never is', () => {
  expect(Object.keys(neverSent).sort()).toEqual(eventNames.filter((name) => !sent.has(name)));
});

test('the page about webhooks lists each name on its side', async () => {
  const text = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const [, listed = '', never = ''] = /\n\| event \| when \|\n(.*?)\n\| never sent \| because \|\n(.*?)\n\n/s.exec(text) ?? [];
  const namesIn = (table: string): string[] =>
    table
      .split('\n')
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
      .sort();
  expect(namesIn(never)).toEqual(Object.keys(neverSent).sort());
  expect(namesIn(listed)).toEqual(eventNames.filter((name) => sent.has(name)));
});
