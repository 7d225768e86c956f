import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPrices } from '#resources/platform/billing/prices.ts';

async function read(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-prices-'));
  try {
    await writeFile(join(folder, 'prices.json'), text);
    return await readPrices(join(folder, 'prices.json'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('prices are read by SKU; nothing costs anything without a file', async () => {
  expect([...(await read('{"actions_linux_4_core": 0.012, "actions_storage": 0}'))]).toEqual([
    ['actions_linux_4_core', 0.012],
    ['actions_storage', 0],
  ]);
  expect((await readPrices(undefined)).size).toBe(0);
});

test.each([
  ['', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['{"actions_linus": 1}', "'actions_linus' is nothing that is counted"],
  ['{"actions_linux": -1}', 'must be a number from 0'],
  ['{"actions_linux": "1"}', 'must be a number from 0'],
  ['{"actions_linux": 1e300}', 'must be a number from 0'],
])('the prices %j are refused', async (text, problem) => {
  await expect(read(text)).rejects.toThrow(problem);
});

test('a file that is missing is refused', async () => {
  await expect(readPrices('/nowhere/prices.json')).rejects.toThrow('there is no such file');
});
