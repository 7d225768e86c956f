// What the machine has, or what a container is allowed of it.
import { availableParallelism, totalmem } from 'node:os';
import { mebi } from './limit.ts';

const machineMemory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Bytes: so many, and on a small machine this part of its memory at most. */
export const memoryShare = (bytes: number, part: number): number => Math.min(bytes, Math.floor(machineMemory / part));

/** Memory that one more git process is counted with on a small machine. */
const perProcess = 128 * mebi;

/** Processes at once: so many for each core, and on a small machine no more than a share of its memory allows. */
export const processes = (perCore: number, share = 1): number =>
  Math.max(1, Math.min(perCore * availableParallelism(), Math.floor((machineMemory / perProcess) * share)));
