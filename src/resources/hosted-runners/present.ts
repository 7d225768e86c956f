import type { Catalogue } from '#runners/catalogue.ts';
import type { MachineSize, RunnerImage } from './schemas.ts';

/** The images that one source offers to everybody. */
export const presentImages = ({ images }: Catalogue, source: 'service' | 'partner'): RunnerImage[] =>
  images[source].map(({ id, platform, size_gb, display_name }) => ({ id, platform, size_gb, display_name, source }));

export const presentSizes = ({ machine_sizes }: Catalogue): MachineSize[] =>
  machine_sizes.map(({ id, cpu_cores, memory_gb, storage_gb }) => ({ id, cpu_cores, memory_gb, storage_gb }));
