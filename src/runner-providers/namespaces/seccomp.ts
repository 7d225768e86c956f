// The filter of system calls in a sandbox, as a program for the kernel (man 2 seccomp). It refuses what jobs don't need and
// what has often led out of namespaces: namespaces within, mounts, keys of the kernel, BPF, io_uring.
import { endianness } from 'node:os';

type Architecture = {
  readonly audit: number;
  readonly clone: number;
  readonly socket: number;
  readonly calls: readonly number[];
  readonly affinity: number;
};

/** The same numbers on all architectures: those of system calls since Linux 5.1. */
const newCalls = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
};
const clone3 = 435;

const x64Calls = {
  quotactl: 179,
  syslog: 103,
  pivot_root: 155,
  acct: 163,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  iopl: 172,
  ioperm: 173,
  init_module: 175,
  delete_module: 176,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  unshare: 272,
  perf_event_open: 298,
  open_by_handle_at: 304,
  setns: 308,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
};

const arm64Calls = {
  umount2: 39,
  mount: 40,
  pivot_root: 41,
  quotactl: 60,
  acct: 89,
  unshare: 97,
  kexec_load: 104,
  init_module: 105,
  delete_module: 106,
  syslog: 116,
  reboot: 142,
  add_key: 217,
  request_key: 218,
  keyctl: 219,
  swapon: 224,
  swapoff: 225,
  perf_event_open: 241,
  open_by_handle_at: 265,
  setns: 268,
  finit_module: 273,
  bpf: 280,
  userfaultfd: 282,
  kexec_file_load: 294,
};

const callsOf = (own: Readonly<Record<string, number>>): number[] => [...Object.values(own), ...Object.values(newCalls)];

/** By Node's names of architectures. */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, clone: 56, socket: 41, affinity: 203, calls: callsOf(x64Calls) },
  arm64: { audit: 0xc00000b7, clone: 220, socket: 198, affinity: 122, calls: callsOf(arm64Calls) },
};

export const hasFilter = (architecture: string): boolean => architecture in architectures && endianness() === 'LE';

/** The flags of `clone` that make namespaces. */
const namespaceFlags = 0x7e020000;
const x32Bit = 0x40000000;
/** Unix, IPv4, IPv6 and netlink sockets. Others, as those between a virtual machine and its host, don't belong to a network. */
const socketFamilies = [1, 2, 10, 16];

const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const give = 0x06; // BPF_RET | BPF_K
const allowed = 0x7fff0000;
const errorNumber = 0x00050000;
const [notPermitted, notImplemented, noSuchFamily] = [errorNumber | 1, errorNumber | 38, errorNumber | 97];

type Instruction = readonly [code: number, value: number, jumpIfTrue?: number, jumpIfFalse?: number];

/**
 * The filter for a kind of processor.
 * @param fixesProcessors whether jobs may not choose their processors, since they were given some
 */
export function systemCallFilter(architecture: string, { fixesProcessors }: { fixesProcessors: boolean }): Buffer {
  const own = architectures[architecture];
  if (!own) throw new Error(`There is no filter of system calls for ${architecture}`);
  const refused = [...own.calls, ...(fixesProcessors ? [own.affinity] : [])];
  const program: Instruction[] = [
    // `struct seccomp_data` has the number of the call at 0, the architecture at 4, and the first argument at 16.
    [load, 4],
    [jumpIfEqual, own.audit, 1, 0],
    [give, notImplemented],
    [load, 0],
    [jumpIfAtLeast, x32Bit, 0, 1],
    [give, notImplemented],
    // Its flags are in memory, where a filter can't see them. Programs use `clone` then.
    [jumpIfEqual, clone3, 0, 1],
    [give, notImplemented],
    ...refused.flatMap((call): Instruction[] => [
      [jumpIfEqual, call, 0, 1],
      [give, notPermitted],
    ]),
    [jumpIfEqual, own.clone, 0, 4],
    [load, 16],
    [jumpIfAnyBit, namespaceFlags, 0, 1],
    [give, notPermitted],
    [give, allowed],
    [jumpIfEqual, own.socket, 1, 0],
    [give, allowed],
    [load, 16],
    ...socketFamilies.flatMap((family): Instruction[] => [
      [jumpIfEqual, family, 0, 1],
      [give, allowed],
    ]),
    [give, noSuchFamily],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, value, jumpIfTrue = 0, jumpIfFalse = 0]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(jumpIfTrue, at * 8 + 2);
    bytes.writeUInt8(jumpIfFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}
