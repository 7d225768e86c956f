import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { defaultCatalogue, readCatalogue } from '#runner-providers/catalogue.ts';

const folder = await mkdtemp(join(tmpdir(), 'hearth-catalogue-'));
afterAll(() => rm(folder, { recursive: true }));

const small = {
  platforms: ['linux-x64'],
  machine_sizes: [{ id: '2-core', cpu_cores: 2, memory_gb: 8, storage_gb: 75 }],
  images: { service: [{ id: 'debian-13', platform: 'linux-x64', size_gb: 10, display_name: 'Debian 13' }], partner: [] },
  limits: { maximum_runners: 4, public_ips: 0 },
};

async function refusal(text: string): Promise<string> {
  const file = join(folder, 'catalogue.json');
  await writeFile(file, text);
  const error = await readCatalogue(file).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error?.name ?? 'StartupError').toBe('StartupError');
  return error?.message.replace(`The catalogue of runners ${file} can't be used: `, '') ?? '';
}

test('the catalogue that comes with Hearth can be used', async () => {
  const { images, platforms } = await readCatalogue(defaultCatalogue);
  expect(images.service.length).toBeGreaterThan(0);
  expect(platforms).toContain('linux-x64');
});

test('a catalogue of one image is enough', async () => {
  expect(await refusal(JSON.stringify(small))).toBe('');
});

test.each<[string, unknown, string]>([
  ['an unknown field', { ...small, regions: [] }, "it must NOT have additional properties ('regions')"],
  ['a missing part', { ...small, limits: undefined }, "it must have required property 'limits'"],
  ['a wrong number', { ...small, limits: { maximum_runners: 0, public_ips: 0 } }, 'limits.maximum_runners must be >= 1'],
  [
    'a size of no platform',
    { ...small, machine_sizes: [{ ...small.machine_sizes[0], platforms: ['mac'] }] },
    "'mac' is not among",
  ],
  ['an image of no platform', { ...small, platforms: ['win-x64'] }, "'linux-x64' is not among its platforms"],
  ['an image twice', { ...small, images: { ...small.images, partner: small.images.service } }, "'debian-13' stands there twice"],
  [
    'a number for an id',
    { ...small, images: { service: [{ ...small.images.service[0], id: '7' }], partner: [] } },
    "the image '7' needs an id that is not a number",
  ],
])('refuses %s in one line', async (_what, wrong, reason) => {
  const said = await refusal(JSON.stringify(wrong));
  expect(said).toContain(reason);
  expect(said).not.toContain('\n');
});

test('refuses what is no JSON, and a file that is not there', async () => {
  expect(await refusal('{')).toBe('it is not JSON');
  const missing = join(folder, 'none.json');
  await expect(readCatalogue(missing)).rejects.toThrow(`${missing} can't be used: there is no such file`);
});
