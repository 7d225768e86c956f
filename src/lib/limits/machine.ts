// The memory and cores of the machine, or of the container.
import { availableParallelism, totalmem } from 'node:os';
import { mebi } from './limit.ts';

const machineMemory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** The smaller of `bytes` and the machine's memory divided by `part`. */
export const memoryShare = (bytes: number, part: number): number => Math.min(bytes, Math.floor(machineMemory / part));

/** The memory that a git process is assumed to need, in bytes. */
const perProcess = 128 * mebi;

/** The number of concurrent processes: `perCore` for each core, but no more than fit into `share` of the machine's memory. */
export const processes = (perCore: number, share = 1): number =>
  Math.max(1, Math.min(perCore * availableParallelism(), Math.floor((machineMemory / perProcess) * share)));
