import type { VersionNumber, VersionRow } from './image-store.ts';

/** The version of a runner's image when it follows the latest one. */
export const latestVersion = 'latest';

/** Reads a version like `1.4.0`. */
export function parseVersion(text: string): VersionNumber | undefined {
  const [, major, minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export const versionText = ({ major, minor, patch }: Pick<VersionRow, 'major' | 'minor' | 'patch'>): string =>
  `${major}.${minor}.${patch}`;
