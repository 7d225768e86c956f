import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { pullSetting } from '#test/resources/pulls/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();
test('count', async () => {
  const at = await pullSetting(w, { ownedBy: 'organization' });
  await at.commit('main', { 'x.txt': 'x' });
  await w.settle();
  await at.commit('main', { 'x.txt': 'y' });
  const { statements } = await countStatements(() => w.settle());
  const short = (s: string) => s.replace(/\s+/g, ' ').slice(0, 220);
  writeFileSync('/tmp/push.txt', statements.map(short).join('\n'));
  await at.commit('topic', { 'z.txt': 'x' });
  const n = await at.open('topic');
  await at.tested(n);
  await w.settle();
  const r = await at.client.put(`${at.base}/pulls/${n}/merge`, {});
  const m = await countStatements(() => w.settle());
  writeFileSync('/tmp/merge.txt', `${r.status}\n${m.statements.map(short).join('\n')}`);
});
