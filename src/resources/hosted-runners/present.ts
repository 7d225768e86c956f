import type { Db } from '#database/connect.ts';
import { timestampOrNull } from '#lib/time.ts';
import type { Catalogue } from '#runners/catalogue.ts';
import { loadImageSizes } from './image-store.ts';
import type { HostedRunner, MachineSize, RunnerImage } from './schemas.ts';
import type { RunnerRow } from './store.ts';
import { latestWord } from './versions.ts';

/** The images that one source offers to everybody. */
export const presentImages = ({ images }: Catalogue, source: 'service' | 'partner'): RunnerImage[] =>
  images[source].map(({ id, platform, size_gb, display_name }) => ({ id, platform, size_gb, display_name, source }));

export const presentSizes = ({ machine_sizes }: Catalogue): MachineSize[] =>
  machine_sizes.map(({ id, cpu_cores, memory_gb, storage_gb }) => ({ id, cpu_cores, memory_gb, storage_gb }));

/** Runners of a whole page. */
export async function presentRunners(db: Db, rows: readonly RunnerRow[]): Promise<HostedRunner[]> {
  const following = rows.filter((row) => row.image_source === 'custom');
  const sizes = await loadImageSizes(
    db,
    following.map(({ id }) => id),
  );
  return rows.map((row) => presentRunner(row, sizes.get(row.id) ?? row.image_size_gb));
}

const presentRunner = (row: RunnerRow, imageSize: number): HostedRunner => ({
  id: row.id,
  name: row.name,
  runner_group_id: row.runner_group_id,
  platform: row.platform,
  image: {
    id: row.image_id,
    size: imageSize,
    display_name: row.image_name,
    source: row.image_source,
    version: row.image_version ?? latestWord,
  },
  machine_size_details: {
    id: row.size_id,
    cpu_cores: row.cpu_cores,
    memory_gb: row.memory_gb,
    storage_gb: row.storage_gb,
  },
  status: row.status,
  maximum_runners: row.maximum_runners,
  public_ip_enabled: row.static_ip,
  public_ips: row.public_ips.map((range) => {
    const [prefix = '', length] = range.split('/');
    return { enabled: row.static_ip, prefix, length: Number(length) };
  }),
  last_active_on: timestampOrNull(row.last_active_on),
  image_gen: row.image_gen,
});
