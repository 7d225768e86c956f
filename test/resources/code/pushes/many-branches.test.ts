import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { git } from '#test/git/support.ts';
import { change, head, owned, workTree } from '#test/server/git-http/support.ts';
import { world } from '#test/support/world.ts';

/** How many statements follow a push of so many new branches of one commit. */
async function statementsAfterPush(count: number): Promise<number> {
  const w = await world();
  const { address } = await owned('private');
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'HEAD:refs/heads/main');
  await change(folder, { 'b.txt': 'b' });
  const commit = await head(folder);
  const refs = Array.from({ length: count }, (_, at) => `${commit}:refs/heads/b${at}`);
  await w.settle();
  await git(folder, 'push', '-q', address, ...refs);
  return (await countStatements(() => w.settle())).statements.length;
}

test('what follows a push of many branches takes statements for batches of them, and not for each', async () => {
  const [few, many] = [await statementsAfterPush(50), await statementsAfterPush(250)];
  expect(few).toBeGreaterThan(10);
  expect((many - few) / 200).toBeLessThan(1);
});
