import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareMaven } from '#resources/security/dependency-alerts/maven-version.ts';
import { readOsv } from '#resources/security/dependency-alerts/osv.ts';
import { isVulnerable, rangeText } from '#resources/security/dependency-alerts/versions.ts';

test('Maven orders versions as its documentation does', () => {
  const ordered = [
    '1-alpha-1',
    '1-beta',
    '1-m2',
    '1-rc',
    '1-SNAPSHOT',
    '1',
    '1-sp',
    '1-foo',
    '1-1',
    '1.1',
    '1.2',
    '1.10',
    '2',
    '10',
  ];
  for (const [at, one] of ordered.entries())
    for (const [other, two] of ordered.entries())
      expect(Math.sign(compareMaven(one, two)), `${one} ${two}`).toBe(Math.sign(at - other));
  for (const [one, other] of [
    ['1', '1.0.0'],
    ['1-ga', '1'],
    ['1.0-FINAL', '1'],
    ['1-a1', '1-alpha-1'],
    ['1.0-rc', '1-cr'],
  ] as const)
    expect(compareMaven(one, other), `${one} ${other}`).toBe(0);
});

test('the order of Maven’s versions is one', () => {
  const version = fc
    .array(fc.constantFrom('0', '1', '2', '10', '.', '-', 'rc', 'a', 'sp', 'x'), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(Math.sign(compareMaven(one, other)) + Math.sign(compareMaven(other, one))).toBe(0);
      expect(compareMaven(one, one)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

const all = { introduced: null, fixed: null, last_affected: null, versions: null };

test('versions are compared as their ecosystem does', () => {
  const before = { ...all, fixed: '1.10.0' };
  expect(isVulnerable('npm', '1.9.0', before)).toBe(true);
  expect(isVulnerable('npm', '1.10.0', before)).toBe(false);
  expect(isVulnerable('npm', '1.10.0-rc.1', before)).toBe(true);
  expect(isVulnerable('go', 'v1.9.9', before)).toBe(true);
  expect(isVulnerable('pip', '1.10.0rc1', before)).toBe(true);
  expect(isVulnerable('pip', '1.10', before)).toBe(false);
  expect(isVulnerable('maven', '1.10.0-beta', before)).toBe(true);
  expect(isVulnerable('npm', 'latest', all)).toBe(false);
  expect(isVulnerable('pip', '2.0', { ...all, introduced: '1.0', last_affected: '2.0' })).toBe(true);
  expect(isVulnerable('pip', '2.0', { ...all, versions: ['2.0'] })).toBe(true);
  expect(rangeText({ ...all, introduced: '1.0', fixed: '1.2' })).toBe('>= 1.0, < 1.2');
  expect(rangeText(all)).toBe('>= 0');
});

const osv = (more: object = {}) => ({
  id: 'GHSA-aaaa-bbbb-cccc'.replace(/[ab]/g, '2'),
  modified: '2026-01-02T00:00:00Z',
  affected: [
    {
      package: { ecosystem: 'npm', name: 'left' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.2.0' }, { introduced: '2.0.0' }] }],
    },
  ],
  ...more,
});
const readOf = (more: object = {}) => readOsv(JSON.stringify(osv(more)));

test('files of advisories', () => {
  const { advisory, vulnerabilities, isOwn } = readOf({
    aliases: ['CVE-2026-1234'],
    summary: 'Left breaks',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    database_specific: { cwe_ids: ['CWE-79', 'nonsense'] },
  });
  expect(advisory).toMatchObject({
    cve: 'CVE-2026-1234',
    severity: 'critical',
    cvss_v3_score: 9.8,
    cwes: ['CWE-79'],
    withdrawn_at: null,
  });
  expect(isOwn).toBe(true);
  expect(vulnerabilities.map(({ versions, ...one }) => rangeText({ ...one, versions }))).toEqual(['< 1.2.0', '>= 2.0.0']);
  expect(readOf({ id: 'PYSEC-2026-1', aliases: [osv().id] })).toMatchObject({ isOwn: false, advisory: { identifier: osv().id } });
  expect(readOf({ database_specific: { severity: 'MODERATE' } }).advisory.severity).toBe('medium');
  for (const wrong of [
    '[]',
    '{}',
    '',
    JSON.stringify(osv({ modified: '2026-99-99T00:00:00Z' })),
    JSON.stringify(osv({ summary: 'a\0b' })),
    JSON.stringify(osv({ id: '../x' })),
  ])
    expect(() => readOsv(wrong), wrong).toThrow();
  const events = [{ introduced: 'not a version' }];
  expect(() =>
    readOf({ affected: [{ package: { ecosystem: 'npm', name: 'a' }, ranges: [{ type: 'SEMVER', events }] }] }),
  ).toThrow();
});
