// Parsers for the values of settings. Each throws an Error that lists the allowed values.
import { isAbsolute, resolve } from 'node:path';
import { isRange } from '#net/ranges.ts';
import { parseTarget } from '#net/target.ts';
import type { BucketName } from '#objects/open.ts';
import { type AddressOverrides, addressNames, addressOf } from '#resources/actions/private-registries/exchange/addresses.ts';

export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < from || value > to) throw new Error(`must be a whole number from ${from} to ${to}`);
    return value;
  };
}

/** A port, or `off`. */
export const portOrOff = (text: string): number | 'off' => (text === 'off' ? 'off' : wholeNumber(0, 65_535)(text));

/** An SSH address: a host, and a port if it isn't the default. */
export function sshAddress(text: string): { host: string; port: number } {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'ssh:' && url.hostname !== '' && ['', '/'].includes(url.pathname) && !url.password;
  if (!isPlain) throw new Error('must be an address without a path, as ssh://code.example.com or ssh://code.example.com:2222');
  return { host: url.hostname, port: url.port === '' ? 22 : Number(url.port) };
}

/** Names from a set, separated by commas, or `none`. */
export function namesAmong<T extends string>(allowed: readonly T[]): (text: string) => readonly T[] {
  return (text) => {
    if (text === 'none') return [];
    return text.split(',').map((part) => {
      const match = allowed.find((name) => name === part.trim());
      if (!match) throw new Error(`must be names of ${allowed.join(', ')} with commas between, or none`);
      return match;
    });
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const match = allowed.find((word) => word === text);
    if (match === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return match;
  };
}

export const onOff = (text: string): boolean => oneOf('on', 'off')(text) === 'on';
export const asPath = (text: string): string => (isAbsolute(text) ? text : resolve(text));

/** Absolute paths, separated by commas. */
export function folderPaths(text: string): string[] {
  const paths = text.split(',').map((part) => part.trim().replace(/(?<=.)\/$/, ''));
  const wrong = paths.find((path) => !isAbsolute(path) || path === '/');
  if (wrong !== undefined) throw new Error(`must be absolute paths with commas between, and not /; '${wrong}' is none`);
  return paths;
}

/** An http or https origin: no path, no query, no user. */
export function webAddress(text: string): string {
  const url = URL.parse(text);
  const isOrigin =
    url && (url.protocol === 'http:' || url.protocol === 'https:') && url.pathname === '/' && !url.search && !url.username;
  if (!isOrigin) throw new Error('must be an http or https address without a path, as https://code.example.com');
  return url.origin;
}

export function postgresAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw new Error('must begin with postgres://');
  return text;
}

export function addressRanges(text: string): string[] {
  const ranges = text.split(',').map((part) => part.trim());
  const wrong = ranges.find((range) => !isRange(range));
  if (wrong !== undefined) throw new Error(`must be address ranges with commas between, as 10.0.0.0/8; '${wrong}' is none`);
  return ranges;
}

export function serverAddress(text: string): string {
  const url = parseTarget(text);
  if (!url) throw new Error('must be an http or https address without a user and password');
  return url.href;
}

/** Addresses by their names, with commas between: `cloud_a=https://login.example`. */
export function registryAddresses(text: string): AddressOverrides {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', address = ''] = part.trim().split(/=(.*)/s);
      const known = addressNames.find((one) => one === name);
      // The address must be one once its parts are filled in.
      if (!known || !parseTarget(addressOf({ [name]: address }, known, 'us-east-1')))
        throw new Error(`must be as NAME=https://address, with commas between; the names are ${addressNames.join(', ')}`);
      return [known, address];
    }),
  );
}

/** A bucket with an optional prefix for object names: `s3://bucket/some/prefix`. */
export function bucketName(text: string): BucketName {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([\w.\-/]*))?$/.exec(text) ?? [];
  const parts = prefix.split('/').filter((part) => part !== '');
  if (bucket === undefined || parts.some((part) => part === '.' || part === '..'))
    throw new Error('must be as s3://bucket/prefix');
  return { bucket, prefix: parts.join('/') };
}

/** A token that the operator has chosen: 20 to 255 printable ASCII characters. */
export function adminToken(text: string): string {
  if (!/^[\x21-\x7e]{20,255}$/.test(text)) throw new Error('must be 20 to 255 printable characters without spaces');
  return text;
}

/** A token of another server: printable ASCII characters. */
export function sourceToken(text: string): string {
  if (!/^[\x21-\x7e]{1,1000}$/.test(text)) throw new Error('must be one token, of printable characters without spaces');
  return text;
}

/** 32 bytes, in base64 or hexadecimal digits. */
export function secretKey(text: string): Buffer {
  const key = Buffer.from(text, /^[\da-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length !== 32) throw new Error('must be 32 bytes in base64 or in hexadecimal digits');
  return key;
}

/** Labels of runners, with commas between them. */
export function runnerLabels(text: string): string[] {
  const labels = text.split(',').map((label) => label.trim());
  if (!labels.every((label) => /^[\w .:-]{1,100}$/.test(label))) throw new Error('must be labels, with commas between them');
  return labels;
}
