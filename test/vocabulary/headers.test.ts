import { expect, test } from 'vitest';
import { emitHeader, emitHeaders, emitMediaType, emitPermission, emitUserAgent, neutralPermission } from '#vocabulary/headers.ts';
import { headerWords, permissionWords } from '#vocabulary/words.ts';

test('names keep their case: canonical for deliveries, lower for replies', () => {
  expect(emitHeader('github', 'X-Service-Hook-ID')).toBe('X-GitHub-Hook-ID');
  expect(emitHeader('github', 'x-service-request-id')).toBe('x-github-request-id');
  expect(emitHeader('github', 'X-Hub-Signature-256')).toBe('X-Hub-Signature-256');
  expect(emitHeader('service', 'X-Service-Hook-ID')).toBe('X-Service-Hook-ID');
});

test('every reply header is written in the words of the vocabulary, values too', () => {
  const headers = {
    'x-service-media-type': 'service.v3; param=raw; format=json',
    'x-accepted-service-permissions': 'organization_assistant_business=read; organization_webhooks=write, members=read',
    'content-type': 'application/vnd.service.raw+json; charset=utf-8',
    vary: 'Accept, X-Service-OTP',
    'x-ratelimit-limit': 5000,
    etag: 'W/"service"',
  };
  expect(emitHeaders('service', headers)).toBe(headers);
  expect(emitHeaders('github', headers)).toEqual({
    'x-github-media-type': 'github.v3; param=raw; format=json',
    'x-accepted-github-permissions': 'organization_copilot_seat_management=read; organization_hooks=write, members=read',
    'content-type': 'application/vnd.github.raw+json; charset=utf-8',
    vary: 'Accept, X-GitHub-OTP',
    'x-ratelimit-limit': 5000,
    etag: 'W/"service"',
  });
});

test('permissions are understood in either vocabulary', () => {
  for (const [neutral] of permissionWords) {
    expect(neutralPermission(emitPermission('github', neutral))).toBe(neutral);
    expect(neutralPermission(neutral)).toBe(neutral);
    expect(emitPermission('service', neutral)).toBe(neutral);
  }
  expect(emitPermission('github', 'contents')).toBe('contents');
});

test('deliveries name their sender', () => {
  expect(emitUserAgent('service', '0.1.0')).toBe('Service-Hookshot/0.1.0');
  expect(emitUserAgent('github', '0.1.0')).toBe('GitHub-Hookshot/0.1.0');
  expect(emitMediaType('service', 'application/vnd.service.raw')).toBe('application/vnd.service.raw');
});

test('no neutral header holds a vendor word', () => {
  for (const [neutral, vendor] of headerWords) {
    expect(neutral).not.toMatch(/github/i);
    expect(vendor).toMatch(/github/i);
  }
});
