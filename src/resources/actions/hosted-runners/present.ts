import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { Catalogue } from '#runner-providers/catalogue.ts';
import { type CountedImage, loadImageSizes, type VersionRow } from './image-store.ts';
import type { CustomImage, CustomImageVersion, HostedRunner, MachineSize, RunnerImage } from './schemas.ts';
import type { RunnerRow } from './store.ts';
import { latestVersion, versionText } from './versions.ts';

/** The images of one source in the catalogue. */
export const presentImages = ({ images }: Catalogue, source: 'service' | 'partner'): RunnerImage[] =>
  images[source].map(({ id, platform, size_gb, display_name }) => ({ id, platform, size_gb, display_name, source }));

export const presentSizes = ({ machine_sizes }: Catalogue): MachineSize[] =>
  machine_sizes.map(({ id, cpu_cores, memory_gb, storage_gb }) => ({ id, cpu_cores, memory_gb, storage_gb }));

/** Presents a page of runners. */
export async function presentRunners({ db }: Scope, rows: readonly RunnerRow[]): Promise<HostedRunner[]> {
  const customRows = rows.filter((row) => row.image_source === 'custom');
  const sizes = await loadImageSizes(db, gather(customRows, 'id'));
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
    version: row.image_version ?? latestVersion,
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

export const presentImage = (row: CountedImage): CustomImage => ({
  id: row.id,
  platform: row.platform,
  name: row.name,
  source: 'custom',
  versions_count: row.versions_count,
  total_versions_size: row.total_versions_size,
  latest_version: row.latest_version ?? '', // never null in the API, even if no versions remain
  state: 'Ready',
});

export const presentVersion = (row: VersionRow): CustomImageVersion => ({
  version: versionText(row),
  size_gb: row.size_gb,
  state: 'Ready',
  state_details: 'None',
  created_on: timestamp(row.created_at),
});
