import { BlockList, isIP } from 'node:net';

type Range = readonly [address: string, bits: number];

/** IPv4 ranges for special purposes (RFC 6890 and its registry), which are blocked. */
const blocked4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/**
 * For IPv6, only global unicast is allowed, without its ranges that embed IPv4 addresses (6to4, Teredo) or have special purposes.
 * NAT64, mapped, unique local, link-local and multicast addresses are outside of global unicast.
 */
const globalUnicast6: Range = ['2000::', 3];
const blocked6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const listOf = (ranges: readonly Range[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
};

const blocked = { ipv4: listOf(blocked4, 'ipv4'), ipv6: listOf(blocked6, 'ipv6') };
const globalUnicast = listOf([globalUnicast6], 'ipv6');

/** Whether a connection to an address is allowed. It must be exactly the socket's address. */
export type AddressCheck = (address: string) => boolean;

/**
 * Allows public addresses, and the ranges that an administrator has allowed in addition (security decision 6).
 *
 * @example
 * addressCheck(['10.1.0.0/16'])('10.1.2.3') // true
 * addressCheck([])('::ffff:127.0.0.1') // false
 */
export function addressCheck(allow: readonly string[]): AddressCheck {
  const allowed = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of allow) {
    const parsed = parseRange(range);
    if (!parsed) throw new Error(`${range} is not a range of addresses`);
    allowed[parsed.family].addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return (address) => {
    const family = familyOf(address);
    if (!family) return false;
    if (allowed[family].check(address, family)) return true;
    return !blocked[family].check(address, family) && (family === 'ipv4' || globalUnicast.check(address, family));
  };
}

/** Checks whether an address is in one of the ranges. IPv4-mapped IPv6 addresses match IPv4 ranges. */
export function rangeCheck(ranges: readonly string[]): AddressCheck {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (!parsed) throw new Error(`${range} is not a range of addresses`);
    list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** Whether a text is an address or a CIDR range. */
export const isRange = (text: string): boolean => parseRange(text) !== undefined;

function parseRange(text: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = familyOf(address);
  if (!family) return undefined;
  const maxBits = family === 'ipv4' ? 32 : 128;
  const bitCount = bits === undefined ? maxBits : Number(bits);
  return bitCount <= maxBits ? { address, bits: bitCount, family } : undefined;
}

/** The family of an address; undefined for other texts, and for addresses with a zone (`fe80::1%eth0`). */
const familyOf = (address: string): 'ipv4' | 'ipv6' | undefined => {
  if (address.includes('%')) return undefined;
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
};
