import { expect, test } from 'vitest';
import { emitHeader, emitPermission, emitUserAgent, emitValue } from '#vocabulary/headers.ts';
import { headerWords, permissionWords, type Vocabulary } from '#vocabulary/words.ts';

test('names keep their case: canonical for deliveries, lower for replies', () => {
  expect(emitHeader('github', 'X-Service-Hook-ID')).toBe('X-GitHub-Hook-ID');
  expect(emitHeader('github', 'x-service-request-id')).toBe('x-github-request-id');
  expect(emitHeader('github', 'X-Hub-Signature-256')).toBe('X-Hub-Signature-256');
  expect(emitHeader('service', 'X-Service-Hook-ID')).toBe('X-Service-Hook-ID');
});

test('every reply header is written in the words of the vocabulary, values too', () => {
  const headers: Record<string, string | number> = {
    'x-service-media-type': 'service.v3; param=raw; format=json',
    'x-accepted-service-permissions': 'organization_assistant_business=read; organization_webhooks=write, members=read',
    'content-type': 'application/vnd.service.raw+json; charset=utf-8',
    vary: 'Accept, X-Service-OTP',
    'x-ratelimit-limit': 5000,
    etag: 'W/"service"',
  };
  const emitted = (vocabulary: Vocabulary) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [emitHeader(vocabulary, name), emitValue(vocabulary, name, value)]),
    );
  expect(emitted('service')).toEqual(headers);
  expect(emitted('github')).toEqual({
    'x-github-media-type': 'github.v3; param=raw; format=json',
    'x-accepted-github-permissions': 'organization_copilot_seat_management=read; organization_hooks=write, members=read',
    'content-type': 'application/vnd.github.raw+json; charset=utf-8',
    vary: 'Accept, X-GitHub-OTP',
    'x-ratelimit-limit': 5000,
    etag: 'W/"service"',
  });
});

test('permissions have the names of the vocabulary', () => {
  for (const [neutral, vendor] of permissionWords) {
    expect(emitPermission('github', neutral)).toBe(vendor);
    expect(emitPermission('service', neutral)).toBe(neutral);
  }
  expect(emitPermission('github', 'contents')).toBe('contents');
});

test('deliveries name their sender', () => {
  expect(emitUserAgent('service', '0.1.0')).toBe('Service-Hookshot/0.1.0');
  expect(emitUserAgent('github', '0.1.0')).toBe('GitHub-Hookshot/0.1.0');
});

test('no neutral header holds a vendor word', () => {
  for (const [neutral, vendor] of headerWords) {
    expect(neutral).not.toMatch(/github/i);
    expect(vendor).toMatch(/github/i);
  }
});
