import { expect, test } from 'vitest';
import { addressCheck } from '#net/ranges.ts';

const isOpen = addressCheck([]);

/** The ends of closed ranges, what stands in them, and the forms in which addresses of version 4 hide in version 6. */
const closed4 = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.0',
  '192.0.0.170',
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.175.48.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];
const closed6 = [
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '2001:10::1',
  '2001:20::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:101::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fdff:ffff::1',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1%lo',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '4000::1',
  '8000::1',
  '2620:4f:8000::1',
];
const open = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::8a',
  '2001:4860:4860::8888',
  '2003::1',
];

test.each(closed4)('%s is closed', (address) => expect(isOpen(address)).toBe(false));
test.each(closed6)('%s is closed', (address) => expect(isOpen(address)).toBe(false));
test.each(open)('%s is open', (address) => expect(isOpen(address)).toBe(true));
test.each(['', 'localhost', '1.2.3', '0x7f.1', '1.1.1.1.', '[::1]', ' 8.8.8.8'])('%j is no address', (text) =>
  expect(isOpen(text)).toBe(false),
);

test('what an administrator allows is open, and nothing beside it', () => {
  const check = addressCheck(['10.1.0.0/16', '192.168.7.7', 'fd12:3456::/32']);
  expect(['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12:3456::9'].every(check)).toBe(true);
  expect(['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd12:3457::9', '::ffff:10.1.0.1', '127.0.0.1'].some(check)).toBe(false);
});

test('what isn’t a range is refused', () => {
  for (const text of ['internal', '10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0/x', 'fe80::1%lo/64', ''])
    expect(() => addressCheck([text]), text).toThrow('not a range');
});
